// This process: the calls in it, its threads, its memory and what it has capacity for.

import { charts, points, spanOf } from './charts.js';
import { hello, poll, send } from './data.js';
import { actionButton, bytes, confirm, count, duration, facts, fill, h, lane, link, operationHref, poolHref, say, section, set, table } from './elements.js';
import { traceCell } from './operations.js';

/** @typedef {import('./data.js').Call} Call */
/** @typedef {import('./data.js').Host} Host */
/** @typedef {import('./data.js').Resource} Resource */
/** @typedef {import('./data.js').History} History */
/** @typedef {import('./data.js').View} View */

/**
 * What people read of a phase: a call that was assigned is with its worker.
 * @param {string} phase
 */
const phaseWord = phase => phase === 'assigned' ? 'worker' : phase;

/**
 * A table of calls that run or wait.
 * @param {string} caption
 * @param {boolean} sorts
 */
export function callTable(caption, sorts) {
  return table(caption, [
    { head: 'Call', draw: (cell, /** @type {Call} */ row) => fill(cell, row.op, () => [`#${row.id} `, link(operationHref(row.op), row.op)]) },
    { head: 'For', className: 'number', text: row => duration(row.for), ...(sorts ? { order: (/** @type {Call} */ row) => row.for } : {}) },
    { head: 'Waited', className: 'number', text: row => duration(row.waited), ...(sorts ? { order: (/** @type {Call} */ row) => row.waited } : {}) },
    { head: 'Phase', draw: (cell, row) => { set(cell, { class: row.cancelled ? 'bad' : null }); say(cell, `${phaseWord(row.phase)}${row.cancelled ? ', ✗ cancelled' : ''}`); } },
    { head: 'Where', draw: (cell, row) => fill(cell, `${row.pool} ${row.pid} ${row.where}`, () => [row.pool ? link(poolHref(row.pool), row.pool) : row.where === 'lane' ? link(poolHref(lane), 'lane') : 'this process', row.pid ? h('span', { class: 'aside' }, String(row.pid)) : null]) },
    ...(hello.showsCallers ? [{ head: 'Caller', text: (/** @type {Call} */ row) => row.caller ?? '–' }] : []),
    { head: 'Trace', draw: (cell, row) => traceCell(cell, row.trace) },
    ...(hello.mayAct ? [{ head: 'Action', draw: cancelCell }] : []),
  ], { key: row => `${row.id} ${row.op}`, empty: 'No call runs.' });
}

/** @param {HTMLTableCellElement} cell @param {Call} call */
function cancelCell(cell, call) {
  fill(cell, `${call.id} ${call.canCancel} ${call.cancelled}`, () => [!call.canCancel || call.cancelled ? '–' : actionButton('Cancel', `Cancel call ${call.id} of ${call.op}`, async () => await confirm({
    title: `Cancel ${call.op} #${call.id}?`,
    text: `It has run for ${duration(call.for)}. Its caller is cut off now${call.pid ? `; if its code ignores that, worker ${call.pid} is killed after CancelGrace` : ''}.`,
    action: 'Cancel the call',
  }) ? send('actions/cancel', { body: { call: call.id } }) : undefined)]);
}

/**
 * Calls that run and wait.
 * @returns {View}
 */
export function callsView() {
  const filter = h('input', { type: 'search', 'aria-label': 'Only calls whose operation, pool or trace has', placeholder: 'Operation, pool or trace' });
  const phase = h('select', { 'aria-label': 'Phase' }, ...['every phase', 'bind', 'filters', 'queue', 'assigned', 'run', 'write'].map(name => h('option', { value: name }, phaseWord(name))));
  const note = h('span', { class: 'muted' });
  const rows = callTable('Calls that run and wait', true);
  /** @type {{running: number, list: Call[]} | undefined} */
  let served;
  const list = poll('calls', (/** @type {{running: number, list: Call[]} | undefined} */ answer) => { served = answer; }, () => 0.8);
  return {
    title: 'Calls',
    root: h('div', {}, h('h2', { tabindex: -1 }, 'Calls that run and wait'), h('div', { class: 'filters' }, filter, phase, note), rows.root),
    update(record) {
      list.tick();
      const all = served ?? record.calls;
      const text = filter.value.trim().toLowerCase();
      const shown = all.list.filter(call => (phase.selectedIndex === 0 || call.phase === phase.value) && `${call.op} ${call.pool ?? ''} ${call.trace ?? ''} #${call.id}`.toLowerCase().includes(text));
      say(note, `${count(all.running)} in all${all.list.length < all.running ? `, of which the ${all.list.length} longest are listed` : ''}${shown.length < all.list.length ? `; ${shown.length} match` : ''}`);
      rows.update(shown);
    },
    close: list.close,
  };
}

/**
 * The process.
 * @returns {View}
 */
export function hostView() {
  const head = h('div');
  const missing = h('p', { class: 'muted', hidden: true }, 'This version of the application serves no more of its process.');
  const capacity = table('Capacity', [
    { head: 'Resource', text: (/** @type {Resource} */ row) => row.name },
    { head: 'Left', draw: (cell, row) => { set(cell, { class: row.isShort ? 'bad' : null }); say(cell, `${row.isShort ? '! ' : ''}${row.left}`); } },
    { head: 'Why', className: 'text', text: row => [row.detail, row.nextStep].filter(Boolean).join('; ') },
  ], { key: row => row.name });
  const capacitySection = section('What the machine has left for workers', capacity.root, h('p', { class: 'muted' }, 'What keeps workers apart here is in the view of each pool; ', h('code', {}, 'weir doctor'), ' tries all of it.'));
  const time = charts([
    { title: 'Threads of the lane', unit: count, lines: [{ name: 'threads', className: 'workers', isArea: true, of: point => point.values['workers'] ?? 0 }, { name: 'busy', className: 'busy', isArea: true, of: point => point.values['busy'] ?? 0 }] },
    { title: 'Queue of the lane', unit: count, lines: [{ name: 'waiting', className: 'queue', isArea: true, of: point => point.values['queued'] ?? 0 }] },
  ], { hasLives: false, empty: 'No history is kept: no call ran on the lane within the hour.' });

  /** @type {Host | undefined} */
  let host;
  let isAsked = false;
  /** @type {History | undefined} */
  let history;
  const one = poll('host', (/** @type {Host | undefined} */ answer) => {
    host = answer;
    isAsked = true;
  }, () => 2);
  const past = poll(`history?of=${encodeURIComponent(`pool/${lane}`)}&span=1h`, (/** @type {History | undefined} */ answer) => { history = answer; }, () => 5);
  return {
    title: 'Host',
    root: h('div', {}, h('h2', { tabindex: -1 }, 'Host'), head, missing, capacitySection, section('The lane, last hour', time.root, h('p', {}, link(poolHref(lane), 'More of the lane')))),
    update(record) {
      one.tick();
      past.tick();
      missing.hidden = !isAsked || host !== undefined;
      const pool = host?.lane ?? record.pools[lane];
      fill(head, JSON.stringify([record.pid, record.calls.running, host, pool, Math.floor(record.t)]), () => [facts([
        ['Process', String(record.pid)],
        ['Recording for', duration(record.t - record.recordingSince)],
        ['Calls that run', count(record.calls.running)],
        ['Processors', host?.processors === undefined ? null : count(host.processors)],
        ['Memory', host?.memory === undefined ? null : bytes(host.memory)],
        ['GC heap', host?.gcHeap === undefined ? null : bytes(host.gcHeap)],
        ['GC pauses', host?.gcPause === undefined ? null : `${count(host.gcPause)} % of the time`],
        ['Thread pool', host?.threadPool === undefined ? null : `${count(host.threadPool.threads)} threads, ${count(host.threadPool.queued)} queued`],
        ['Sockets of the machine', host?.sockets === undefined ? null : `${count(host.sockets.open)} open, ${count(host.sockets.closing)} closing${host.sockets.dropped ? `; ${count(host.sockets.dropped)} connections were dropped before they were accepted, since the machine was started` : ''}`],
        ['Lane', pool ? `${count(pool.busy)} busy of ${count(pool.workers)} threads (${count(pool.min)}–${count(pool.max)}), ${count(pool.queued)} waiting` : null],
      ])]);
      capacity.update(host?.capacity ?? []);
      capacitySection.hidden = !host?.capacity;
      time.update(points([history], ['succeeded', 'failed', 'rejected']), [], spanOf(record.t, 3_600, record.recordingSince));
    },
    close() {
      one.close();
      past.close();
    },
  };
}
