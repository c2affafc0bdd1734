// Operations: all of them, and one with its slowest and its last failed calls.

import { charts, points, spanOf } from './charts.js';
import { hello, poll } from './data.js';
import { count, duration, fill, h, link, moment, operationHref, percent, poolHref, reportHref, s, say, section, set, table } from './elements.js';

/** @typedef {import('./data.js').OperationRow} OperationRow */
/** @typedef {import('./data.js').OperationDetails} OperationDetails */
/** @typedef {import('./data.js').KeptCall} KeptCall */
/** @typedef {import('./data.js').History} History */
/** @typedef {import('./data.js').Snapshot} Snapshot */
/** @typedef {import('./data.js').View} View */

const phaseNames = ['bind', 'filters', 'queue', 'run', 'write'];

/**
 * All operations.
 * @returns {View}
 */
export function operationsView() {
  const filter = h('input', { type: 'search', 'aria-label': 'Only operations whose name has', placeholder: 'Filter' });
  const note = h('span', { class: 'muted' });
  const rows = operationTable('All operations, calls of the last minute', true);
  /** @type {OperationRow[] | undefined} */
  let served;
  const list = poll('operations', (/** @type {{operations: OperationRow[]} | undefined} */ answer) => { served = answer?.operations; }, () => 1);
  return {
    title: 'Operations',
    root: h('div', {}, h('h2', { tabindex: -1 }, 'Operations'), h('div', { class: 'filters' }, filter, note), phaseLegend(), rows.root),
    update(record) {
      list.tick();
      const all = served ?? operationsOf(record);
      const shown = all.filter(one => one.op.toLowerCase().includes(filter.value.trim().toLowerCase()));
      say(note, shown.length < all.length ? `${shown.length} of ${all.length}` : served || record.operationCount <= all.length ? `${all.length}, calls of the last minute` : `the ${all.length} with the most calls of ${record.operationCount}`);
      rows.update(shown);
    },
    close: list.close,
  };
}

/**
 * The operations of a record.
 * @param {Snapshot} record
 * @returns {OperationRow[]}
 */
export const operationsOf = record => Object.entries(record.operations).map(([op, one]) => ({ op, ...one }));

/**
 * A table of operations.
 * @param {string} caption
 * @param {boolean} sorts
 */
export function operationTable(caption, sorts) {
  /** @param {string} head @param {(row: OperationRow) => number | undefined} of @param {(value: number | undefined) => string} unit */
  const number = (head, of, unit) => ({ head, className: 'number', text: (/** @type {OperationRow} */ row) => unit(of(row)), ...(sorts ? { order: of } : {}) });
  return table(caption, [
    { head: 'Operation', ...(sorts ? { order: (/** @type {OperationRow} */ row) => row.op } : {}), draw: (cell, /** @type {OperationRow} */ row) => fill(cell, row.op, () => [link(operationHref(row.op), row.op)]) },
    { head: 'Where', draw: (cell, row) => fill(cell, `${row.where} ${row.pool}`, () => [row.pool ? link(poolHref(row.pool), row.pool) : row.where ?? 'this process']) },
    number('Calls/min', row => row.calls, count),
    { ...number('Failed', row => row.failed, count), draw: (cell, row) => failedCell(cell, row.failed, row.calls) },
    number('p50', row => row.p50, duration),
    number('p95', row => row.p95, duration),
    number('p99', row => row.p99, duration),
    number('max', row => row.max, duration),
    { head: 'Where the time goes', draw: (cell, row) => phasesCell(cell, row.phases) },
  ], { key: row => row.op, most: 100, empty: 'No operation was called.', rowClass: row => row.calls === 0 ? 'quiet' : '' });
}

/** @param {HTMLTableCellElement} cell @param {number} failed @param {number} calls */
function failedCell(cell, failed, calls) {
  set(cell, { class: failed > 0 ? 'number bad' : 'number' });
  say(cell, failed > 0 ? `✗ ${count(failed)} (${percent(failed, calls)})` : '0');
}

/**
 * One operation.
 * @param {string} name
 * @returns {View}
 */
export function operationView(name) {
  const head = h('div');
  const numbers = table('Calls that ended', [
    { head: 'In the last', text: (/** @type {{span: string, calls: number, failed: number, p50?: number, p95?: number, p99?: number, max?: number}} */ row) => row.span },
    { head: 'Calls', className: 'number', text: row => count(row.calls) },
    { head: 'Failed', className: 'number', draw: (cell, row) => failedCell(cell, row.failed, row.calls) },
    { head: 'p50', className: 'number', text: row => duration(row.p50) },
    { head: 'p95', className: 'number', text: row => duration(row.p95) },
    { head: 'p99', className: 'number', text: row => duration(row.p99) },
    { head: 'max', className: 'number', text: row => duration(row.max) },
  ], { key: row => row.span });
  const share = phases();
  const statuses = h('p', { class: 'muted' });
  const time = charts([
    { title: 'Calls per second', unit: count, lines: [{ name: 'calls/s', className: 'rate', isArea: true, of: point => point.values['calls'] ?? 0 }, { name: 'failed/s', className: 'failures', of: point => point.values['failed'] ?? 0 }] },
    { title: 'Longest call', unit: duration, lines: [{ name: 'longest call', className: 'queue', of: point => point.values['longest'] ?? 0 }] },
  ], { hasLives: false, empty: 'No history is kept: it was not called, or other operations needed the memory.' });
  const slowest = keptTable('The slowest calls of the last hour', false);
  const failed = keptTable('The last failed calls', true);
  const missing = h('p', { class: 'muted', hidden: true }, `No call of ${name} is recorded.`);
  const [slowSection, failedSection] = [section('The slowest calls of the last hour', slowest.root), section('The last failed calls', failed.root)];

  /** @type {OperationDetails | undefined} */
  let details;
  /** @type {History | undefined} */
  let history;
  const one = poll(`operation?of=${encodeURIComponent(name)}`, (/** @type {OperationDetails | undefined} */ answer) => { details = answer; }, () => 1);
  const past = poll(`history?of=${encodeURIComponent(`operation/${name}`)}&span=1h`, (/** @type {History | undefined} */ answer) => { history = answer; }, () => 5);
  return {
    title: name,
    root: h('div', {}, h('h2', { tabindex: -1 }, name), head, numbers.root, h('p', {}, 'Where the time goes: ', share.root), statuses, missing, failedSection, slowSection, section('The last hour', time.root)),
    update(record) {
      one.tick();
      past.tick();
      const now = details ?? operationsOf(record).find(row => row.op.toLowerCase() === name.toLowerCase());
      missing.hidden = now !== undefined;
      slowSection.hidden = failedSection.hidden = !details;
      fill(head, JSON.stringify([now?.where, now?.pool]), () => [h('p', { class: 'muted' }, now?.pool ? 'Runs in the pool ' : now?.where ? `Runs ${now.where === 'lane' ? 'on the lane' : now.where}` : 'Runs in this process', now?.pool ? link(poolHref(now.pool), now.pool) : null, '.')]);
      numbers.update(now ? [{ span: 'minute', ...now }, ...(details?.five ? [{ span: '5 minutes', ...details.five }] : [])] : []);
      share.update(now?.phases ?? {});
      const ended = Object.entries(details?.statuses ?? {});
      say(statuses, ended.length > 0 ? `Failed by status: ${ended.map(([status, calls]) => `${status} ${count(calls)}`).join(', ')}` : '');
      slowest.update(details?.slowest ?? []);
      failed.update(details?.lastFailed ?? []);
      time.update(points([history], ['calls', 'failed']), [], spanOf(record.t, 3_600, record.recordingSince));
    },
    close() {
      one.close();
      past.close();
    },
  };
}

/**
 * Calls that ended and are kept.
 * @param {string} caption
 * @param {boolean} haveFailed
 */
function keptTable(caption, haveFailed) {
  return table(caption, [
    { head: 'Ended', draw: (cell, /** @type {KeptCall} */ row) => fill(cell, String(row.t), () => [moment(row.t)]) },
    { head: 'Took', className: 'number', text: row => duration(row.for) },
    { head: 'Where the time went', draw: (cell, row) => phasesCell(cell, row.phases) },
    { head: 'Status', text: row => row.status },
    ...(haveFailed ? [{ head: 'Error', text: (/** @type {KeptCall} */ row) => row.error ?? '–' }] : []),
    { head: 'Worker', className: 'number', text: row => row.pid ? String(row.pid) : '–' },
    { head: 'Report', draw: (cell, row) => fill(cell, row.report ?? '', () => [row.report ? link(reportHref(row.report), row.report) : '–']) },
    { head: 'Trace', draw: (cell, row) => traceCell(cell, row.trace) },
  ], { key: row => `${row.t} ${row.for} ${row.trace ?? ''}`, empty: haveFailed ? 'No call failed.' : 'No call is kept.' });
}

/**
 * The id of a trace: all of it is selected at once, and as much is shown as there is space for. It leads to the trace where the application says to which address.
 * @param {HTMLTableCellElement} cell
 * @param {string | undefined} trace
 */
export const traceCell = (cell, trace) => fill(cell, trace ?? '', () => {
  if (!trace) {
    return ['–'];
  }

  const id = h('code', { class: 'trace', title: trace }, trace);
  return [hello.traceUrl ? h('a', { href: hello.traceUrl.replace('{traceId}', trace), target: '_blank', rel: 'noopener noreferrer' }, id) : id];
});

/** @param {HTMLTableCellElement} cell @param {Record<string, number>} times */
function phasesCell(cell, times) {
  const drawn = /** @type {HTMLTableCellElement & {weirPhases?: ReturnType<typeof phases>}} */ (cell);
  if (!drawn.weirPhases) {
    drawn.weirPhases = phases();
    cell.replaceChildren(drawn.weirPhases.root);
  }

  drawn.weirPhases.update(times);
}

/** Where the time went: a bar of phases, and the longest of them in words. */
function phases() {
  const parts = phaseNames.map(name => s('rect', { height: 10, class: `phase-${name}` }));
  const root = s('svg', { class: 'phases', viewBox: '0 0 100 10', width: 100, height: 10, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...parts);
  const text = h('span', { class: 'muted' });
  return {
    root: h('span', { class: 'shares' }, root, text),
    /** @param {Record<string, number>} times */
    update(times) {
      const all = phaseNames.map(name => ({ name, time: times[name] ?? 0 }));
      const total = all.reduce((sum, one) => sum + one.time, 0);
      let x = 0;
      all.forEach((one, at) => {
        const width = total > 0 ? 100 * one.time / total : 0;
        set(/** @type {Element} */ (parts[at]), { x: x.toFixed(2), width: width.toFixed(2) });
        x += width;
      });
      const most = all.filter(one => one.time > 0 && one.time >= total / 10).sort((a, b) => b.time - a.time).slice(0, 2);
      say(text, most.map(one => `${one.name} ${percent(one.time, total)}`).join(', ') || '–');
      set(root, { hidden: total === 0 });
    },
  };
}

/** The colours of the phases. */
export const phaseLegend = () => h('p', { class: 'legend muted' }, 'Where the time goes: ', ...phaseNames.map(name => h('span', { class: 'key' }, s('svg', { width: 10, height: 10, 'aria-hidden': 'true' }, s('rect', { width: 10, height: 10, class: `phase-${name}` })), name)));
