// The first screen: what is wrong in sentences, then pools, running calls, failed workers and slow operations.

import { points, spark } from './charts.js';
import { ask } from './data.js';
import { callTable } from './host.js';
import { bar, clock, count, counted, duration, fill, h, lane, link, moment, operationHref, poolHref, reportHref, say, section, set, symbolOf, table } from './elements.js';
import { failureTable } from './failures.js';
import { operationsOf, operationTable, phaseLegend } from './operations.js';

/** @typedef {import('./data.js').Snapshot} Snapshot */
/** @typedef {import('./data.js').Finding} Finding */
/** @typedef {import('./data.js').Pool} Pool */
/** @typedef {import('./data.js').History} History */
/** @typedef {import('./data.js').View} View */
/** @typedef {{name: string, pool: Pool, lastFailure?: import('./data.js').Summary | undefined}} PoolRow */

/** @type {Record<string, string>} */
const words = { failing: 'calls fail', waiting: 'calls wait', notice: 'notice' };
const order = ['failing', 'waiting', 'draining', 'paused', 'busy', 'idle'];
const mostRows = 10;
const fiveMinutes = 300;

// Short histories of pools in rows, kept between views: by pool, each asked for once and then continued by the records.
/** @type {Map<string, import('./charts.js').Point[]>} */
const past = new Map();
let isAsking = false;

/** @returns {View} */
export function nowView() {
  const findings = findingList();
  const pools = poolTable();
  const idle = h('p', { class: 'muted' });
  const running = callTable('Running calls, the longest first', false);
  const failures = failureTable('Workers that failed', true);
  const slow = operationTable('The slowest operations of the last minute', false);
  const poolSection = section('Pools', pools.root, idle);
  const runningSection = section('Calls now', running.root);
  const failureSection = section('Recent worker failures', failures.root);
  const slowSection = section('Slowest operations, last minute', phaseLegend(), slow.root);
  return {
    title: '',
    root: h('div', { class: 'now' }, h('h2', { tabindex: -1, class: 'unseen' }, 'Now'), findings.root, poolSection, h('div', { class: 'pair' }, runningSection, failureSection), slowSection),
    update(record) {
      findings.update(record);
      const rows = Object.entries(record.pools).map(([name, pool]) => ({ name, pool, lastFailure: record.reports.find(report => report.pool === name) }));
      rows.sort((a, b) => order.indexOf(a.pool.state) - order.indexOf(b.pool.state) || b.pool.rate - a.pool.rate || b.pool.busy - a.pool.busy);

      // A pool that had a call in the last minute is not idle yet.
      const quiet = rows.filter(row => row.pool.state === 'idle' && row.pool.p95 === undefined);
      const active = rows.filter(row => !quiet.includes(row));
      const more = record.poolCount - rows.length;
      remember(record, active);
      pools.update(active);
      pools.root.hidden = active.length === 0;
      fill(idle, JSON.stringify([quiet.map(row => row.name), more, active.length]), () => quiet.length + more === 0 ? [] : [
        `${active.length > 0 ? 'and ' : ''}${counted(quiet.length + more, 'idle pool', 'idle pools')}: `,
        ...quiet.slice(0, 12).flatMap((row, at) => [at > 0 ? ', ' : null, link(poolHref(row.name), row.name === lane ? 'lane' : row.name)]),
        quiet.length + more > 12 ? ', …' : null,
      ]);
      say(runningSection.heading, `Calls now ${count(record.calls.running)}${record.calls.running > 1 ? ', the longest first' : ''}`);
      running.update(record.calls.list.slice(0, mostRows));
      failures.update(record.reports.slice(0, mostRows));
      slow.update(operationsOf(record).filter(one => one.calls > 0).sort((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0)).slice(0, mostRows));
    },
  };
}

/** Forgets the short histories: another process answers. */
export function forget() {
  past.clear();
}

/** What is wrong. A finding keeps its place on the screen while it is in effect. */
function findingList() {
  const list = h('ul', { class: 'findings', 'aria-label': 'Findings' });
  const calm = h('p', { class: 'calm' });
  const more = h('p', { class: 'muted' });
  /** @type {Map<string, ReturnType<typeof findingRow>>} */
  const rows = new Map();
  return {
    root: h('section', { 'aria-label': 'What is wrong' }, calm, list, more),
    /** @param {Snapshot} record */
    update(record) {
      const isCalm = !record.findings.some(one => one.severity !== 'notice');
      fill(calm, isCalm ? String(record.findingsChangedAt ?? record.recordingSince) : '', () => isCalm ? ['✓ Nothing is wrong since ', moment(record.findingsChangedAt ?? record.recordingSince), '.'] : []);
      calm.hidden = !isCalm;
      const keys = record.findings.map(findingKey);
      for (const [key, row] of rows) {
        if (!keys.includes(key)) {
          row.root.remove();
          rows.delete(key);
        }
      }

      record.findings.forEach((finding, at) => {
        const key = /** @type {string} */ (keys[at]);
        let row = rows.get(key);
        if (!row) {
          row = findingRow(finding);
          rows.set(key, row);
        }

        row.update(finding);
        if (list.children[at] !== row.root) {
          list.insertBefore(row.root, list.children[at] ?? null);
        }
      });
      const rest = (record.findingCount ?? record.findings.length) - record.findings.length;
      say(more, rest > 0 ? `and ${counted(rest, 'finding', 'findings')} more` : '');
      list.hidden = record.findings.length === 0;
    },
  };
}

/** @param {Finding} finding */
export const findingKey = finding => [finding.kind, finding.pool, finding.op, finding.subject].join(' ');

/** @param {Finding} first */
function findingRow(first) {
  const sentence = h('strong');
  const since = h('span', { class: 'muted' });
  const todo = h('p');
  const links = h('span', { class: 'links' });
  const root = h('li', { class: first.severity }, h('span', { class: 'badge' }, `${symbolOf(first.severity)} ${words[first.severity] ?? first.severity}`), h('div', {}, h('p', { class: 'sentence' }, sentence, since), h('div', { class: 'todo' }, todo, links)));
  return {
    root,
    /** @param {Finding} finding */
    update(finding) {
      say(sentence, finding.sentence);
      fill(since, String(finding.since), () => [' since ', moment(finding.since)]);
      say(todo, finding.toDo);
      fill(links, JSON.stringify([finding.pool, finding.op, finding.report]), () => [
        finding.report ? link(reportHref(finding.report), `Report ${finding.report}`) : null,
        finding.pool ? link(poolHref(finding.pool), `Pool ${finding.pool}`) : null,
        finding.op ? link(operationHref(finding.op), finding.op) : null,
      ]);
    },
  };
}

function poolTable() {
  return table('Pools', [
    { head: 'Pool', className: 'name', draw: (cell, /** @type {PoolRow} */ row) => fill(cell, `${row.pool.state} ${row.name}`, () => [h('span', { class: `state ${row.pool.state}` }, symbolOf(row.pool.state)), ' ', link(poolHref(row.name), row.name === lane ? 'lane' : row.name)]) },
    { head: 'State', className: 'word', text: row => row.pool.state },
    { head: 'Workers', draw: (cell, row) => barCell(cell, row.pool.busy / Math.max(1, row.pool.max), workersText(row.pool), 'busy') },
    { head: 'Queue', draw: (cell, row) => barCell(cell, (row.pool.queued + row.pool.waiting) / Math.max(1, row.pool.queueLimit), `${count(row.pool.queued + row.pool.waiting)}/${count(row.pool.queueLimit)}${row.pool.queued >= row.pool.queueLimit && row.pool.queueLimit > 0 ? ' full' : ''}`, 'waits') },
    { head: 'Oldest', className: 'number', text: row => duration(row.pool.oldest) },
    { head: 'Calls/s', className: 'number', text: row => count(row.pool.rate) },
    { head: 'Failed/s', className: 'number', draw: (cell, row) => { set(cell, { class: row.pool.failed > 0 ? 'number bad' : 'number' }); say(cell, row.pool.failed > 0 ? `✗ ${count(row.pool.failed)}` : '0'); } },
    { head: 'p95', className: 'number', text: row => duration(row.pool.p95) },
    { head: 'Last 5 min: busy, queue', className: 'chart', draw: (cell, row) => sparkCell(cell, row) },
    { head: 'Last failure', draw: (cell, row) => fill(cell, row.lastFailure?.id ?? '', () => row.lastFailure ? [link(reportHref(row.lastFailure.id), `${clock(row.lastFailure.t)} ${row.lastFailure.phase}`, `${clock(row.lastFailure.t)} ${row.lastFailure.phase}, report ${row.lastFailure.id}`)] : ['none kept']) },
  ], { key: row => row.name, className: 'cards', rowClass: row => row.pool.state });
}

/** @param {Pool} pool */
export const workersText = pool => `${count(pool.busy)} of ${count(pool.workers)} busy${pool.starting > 0 ? `, ${count(pool.starting)} starting` : ''}, max ${count(pool.max)}`;

/** @param {HTMLTableCellElement} cell @param {number} part @param {string} text @param {string} kind */
function barCell(cell, part, text, kind) {
  const drawn = /** @type {HTMLTableCellElement & {weirBar?: {bar: ReturnType<typeof bar>, text: HTMLElement}}} */ (cell);
  if (!drawn.weirBar) {
    drawn.weirBar = { bar: bar(kind), text: h('span') };
    cell.replaceChildren(h('span', { class: 'barred' }, drawn.weirBar.bar.root, drawn.weirBar.text));
  }

  drawn.weirBar.bar.update(part);
  say(drawn.weirBar.text, text);
}

/** @param {HTMLTableCellElement} cell @param {PoolRow} row */
function sparkCell(cell, row) {
  const drawn = /** @type {HTMLTableCellElement & {weirSpark?: ReturnType<typeof spark>}} */ (cell);
  if (!drawn.weirSpark) {
    drawn.weirSpark = spark(row.name);
    cell.replaceChildren(drawn.weirSpark.root);
  }

  const known = past.get(row.name) ?? [];
  const to = (known.at(-1)?.t ?? 0) + 10;
  drawn.weirSpark.update(known, { from: to - fiveMinutes, to }, row.pool.max);
}

/**
 * Continues the short histories of the pools that are shown, in steps of ten seconds: the highest values, as the application keeps them.
 * @param {Snapshot} record
 * @param {PoolRow[]} rows
 */
function remember(record, rows) {
  for (const { name, pool } of rows.slice(0, 2 * mostRows)) {
    const known = past.get(name);
    if (!known) {
      if (!isAsking) {
        isAsking = true;
        past.set(name, []);
        ask(`history?of=${encodeURIComponent(`pool/${name}`)}&span=1h`).then(
          found => { past.set(name, points([/** @type {History | undefined} */ (found)], []).filter(point => point.t > record.t - fiveMinutes)); },
          () => { past.delete(name); }).finally(() => { isAsking = false; });
      }

      continue;
    }

    const last = known.at(-1);
    const values = { busy: pool.busy, queued: Math.max(pool.queued, pool.queuedMax) };
    if (last && record.t < last.t + last.step) {
      last.values['busy'] = Math.max(last.values['busy'] ?? 0, values.busy);
      last.values['queued'] = Math.max(last.values['queued'] ?? 0, values.queued);
    } else {
      known.push({ t: last && record.t < last.t + 2 * last.step ? last.t + last.step : record.t, step: 10, values });
      past.set(name, known.filter(point => point.t > record.t - fiveMinutes));
    }
  }
}
