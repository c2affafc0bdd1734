// Crash reports: the list of those that are kept, and one with what its worker printed.

import { ask, poll } from './data.js';
import { bytes, counted, count, duration, facts, fill, h, link, moment, operationHref, poolHref, reportHref, say, section, table } from './elements.js';

/** @typedef {import('./data.js').Summary} Summary */
/** @typedef {import('./data.js').Report} Report */
/** @typedef {import('./data.js').View} View */

const mostMarks = 1_000;

/**
 * A table of failed workers, the newest first.
 * @param {string} caption
 * @param {boolean} isShort
 */
export function failureTable(caption, isShort) {
  return table(caption, [
    { head: 'Time', className: 'time', draw: (cell, /** @type {Summary} */ row) => fill(cell, String(row.t), () => [moment(row.t)]) },
    { head: 'Report', draw: (cell, row) => fill(cell, row.id, () => [link(reportHref(row.id), row.id)]) },
    { head: 'Cause', className: 'text', text: row => row.cause },
    ...(isShort ? [] : [{ head: 'Phase', text: (/** @type {Summary} */ row) => row.phase }]),
    { head: 'Operation', draw: (cell, row) => fill(cell, row.op ?? '', () => [row.op ? link(operationHref(row.op), row.op) : '–']) },
    ...(isShort ? [] : [{ head: 'Pool', draw: (/** @type {HTMLTableCellElement} */ cell, /** @type {Summary} */ row) => fill(cell, row.pool, () => [link(poolHref(row.pool), row.pool)]) }]),
  ], { key: row => row.id, empty: 'No worker failed.' });
}

/**
 * All reports.
 * @returns {View}
 */
export function failuresView() {
  const note = h('p', { class: 'muted' });
  const causes = table('By cause', [
    { head: 'Cause', className: 'text', text: (/** @type {{cause: string, pool: string, op: string, times: number, last: Summary}} */ row) => row.cause },
    { head: 'Pool', draw: (cell, row) => fill(cell, row.pool, () => [link(poolHref(row.pool), row.pool)]) },
    { head: 'Operation', draw: (cell, row) => fill(cell, row.op, () => [row.op ? link(operationHref(row.op), row.op) : '–']) },
    { head: 'Times', className: 'number', text: row => count(row.times), order: row => row.times },
    { head: 'Last', draw: (cell, row) => fill(cell, row.last.id, () => [link(reportHref(row.last.id), row.last.id)]) },
  ], { key: row => `${row.pool} ${row.op} ${row.cause}`, empty: 'No worker failed.' });
  const rows = failureTable('Failed workers', false);
  const list = section('All, the newest first', rows.root);
  const groups = section('By cause', causes.root);
  /** @type {Summary[] | undefined} */
  let kept;
  const all = poll('reports', (/** @type {{reports: Summary[]} | undefined} */ answer) => { kept = answer?.reports; }, () => 2);
  return {
    title: 'Failures',
    root: h('div', {}, h('h2', { tabindex: -1 }, 'Failures'), note, groups, list),
    update(record) {
      all.tick();
      const reports = kept ?? record.reports;
      say(note, reports.length === 0 ? 'No worker has failed since the application started.' : `${counted(reports.length, 'report is', 'reports are')} kept, 1 MB in all: the oldest go first.`);
      const byCause = Map.groupBy(reports, report => JSON.stringify([report.pool, report.op, report.cause]));
      causes.update([...byCause.values()].flatMap(group => group[0] ? [{ cause: group[0].cause, pool: group[0].pool, op: group[0].op ?? '', times: group.length, last: group[0] }] : []));
      rows.update(reports);
      list.hidden = groups.hidden = reports.length === 0;
    },
    close: all.close,
  };
}

/**
 * One report.
 * @param {string} id
 * @returns {View}
 */
export function reportView(id) {
  const head = h('div');
  const alike = h('p', { class: 'muted' });
  const body = h('div', { class: 'body' });
  const root = h('div', {}, h('h2', { tabindex: -1 }, `Report ${id}`), head, alike, body);
  /** @type {Report | undefined} */
  let report;
  let isShown = false;
  const one = poll(`reports/${encodeURIComponent(id)}`, (/** @type {Report | undefined} */ answer) => {
    if (answer) {
      report = answer;
      one.close();
      show(answer);
    } else {
      head.replaceChildren(h('p', { class: 'notice' }, `There is no crash report ${id} here. Each process keeps its own, 1 MB in all: the oldest go first.`));
    }
  });

  /** @param {Report} found */
  function show(found) {
    isShown = true;
    head.replaceChildren(
      h('p', { class: 'cause' }, h('span', { class: 'badge failing' }, '✗ worker failed'), ' ', h('strong', {}, found.cause)),
      facts([
        ['Ended', moment(Date.parse(found.at) / 1_000)],
        ['While', found.phase],
        ['Pool', link(poolHref(found.pool), found.pool)],
        ['Process', String(found.pid)],
        ['Ended with', found.signal !== undefined ? `signal ${found.signal}` : found.exitCode !== undefined ? `exit code ${found.exitCode}` : null],
        ['Lived', duration(found.age)],
        ['Calls answered', count(found.callsDone)],
        ['Generation', count(found.generation)],
        ['Minidump', found.dumpPath],
      ]));
    const calls = table('Its last calls', [
      { head: 'Call', text: (/** @type {Report['calls'][number]} */ row) => `#${row.id}` },
      { head: 'Operation', draw: (cell, row) => fill(cell, row.operation, () => [link(operationHref(row.operation), row.operation)]) },
      { head: 'State', text: row => row.state },
      { head: 'Before the end', className: 'number', text: row => duration(row.before) },
    ], { key: row => String(row.id), empty: 'It had no call.' });
    calls.update(found.calls);
    const limits = Object.entries(found.limits).filter(([, value]) => value !== false && !(Array.isArray(value) && value.length === 0));
    body.replaceChildren(
      section('Its last calls', calls.root),
      outputSection(found),
      found.stack ? section('What it ran', h('pre', { tabindex: 0, 'aria-label': 'Stack' }, found.stack)) : '',
      limits.length > 0 ? section('Limits', facts(limits.map(([name, value]) => [name, /bytes/i.test(name) && typeof value === 'number' ? bytes(value) : String(value)]))) : '');
  }

  return {
    title: `Report ${id}`,
    root,
    update(record) {
      if (!isShown) {
        one.tick();
      }

      const same = report ? record.reports.filter(other => other.id !== report?.id && other.cause === report?.cause && other.pool === report?.pool) : [];
      fill(alike, JSON.stringify(same.map(other => other.id)), () => same.length === 0 ? [] : [`${same.length} more with this cause: `, ...same.slice(0, 5).flatMap((other, at) => [at > 0 ? ', ' : null, link(reportHref(other.id), other.id)]), same.length > 5 ? ', …' : null]);
    },
    close: one.close,
  };
}

/**
 * What a worker printed, with a search in it.
 * @param {Report} report
 */
function outputSection(report) {
  const text = h('pre', { tabindex: 0, 'aria-label': 'Output' }, report.output || 'It printed nothing.');
  const find = h('input', { type: 'search', 'aria-label': 'Find in the output', placeholder: 'Find in the output' });
  const found = h('span', { class: 'muted' });
  let at = -1;
  find.addEventListener('input', () => {
    at = -1;
    const parts = split(report.output, find.value);
    text.replaceChildren(...parts.map((part, index) => index % 2 === 1 ? h('mark', {}, part) : part));
    say(found, find.value ? `${counted((parts.length - 1) / 2, 'match', 'matches')}` : '');
    next();
  });
  find.addEventListener('keydown', event => {
    if (event.key === 'Enter') {
      next();
      event.preventDefault();
    }
  });

  function next() {
    const marks = [...text.querySelectorAll('mark')];
    marks[at]?.classList.remove('here');
    at = marks.length > 0 ? (at + 1) % marks.length : -1;
    marks[at]?.classList.add('here');
    marks[at]?.scrollIntoView({ block: 'nearest' });
  }

  // The last lines say why.
  requestAnimationFrame(() => { text.scrollTop = text.scrollHeight; });
  return section('What it printed', h('div', { class: 'filters' }, find, found, h('a', { href: `reports/${encodeURIComponent(report.id)}/output`, download: `${report.id}.txt` }, 'Download')), text);
}

/**
 * A text around what is looked for: every second part is a match.
 * @param {string} text
 * @param {string} wanted
 */
function split(text, wanted) {
  const [parts, low, small] = [/** @type {string[]} */ ([]), text.toLowerCase(), wanted.toLowerCase()];
  let from = 0;
  for (let to = small ? low.indexOf(small) : -1; to >= 0 && parts.length < 2 * mostMarks; to = low.indexOf(small, from)) {
    parts.push(text.slice(from, to), text.slice(to, to + small.length));
    from = to + small.length;
  }

  return [...parts, text.slice(from)];
}

/**
 * Whether a text is the id of a report that is kept.
 * @param {string} text
 */
export async function isReport(text) {
  return /^\S+-\d+-\d+$/.test(text) && await ask(`reports/${encodeURIComponent(text)}`) !== undefined;
}
