// One pool: the lives of its workers over time first, then the workers, its options and its limits.

import { charts, endOf, lives, points, spanOf } from './charts.js';
import { events, hello, poll, send } from './data.js';
import { callTable } from './host.js';
import { actionButton, bytes, confirm, count, duration, facts, fill, h, lane, link, moment, operationHref, say, section, set, symbolOf, table } from './elements.js';
import { failureTable } from './failures.js';
import { workersText } from './now.js';

/** @typedef {import('./data.js').History} History */
/** @typedef {import('./data.js').PoolDetails} PoolDetails */
/** @typedef {import('./data.js').Worker} Worker */
/** @typedef {import('./data.js').WorkerEvent} WorkerEvent */
/** @typedef {import('./data.js').View} View */

const spans = [{ name: '2 min', seconds: 120 }, { name: '5 min', seconds: 300 }, { name: '1 h', seconds: 3_600 }];
const sums = ['succeeded', 'failed', 'rejected', 'started', 'lost'];

// Their lists are long then.
const manyEvents = 500;

// What a person chose stays chosen.
let chosen = 1;

/**
 * @param {string} name
 * @returns {View}
 */
export function poolView(name) {
  const address = encodeURIComponent(name);
  const isLane = name === lane;
  const unit = isLane ? 'threads' : 'workers';
  const head = h('div', { class: 'facts-line' });
  const buttons = spans.map((span, at) => {
    const button = h('button', { type: 'button', 'aria-pressed': at === chosen ? 'true' : 'false' }, span.name);
    button.addEventListener('click', () => {
      chosen = at;
      buttons.forEach((one, index) => set(one, { 'aria-pressed': index === at ? 'true' : 'false' }));
      draw();
    });
    return button;
  });
  const time = charts([
    {
      title: isLane ? 'Threads' : 'Workers', unit: count, lines: [
        { name: unit, className: 'workers', isArea: true, of: point => point.values['workers'] ?? 0 },
        { name: 'busy', className: 'busy', isArea: true, of: point => point.values['busy'] ?? 0 },
        { name: 'maximum', className: 'limit', of: point => point.values['max'] ?? 0 },
      ],
    },
    { title: 'Queue', unit: count, lines: [{ name: 'waiting', className: 'queue', isArea: true, of: point => (point.values['queued'] ?? 0) + (point.values['waiting'] ?? 0) }] },
    {
      title: 'Calls per second', unit: count, lines: [
        { name: 'calls/s', className: 'rate', isArea: true, of: point => (point.values['succeeded'] ?? 0) + (point.values['failed'] ?? 0) },
        { name: 'failed/s', className: 'failures', of: point => (point.values['failed'] ?? 0) + (point.values['rejected'] ?? 0) },
      ],
    },
    { title: 'Oldest wait', unit: duration, lines: [{ name: 'oldest wait', className: 'queue', of: point => point.values['oldest'] ?? 0 }] },
  ], { hasLives: !isLane, empty: 'No history is kept: nothing happened here within the hour, or other pools needed the memory.' });
  const workers = table('Workers', [
    { head: 'Process', text: (/** @type {Worker} */ row) => String(row.pid || '–'), order: row => row.pid },
    { head: 'State', text: row => row.state },
    { head: 'Age', className: 'number', text: row => duration(row.age), order: row => row.age },
    { head: 'Calls', className: 'number', text: row => count(row.calls), order: row => row.calls },
    { head: 'Memory', className: 'number', text: row => bytes(row.memory), order: row => row.memory },
    { head: 'Generation', className: 'number', text: row => count(row.generation) },
    { head: 'Runs', draw: (cell, row) => {
      const first = row.running?.[0];
      fill(cell, first ? `${first.id} ${first.op} ${row.running?.length}` : '', () => first
        ? [`#${first.id} `, link(operationHref(first.op), first.op), (row.running?.length ?? 0) > 1 ? `, +${(row.running?.length ?? 0) - 1}` : null]
        : ['–']);
    } },
    { head: 'For', className: 'number', text: row => duration(row.running?.[0]?.for) },
    ...(hello.mayAct ? [{ head: 'Actions', draw: (/** @type {HTMLTableCellElement} */ cell, /** @type {Worker} */ row) => fill(cell, String(row.serial), () => workerActions(name, row)) }] : []),
  ], { key: row => String(row.serial), empty: 'It has no worker now.' });
  const calls = callTable(`Calls of ${name}`, false);
  const failures = failureTable(`Failed workers of ${name}`, true);
  const options = h('div');
  const limits = h('div');
  const happened = table('Events', [
    { head: 'Time', className: 'time', draw: (cell, /** @type {import('./charts.js').Life & {t: number}} */ row) => fill(cell, String(row.t), () => [moment(row.t)]) },
    { head: 'Process', text: row => String(row.pid || '–') },
    { head: 'What', text: endOf },
    { head: 'Lived', className: 'number', text: row => row.started === undefined ? '–' : duration((row.ended ?? now) - row.started) },
  ], { key: row => String(row.serial), empty: 'No worker has started.' });
  const actions = h('p', { class: 'choices' });
  const missing = h('p', { class: 'notice', hidden: true }, `There is no pool ${name} here.`);
  const workerSection = section('Workers', workers.root);
  const callSection = section('Calls that run and wait', calls.root);
  const optionSection = section('Options in effect', options);
  const limitSection = section('Limits as they are applied', limits);
  const eventSection = section('Worker processes, the newest first', happened.root);

  /** @type {PoolDetails | undefined} */
  let details;
  /** @type {[History | undefined, History | undefined]} */
  const past = [undefined, undefined];
  let [now, began] = [Date.now() / 1_000, 0];
  const one = poll(`pool?of=${address}`, (/** @type {PoolDetails | undefined} */ answer) => { details = answer; }, answer => (answer.events?.length ?? 0) > manyEvents ? 10 : 1);
  const seconds = poll(`history?of=${encodeURIComponent(`pool/${name}`)}&span=2m`, (/** @type {History | undefined} */ answer) => { past[0] = answer; draw(); }, () => 0.8);
  const tens = poll(`history?of=${encodeURIComponent(`pool/${name}`)}&span=1h`, (/** @type {History | undefined} */ answer) => { past[1] = answer; draw(); }, () => 5);

  // What was kept, and what came since, each once.
  function known() {
    /** @type {Map<string, WorkerEvent>} */
    const all = new Map();
    for (const event of [...details?.events ?? [], ...events.filter(event => event.pool === name)]) {
      all.set(`${event.serial} ${event.event}`, event);
    }

    return lives([...all.values()]);
  }

  function draw() {
    const seconds = spans[chosen]?.seconds ?? 300;
    time.update(points(past, sums), known(), spanOf(now, seconds, began));
  }

  return {
    title: name,
    root: h('div', {}, h('h2', { tabindex: -1 }, isLane ? 'Lane' : `Pool ${name}`), missing, head, actions,
      section('Over time', h('div', { class: 'choices', role: 'group', 'aria-label': 'Time shown' }, ...buttons), time.root),
      workerSection, callSection, section('Failed workers', failures.root), eventSection, optionSection, limitSection),
    update(record) {
      [now, began] = [record.t, record.recordingSince];
      one.tick();
      seconds.tick();
      tens.tick();
      const pool = details?.pool ?? record.pools[name];
      missing.hidden = pool !== undefined || record.poolCount > Object.keys(record.pools).length;
      fill(head, JSON.stringify(pool), () => pool ? [facts([
        ['State', `${symbolOf(pool.state)} ${pool.state}${pool.inline ? ', in this process' : ''}`],
        [isLane ? 'Threads' : 'Workers', workersText(pool)],
        ['Minimum–maximum', `${count(pool.min)}–${count(pool.max)}`],
        ['Queue', `${count(pool.queued)} of ${count(pool.queueLimit)}${pool.waiting > 0 ? `, and ${count(pool.waiting)} for capacity` : ''}`],
        ['Oldest', duration(pool.oldest)],
        ['Calls/s', count(pool.rate)],
        ['Failed/s', `${pool.failed > 0 ? '✗ ' : ''}${count(pool.failed)}`],
        ['p95, last minute', duration(pool.p95)],
      ])] : []);
      fill(actions, `${pool?.state} ${details?.workers !== undefined}`, () => hello.mayAct && details?.workers && pool ? poolActions(name, pool.state) : []);
      calls.update(record.calls.list.filter(call => call.pool?.toLowerCase() === name.toLowerCase()));
      failures.update(record.reports.filter(report => report.pool === name));
      workers.update(details?.workers ?? []);
      const values = Object.entries(details?.options ?? {});
      fill(options, JSON.stringify(values), () => [facts(values.map(([option, value]) => [option, /Bytes$/.test(option) && /^\d+$/.test(value) ? bytes(Number(value)) : value]))]);
      const applied = [...new Set((details?.workers ?? []).map(worker => worker.limits).filter(text => text !== undefined))];
      fill(limits, JSON.stringify([details?.isolation, applied]), () => [facts([['Isolation', details?.isolation], ...applied.map(text => /** @type {[string, string]} */ (['Its workers', text]))])]);
      happened.update(isLane ? [] : known().toReversed().slice(0, 100).map(life => ({ ...life, t: life.ended ?? life.ready ?? life.started ?? 0 })));
      callSection.hidden = isLane;
      workerSection.hidden = isLane || pool?.inline === true || !details?.workers;
      optionSection.hidden = values.length === 0;
      limitSection.hidden = !details?.isolation && applied.length === 0;
      eventSection.hidden = isLane;
      say(eventSection.heading, details?.events ? 'Worker processes, the newest first' : 'Worker processes since this page was opened');
      draw();
    },
    close() {
      one.close();
      seconds.close();
      tens.close();
    },
  };
}

/**
 * What a person may do with a pool.
 * @param {string} name
 * @param {string} state
 */
function poolActions(name, state) {
  const act = (/** @type {string} */ verb) => send(`actions/${verb}`, { body: { pool: name } });
  return state === 'draining' ? [] : [
    state === 'paused' ? actionButton('Resume', `Resume ${name}`, () => act('resume')) : actionButton('Pause', `Pause ${name}`, async () => await confirm({
      title: `Pause ${name}?`, text: 'Its calls wait until it is resumed: the bound of its queue and their deadlines hold. What runs continues.', action: 'Pause',
    }) ? act('pause') : undefined),
    actionButton('Reload', `Replace all workers of ${name}`, () => act('reload')),
    actionButton('Drain', `Drain ${name}`, async () => await confirm({
      title: `Drain ${name}?`, text: 'It accepts no more calls until the application is started again: each is rejected. Those that it has are completed.', action: 'Drain', typed: name,
    }) ? act('drain') : undefined),
  ];
}

/**
 * What a person may do with a worker.
 * @param {string} pool
 * @param {Worker} worker
 */
function workerActions(pool, { pid, serial }) {
  const act = (/** @type {string} */ verb) => send(`actions/${verb}`, { body: { pool, pid, serial } });
  return [
    actionButton('Replace', `Replace worker ${pid}`, () => act('replace')),
    actionButton('Kill', `Kill worker ${pid}`, async () => await confirm({
      title: `Kill worker ${pid} of ${pool}?`, text: 'The calls that it runs are lost at once. To replace it without a failed call, use Replace.', action: 'Kill',
    }) ? act('kill') : undefined),
  ];
}
