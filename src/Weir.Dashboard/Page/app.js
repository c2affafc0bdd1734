// The page: which view the address names, the connection, the keys, and what is said aloud.

import { follow, hello } from './data.js';
import { clock, duration, h, operationHref, poolHref, reportHref, say, set, symbolOf } from './elements.js';
import { failuresView, isReport, reportView } from './failures.js';
import { callsView, hostView } from './host.js';
import { isJobId, jobHref, jobsView, jobView } from './jobs.js';
import { findingKey, forget, nowView } from './now.js';
import { operationsView, operationView } from './operations.js';
import { poolView } from './pool.js';

/** @typedef {import('./data.js').Snapshot} Snapshot */
/** @typedef {import('./data.js').Finding} Finding */
/** @typedef {import('./data.js').Connection} Connection */
/** @typedef {import('./data.js').Hello} Hello */
/** @typedef {import('./data.js').View} View */

/** @type {Record<string, (name: string) => View>} */
const views = { '': nowView, pool: poolView, operations: operationsView, operation: operationView, calls: callsView, failures: failuresView, report: reportView, host: hostView, jobs: jobsView, job: jobView };

/** Which part of the navigation a view belongs to. */
const parents = new Map([['operation', '#/operations'], ['report', '#/failures'], ['pool', '#/'], ['job', '#/jobs']]);

const [main, application, instance, connection, notice, status, search, names, freeze, theme, help, singleKeys] = [
  'main', 'application', 'instance', 'connection', 'notice', 'status', 'search', 'names', 'freeze', 'theme', 'help', 'single-keys',
].map(id => /** @type {HTMLElement} */ (document.getElementById(id)));
const searchBox = /** @type {HTMLInputElement} */ (search);
const dialog = /** @type {HTMLDialogElement} */ (help);
const keysBox = /** @type {HTMLInputElement} */ (singleKeys);
const links = [...document.querySelectorAll('nav a')];

/** @type {View | undefined} */
let view;
/** @type {Snapshot | undefined} */
let record;
/** @type {Connection} */
let connected = { state: 'connecting', since: Date.now() };
let isFrozen = false;
let missed = '';
/** @type {Map<string, Finding> | undefined} */
let known;
let listed = '';

// ---- the address ----

function open(isFirst = false) {
  const [name = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  view?.close?.();
  const make = Object.hasOwn(views, name) ? views[name] : undefined;
  view = make ? make(decode(rest.join('/'))) : { title: 'Not found', root: h('p', { class: 'notice' }, 'There is no such view. ', h('a', { href: '#/' }, 'Now')), update() { } };
  main?.replaceChildren(view.root);
  const here = parents.get(name) ?? `#/${name}`;
  for (const link of links) {
    set(link, { 'aria-current': link.getAttribute('href') === here ? (parents.has(name) ? 'true' : 'page') : null });
  }

  scrollTo(0, 0);
  if (!isFirst) {
    /** @type {HTMLElement | null} */ (view.root.querySelector('h2'))?.focus();
  }

  show();
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// ---- what is shown ----

function show() {
  if (!record) {
    return;
  }

  view?.update(record);
  const worst = record.findings[0];
  const title = view?.title ? `${view.title} · ${record.application}` : record.application;
  document.title = worst && worst.severity !== 'notice' ? `${symbolOf(worst.severity)} ${worst.sentence} · ${title}` : `${title} · Weir`;
  say(/** @type {Element} */ (application), record.application);
  say(/** @type {Element} */ (instance), `${hello.instance ? `${hello.instance} · ` : ''}pid ${record.pid} · up ${duration(Math.floor(record.t - record.recordingSince)).replace('.0', '')}${hello.version ? ` · Weir ${hello.version}` : ''}`);
}

/** @param {Snapshot} next */
function take(next) {
  if (record && (next.pid !== record.pid || next.application !== record.application || next.recordingSince !== record.recordingSince)) {
    missed = `Since ${clock(next.t)} another process answers: ${next.application}, pid ${next.pid}. Before it was ${record.application === next.application ? '' : `${record.application}, `}pid ${record.pid}. A page shows one process.`;
    stream.restart();
    forget();
    known = undefined;
    record = next;
    open(true);
  }

  if (!isFrozen) {
    record = next;
    announce(next);
    suggest(next);
    show();
  }

  head();
}

// What a person may do, and where links lead, decides what a view has.
/** @param {Hello} next */
function greet(next) {
  const before = JSON.stringify(hello);
  // How many events there were is another number each time.
  Object.assign(hello, { jobs: undefined, traceUrl: undefined, showsCallers: undefined }, next, { events: undefined });
  set(/** @type {Element} */ (document.getElementById('jobs')), { hidden: hello.jobs === undefined });
  if (JSON.stringify(hello) !== before) {
    open(true);
  }
}

// Raised and cleared findings, and nothing else, is read aloud.
/** @param {Snapshot} next */
function announce(next) {
  const now = new Map(next.findings.map(finding => [findingKey(finding), finding]));
  if (known) {
    const before = known;
    const raised = [...now].filter(([key]) => !before.has(key)).map(([, finding]) => `${finding.severity === 'failing' ? 'Calls fail' : finding.severity === 'waiting' ? 'Calls wait' : 'Notice'}: ${finding.sentence}.`);
    const cleared = [...before].filter(([key]) => !now.has(key)).map(([, finding]) => `Cleared: ${finding.sentence}.`);
    if (raised.length + cleared.length > 0) {
      say(/** @type {Element} */ (status), [...raised, ...cleared].join(' '));
    }
  }

  known = now;
}

/** @param {Snapshot} next */
function suggest(next) {
  const all = [...next.reports.map(report => report.id), ...Object.keys(next.pools), ...Object.keys(next.operations)];
  if (listed !== all.join()) {
    listed = all.join();
    names?.replaceChildren(...all.map(value => h('option', { value })));
  }
}

function head() {
  const at = clock(connected.since / 1_000);
  const text = isFrozen ? `❚❚ frozen, ${duration(Math.floor(Date.now() / 1_000 - (record?.t ?? 0))).replace('.0', '')} old`
    : connected.state === 'live' ? '● live'
      : connected.state === 'polled' ? '◐ every few seconds'
        : connected.state === 'paused' ? '○ paused'
          : connected.state === 'lost' ? `✗ no connection since ${at}` : '○ connecting';
  say(/** @type {Element} */ (connection), text);
  set(document.documentElement, { 'data-connection': connected.state, 'data-frozen': isFrozen });
  const lost = connected.state === 'lost' ? `No connection since ${at}${connected.why ? ` (${connected.why})` : ''}: what is shown is from then.` : '';
  const polled = connected.state === 'polled' ? 'The stream of events is refused or held back, because a proxy buffers it or too many people watch: the page asks every few seconds.' : '';
  say(/** @type {Element} */ (notice), [lost, polled, missed].filter(Boolean).join(' '));
  set(/** @type {Element} */ (notice), { hidden: !(lost || polled || missed) });
}

// ---- search, freeze, theme, keys ----

searchBox.form?.addEventListener('submit', async event => {
  event.preventDefault();
  const text = searchBox.value.trim();
  const small = text.toLowerCase();
  if (!text) {
    return;
  }

  const pool = Object.keys(record?.pools ?? {}).find(name => name.toLowerCase() === small);
  const operation = Object.keys(record?.operations ?? {}).find(name => name.toLowerCase() === small);
  const part = Object.keys(record?.pools ?? {}).find(name => name.toLowerCase().includes(small));
  const partOperation = Object.keys(record?.operations ?? {}).find(name => name.toLowerCase().includes(small));
  let href = hello.jobs !== undefined && isJobId(text) ? jobHref(small) : pool ? poolHref(pool) : operation ? operationHref(operation) : undefined;
  try {
    href ??= await isReport(text) ? reportHref(text) : undefined;
  } catch {
    // What shows the connection says why.
  }

  href ??= part ? poolHref(part) : partOperation ? operationHref(partOperation) : /\//.test(text) ? operationHref(text) : undefined;
  if (href) {
    searchBox.value = '';
    searchBox.setCustomValidity('');
    location.hash = href;
  } else {
    searchBox.setCustomValidity(`No report, job, pool or operation here is called ${text}. Each process keeps its own reports.`);
    searchBox.reportValidity();
  }
});
searchBox.addEventListener('input', () => searchBox.setCustomValidity(''));

freeze?.addEventListener('click', () => {
  isFrozen = !isFrozen;
  set(freeze, { 'aria-pressed': isFrozen ? 'true' : 'false' });
  head();
});

const themes = ['auto', 'light', 'dark'];
/** @param {string} name */
function wear(name) {
  set(document.documentElement, { 'data-theme': name === 'auto' ? null : name });
  say(/** @type {Element} */ (theme), `Theme: ${name}`);
  keep('weir-theme', name);
}

theme?.addEventListener('click', () => wear(themes[(themes.indexOf(kept('weir-theme') ?? 'auto') + 1) % themes.length] ?? 'auto'));
wear(themes.find(name => name === kept('weir-theme')) ?? 'auto');
keysBox.checked = kept('weir-keys') !== 'off';
keysBox.addEventListener('change', () => keep('weir-keys', keysBox.checked ? 'on' : 'off'));
document.getElementById('keys')?.addEventListener('click', () => dialog.showModal());
document.getElementById('skip')?.addEventListener('click', () => main?.focus());

// A browser may forbid it.
/** @param {string} name */
function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Then it is forgotten.
  }
}

document.addEventListener('keydown', event => {
  const target = /** @type {HTMLElement} */ (event.target);
  const types = target.matches('input:not([type=checkbox]), select, textarea');
  if (event.key === 'Escape' && target === search) {
    searchBox.value = '';
    searchBox.blur();
  }

  if (types || document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey || (!keysBox.checked && event.key !== '?')) {
    return;
  }

  const at = Number(event.key) - 1;
  if (event.key === '/') {
    searchBox.focus();
  } else if (event.key === 'p') {
    freeze?.click();
  } else if (event.key === 't') {
    theme?.click();
  } else if (event.key === '?') {
    dialog.showModal();
  } else if (links[at]?.hasAttribute('hidden') === false) {
    location.hash = links[at].getAttribute('href') ?? '';
  } else {
    return;
  }

  event.preventDefault();
});

addEventListener('hashchange', () => open());
setInterval(head, 1_000);
head();
open(true);
const stream = follow(take, next => {
  connected = next;
  head();
}, greet);
