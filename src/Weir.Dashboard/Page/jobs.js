// Jobs: their kinds, why they failed, those of a filter, schedules, and one job with its attempts; and what operators do with them. A client of the jobs' admin API, under the policy of that API.

import { ask, hello, poll, send } from './data.js';
import { actionButton, bar, confirm, count, counted, duration, facts, fill, h, link, moment, operationHref, reportHref, say, section, set, table } from './elements.js';

/** @typedef {import('./data.js').View} View */
/** @typedef {import('./data.js').Snapshot} Snapshot */
/** @typedef {{status: number, text: string}} Outcome */
/** @typedef {{title?: string, detail?: string, code?: string, report?: string, errors?: Record<string, string[]>}} Problem */
/** @typedef {{id: string, kind: string, state: string, reason: string | null, stopping: string | null, attempt: number, attempts: number, submitted: string, due: string, started: string | null, ended: string | null, expires: string | null, progress: {fraction: number, text: string | null} | null, items: number, key: string | null, priority: string, parent: string | null, problem: Problem | null, error?: string | null, links: {items: string | null}}} Job */
/** @typedef {{jobs: Job[], before: string | null}} Page */
/** @typedef {{fence: number, started: string, ended: string, outcome: string, arguments: unknown, exceptionType: string | null, message: string | null, stackTrace: string | null, reportId: string | null, report: string | null}} Attempt */
/** @typedef {{name: string, isPaused: boolean, running: number}} Kind */
/** @typedef {{kind: string, state: string, count: number}} Count */
/** @typedef {{name: string, kind: string, cron: string, timeZone: string, next: string | null, lastDue: string | null, lastJob: string | null, isPaused: boolean, isDeclared: boolean, error: string | null}} Schedule */
/** @typedef {{name: string, kind?: Kind | undefined, counts: Map<string, number>, figures?: import('./data.js').JobKind | undefined}} KindRow */

const states = ['scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled', 'expired'];
const open = ['scheduled', 'ready', 'running'];
const canRetry = ['failed', 'cancelled', 'expired'];

// The store counts no further, and no more are changed at once.
const mostCounted = 10_000;
const pageSize = 100;
const mostArguments = 64 * 1024;

/** @param {string} id */
export const jobHref = id => `#/job/${encodeURIComponent(id)}`;

/** @param {string} text */
export const isJobId = text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** @param {Record<string, string>} filter */
const jobsHref = filter => `#/jobs/${queryOf(filter)}`;

/** @param {Record<string, string | number | undefined>} values those that are empty are left out */
const queryOf = values => new URLSearchParams(Object.entries(values).flatMap(([name, value]) => value ? [[name, String(value)]] : [])).toString();

/** @param {string} name of a kind or a schedule, whose slashes are parts of the address */
const pathOf = name => name.split('/').map(encodeURIComponent).join('/');

/** @param {string | null} time */
const seconds = time => time === null ? undefined : Date.parse(time) / 1_000;

/** @param {string | null} time */
const when = time => time === null ? null : moment(Date.parse(time) / 1_000);

/** @param {number} value */
const capped = value => value > mostCounted ? `${count(mostCounted)}+` : count(value);

/** @param {string} state */
const symbolOf = state => state === 'failed' ? '✗' : state === 'succeeded' ? '✓' : state === 'running' ? '▸' : state === 'expired' ? '!' : state === 'cancelled' ? '–' : '·';

/** @param {string} state */
const classOf = state => `state ${state === 'failed' ? 'failing' : state === 'expired' ? 'waiting' : state === 'succeeded' || state === 'running' ? 'busy' : 'idle'}`;

/** @param {Job} job */
const stateText = job => `${job.state}${job.reason ? `: ${job.reason}` : ''}${job.stopping ? `, stopping (${job.stopping})` : ''}`;

/** @param {Job} job */
const attemptText = job => job.attempts > 0 ? `${count(job.attempt)} of ${count(job.attempts)}` : count(job.attempt);

/** What went wrong, in one line and without the job's own id: alike for jobs that fail alike. @param {Job} job */
const causeOf = job => (job.error ?? job.problem?.detail ?? job.reason ?? '').replaceAll(job.id, '…');

/**
 * JSON on lines. It is not parsed: a large number would become another one.
 * @param {string} json
 */
export function indented(json) {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+/g, part => {
    depth += part === '{' || part === '[' ? 1 : part === '}' || part === ']' ? -1 : 0;
    return part[0] === '"' ? part : part === ':' ? ': ' : part === '}' || part === ']' ? line() + part : part.trim() && part + line();
  }).replace(/([{[])\n\s*([}\]])/g, '$1$2');
}

/** @param {Job} job @param {number} now */
function took(job, now) {
  const started = seconds(job.started);
  return started === undefined || open.slice(0, 2).includes(job.state) ? undefined : Math.max(0, (seconds(job.ended) ?? now) - started);
}

/**
 * Polls an address of the API, which may change.
 * @template T
 * @param {(answer: T | undefined) => void} take
 * @param {number} pause in seconds
 * @param {(why: string) => void} [refused] gets an empty text when it was answered
 */
function asking(take, pause, refused) {
  /** @type {ReturnType<typeof poll> | undefined} */
  let current;
  return {
    /** @param {string} address */
    go(address) {
      current?.close();
      current = poll(`${hello.jobs}${address}`, (/** @type {T | undefined} */ answer) => {
        refused?.('');
        take(answer);
      }, () => pause, error => refused?.(/^40[13]/.test(error.message) ? 'The policy of MapWeirJobsAdmin does not let this user in.' : `The admin API of jobs did not answer: ${error.message}`));
      current.tick();
    },
    tick: () => current?.tick(),
    close: () => current?.close(),
  };
}

/** Why there is nothing to see. */
function notice() {
  const root = h('p', { class: 'notice', hidden: hello.jobs !== undefined }, hello.jobs === undefined ? 'This application does not serve the admin API of jobs: it needs AddWeirJobs and MapWeirJobsAdmin.' : '');
  return {
    root,
    /** @param {string} text */
    show(text) {
      say(root, text);
      root.hidden = !text;
    },
  };
}

/**
 * Sends what changes something.
 * @template T
 * @param {string} address below the API
 * @param {string} failed what a person reads where it was not done, before the reason
 * @param {(answer: T) => string} done what a person reads
 * @param {{method?: string, body?: unknown}} [options]
 * @returns {Promise<Outcome>}
 */
async function act(address, failed, done, options) {
  const { status, text } = await send(`${hello.jobs}${address}`, options);
  return {
    status,
    text: status >= 200 && status < 300 ? done(text ? JSON.parse(text) : undefined)
      : `${failed} ${status === 401 || status === 403 ? 'The policy of MapWeirJobsAdmin does not let this user do it.' : status === 405 ? 'It needs MapWeirJobs at the path of MapWeirJobsAdmin.' : problemText(text)}`,
  };
}

/** @param {string} text of an answer */
function problemText(text) {
  try {
    const problem = /** @type {Problem} */ (JSON.parse(text));
    return [problem.detail ?? problem.title ?? '', ...Object.entries(problem.errors ?? {}).map(([name, errors]) => `${name}: ${errors.join('; ')}`)].join('\n');
  } catch {
    return text.slice(0, 500) || 'No reason was given.';
  }
}

/**
 * Buttons that change with what they act on. When they change under the focus, it stays beside them.
 * @param {HTMLElement} place
 * @param {string} key
 * @param {() => (HTMLElement | null)[]} make
 */
function buttons(place, key, make) {
  const had = place.contains(document.activeElement);
  fill(place, key, make);
  if (had && !place.contains(document.activeElement)) {
    /** @type {HTMLElement | null | undefined} */ (place.querySelector('button') ?? place.parentElement?.querySelector('a'))?.focus();
  }
}

/**
 * Begins a job again.
 * @param {Job} job
 * @param {(id: string) => void} begun gets the id of the one that runs
 */
const retry = (job, begun) => act(`/${job.id}/retry?state=${job.state}`, `${job.id} was not begun again.`, (/** @type {Job} */ now) => {
  begun(now.id);
  return now.id === job.id ? `${job.id} is begun again.` : `${job.id} had succeeded: ${now.id} is a new job with its arguments.`;
});

/**
 * Cancels a job, after a question.
 * @param {Job} job
 * @param {() => void} asked
 */
async function cancel(job, asked) {
  if (await confirm({ title: `Cancel ${job.kind}?`, text: `${job.id} ${job.state === 'running' ? 'runs: its token fires, and it ends when its code has ended. Isolated code is killed after its grace.' : 'has not begun, and will not.'}`, action: 'Cancel the job' })) {
    const outcome = await act(`/${job.id}/cancel?state=${job.state}`, `${job.id} was not cancelled.`, (/** @type {Job} */ now) => now.state === 'cancelled' ? `${job.id} is cancelled.` : open.includes(now.state) ? `${job.id} is to stop; its code still runs.` : `${job.id} had ended before: ${stateText(now)}.`);
    asked();
    return outcome;
  }

  return undefined;
}

// ---- all jobs ----

/**
 * Kinds, failures, jobs and schedules.
 * @returns {View}
 */
export function jobsView() {
  const asked = new URLSearchParams(location.hash.split('/').slice(2).join('/'));
  const filter = { kind: asked.get('kind') ?? '', state: states.find(state => state === asked.get('state')) ?? '', key: asked.get('key') ?? '' };
  const wrong = notice();
  const head = h('div');

  /** @type {Kind[]} */
  let kinds = [];
  /** @type {Count[] | undefined} */
  let counts;
  /** @type {Page | undefined} */
  let page;
  /** @type {string[]} */
  const pages = [];
  let now = 0;
  /** @type {Snapshot | undefined} */
  let last;

  const allKinds = asking((/** @type {{kinds: Kind[]} | undefined} */ answer) => { kinds = answer?.kinds ?? []; draw(); }, 3, why => {
    wrong.show(why);
    body.hidden = why !== '' && kinds.length === 0;
  });
  const allCounts = asking((/** @type {{counts: Count[]} | undefined} */ answer) => { counts = answer?.counts ?? []; draw(); }, 5);
  const list = asking((/** @type {Page | undefined} */ answer) => { page = answer ?? { jobs: [], before: null }; draw(); }, 3);
  const allFailed = asking((/** @type {Page | undefined} */ answer) => { failed(answer?.jobs ?? []); }, 10);
  const allSchedules = asking((/** @type {{schedules: Schedule[]} | undefined} */ answer) => {
    schedules.update(answer?.schedules ?? []);
    scheduleSection.hidden = !answer?.schedules.length;
  }, 10);
  const all = [allKinds, allCounts, list, allFailed, allSchedules];

  // ---- kinds ----

  /** @param {string} head @param {(row: KindRow) => number | undefined} of @param {(value: number | undefined) => string} [unit] */
  const number = (head, of, unit) => ({ head, className: 'number', order: of, text: (/** @type {KindRow} */ row) => unit ? unit(of(row)) : of(row) === undefined ? '–' : capped(of(row) ?? 0) });
  /** @param {string} head @param {string[]} of */
  const countOf = (head, ...of) => number(head, row => counts && of.reduce((sum, state) => sum + (row.counts.get(state) ?? 0), 0));
  const kindTable = table('Kinds of jobs', [
    { head: 'Kind', draw: (cell, /** @type {KindRow} */ row) => fill(cell, row.name, () => [chooser({ kind: row.name }, row.name)]) },
    { head: 'State', draw: (cell, row) => { set(cell, { class: row.kind?.isPaused ? 'attention' : 'word' }); say(cell, row.kind ? row.kind.isPaused ? '‖ paused' : 'open' : 'of other processes'); } },
    countOf('Scheduled', 'scheduled'),
    countOf('Ready', 'ready'),
    countOf('Running', 'running'),
    number('Here', row => row.kind?.running, count),
    { ...countOf('Failed', 'failed'), draw: (cell, row) => {
      const failures = row.counts.get('failed') ?? 0;
      set(cell, { class: failures > 0 ? 'number bad' : 'number' });
      fill(cell, String(counts && failures), () => [counts ? failures > 0 ? chooser({ kind: row.name, state: 'failed' }, `✗ ${capped(failures)}`, `${capped(failures)} failed jobs of ${row.name}`) : '0' : '–']);
    } },
    countOf('Succeeded', 'succeeded'),
    countOf('Other ends', 'cancelled', 'expired'),
    number('Ended/s', row => row.figures?.rate, count),
    number('p50', row => row.figures?.p50, duration),
    number('p99', row => row.figures?.p99, duration),
    { head: 'Action', draw: (cell, row) => buttons(cell, String(row.kind?.isPaused), () => [
      !row.kind ? null : row.kind.isPaused ? actionButton('Resume', `Resume ${row.name}`, () => pause(row.name, 'resume')) : actionButton('Pause', `Pause ${row.name}`, async () => await confirm({
        title: `Pause ${row.name}?`, text: 'No job of this kind starts until it is resumed, in no process of the store, also after a restart. Jobs are still accepted; those that run continue.', action: 'Pause',
      }) ? pause(row.name, 'pause') : undefined)]) },
  ], { key: row => row.name, className: 'cards', empty: 'No operation of this application is a job.' });

  /** @param {string} kind @param {'pause' | 'resume'} action */
  const pause = (kind, action) => act(`/kinds/${pathOf(kind)}/${action}`, `${kind} was not changed.`, (/** @type {Kind} */ now) => {
    kinds = kinds.map(one => one.name === now.name ? now : one);
    draw();
    return `${now.name} is ${now.isPaused ? 'paused' : 'not paused any more'}.`;
  });

  // ---- failed jobs ----

  /** @typedef {{kind: string, reason: string, cause: string, times: number, last: Job}} Group */
  const causes = table('Failed jobs by kind and cause', [
    { head: 'Kind', draw: (cell, /** @type {Group} */ row) => fill(cell, row.kind, () => [chooser({ kind: row.kind, state: 'failed' }, row.kind)]) },
    { head: 'Reason', draw: (cell, row) => { set(cell, { class: 'bad' }); say(cell, `✗ ${row.reason}`); } },
    { head: 'Cause', className: 'text', text: row => row.cause },
    { head: 'Times', className: 'number', text: row => count(row.times), order: row => row.times },
    { head: 'Last', draw: (cell, row) => fill(cell, row.last.id, () => [jobLink(row.last.id), ' ', when(row.last.ended)]) },
  ], { key: row => JSON.stringify([row.kind, row.reason, row.cause]) });
  const causeSection = section('Failed jobs by cause', causes.root);
  causeSection.hidden = true;

  /** @param {Job[]} jobs */
  function failed(jobs) {
    const groups = [...Map.groupBy(jobs, job => JSON.stringify([job.kind, job.reason, causeOf(job)])).values()];
    causes.update(groups.flatMap(group => group[0] ? [{ kind: group[0].kind, reason: group[0].reason ?? 'failed', cause: causeOf(group[0]), times: group.length, last: group[0] }] : []).sort((a, b) => b.times - a.times));
    say(causeSection.heading, `Failed jobs by cause${jobs.length === pageSize ? `, the last ${pageSize}` : ''}`);
    causeSection.hidden = jobs.length === 0;
  }

  // ---- the list ----

  const tabs = ['', ...states].map(state => {
    const tab = h('button', { type: 'button' });
    tab.addEventListener('click', () => choose({ state }));
    return { state, tab };
  });
  const kindBox = h('select', { 'aria-label': 'Kind' });
  kindBox.addEventListener('change', () => choose({ kind: kindBox.value }));
  const keyBox = h('input', { type: 'search', 'aria-label': 'Only jobs with this key', placeholder: 'Key', value: filter.key });
  keyBox.addEventListener('change', () => choose({ key: keyBox.value.trim() }));
  const idBox = h('input', { type: 'search', 'aria-label': 'Id of a job', placeholder: 'Id of a job', autocomplete: 'off', spellcheck: 'false' });
  const idForm = h('form', { class: 'inline' }, idBox, h('button', {}, 'Open'));
  idBox.addEventListener('input', () => idBox.setCustomValidity(''));
  idForm.addEventListener('submit', event => {
    event.preventDefault();
    const id = idBox.value.trim();
    if (isJobId(id)) {
      location.hash = jobHref(id.toLowerCase());
    } else if (id) {
      idBox.setCustomValidity('An id has 36 characters, such as 01a21fc8-b399-76a9-bfbc-d2c0f613e375.');
      idBox.reportValidity();
    }
  });
  const bulk = h('span', { class: 'choices' });
  const rows = table('Jobs', [
    { head: 'Job', draw: (cell, /** @type {Job} */ row) => fill(cell, row.id, () => [jobLink(row.id)]) },
    { head: 'Kind', text: row => row.kind },
    { head: 'State', draw: (cell, row) => fill(cell, stateText(row), () => [h('span', { class: classOf(row.state) }, symbolOf(row.state)), ' ', stateText(row)]) },
    { head: 'Attempt', className: 'number', text: attemptText },
    { head: 'Submitted', draw: (cell, row) => fill(cell, row.submitted, () => [when(row.submitted)]) },
    { head: 'Took', className: 'number', text: row => duration(took(row, now)) },
    { head: 'Key', text: row => row.key ?? '–' },
    { head: 'Progress, error', className: 'text', draw: progressCell },
    { head: 'Action', draw: (cell, row) => buttons(cell, row.state, () => [
      canRetry.includes(row.state) ? actionButton('Retry', `Retry ${row.id}`, () => retry(row, refresh)) : open.includes(row.state) ? actionButton('Cancel', `Cancel ${row.id}`, () => cancel(row, refresh)) : null]) },
  ], { key: row => row.id, empty: 'No job matches.' });
  const older = h('button', { type: 'button' }, 'Older');
  const newer = h('button', { type: 'button' }, 'Newer');
  older.addEventListener('click', () => turn(page?.before));
  newer.addEventListener('click', () => turn());
  const note = h('span', { class: 'muted' });
  const listSection = section('Jobs, the last submitted first', h('div', { class: 'choices', role: 'group', 'aria-label': 'State' }, ...tabs.map(one => one.tab)), h('div', { class: 'filters' }, kindBox, keyBox, idForm, bulk), rows.root, h('div', { class: 'filters pages' }, newer, older, note));

  listSection.heading.tabIndex = -1;

  /** @param {HTMLTableCellElement} cell @param {Job} row */
  function progressCell(cell, row) {
    const isWaiting = row.state === 'scheduled';
    fill(cell, JSON.stringify([row.state, row.due, row.progress, row.error]), () => row.state === 'running' && row.progress ? progress(row.progress)
      : [isWaiting ? 'due ' : null, isWaiting ? when(row.due) : null, isWaiting && causeOf(row) ? ': ' : null, row.state === 'succeeded' ? null : causeOf(row)]);
  }

  /** @param {string | null} [before] of the next page; of the one before without it */
  function turn(before) {
    if (before) {
      pages.push(before);
    } else {
      pages.pop();
    }

    refresh();
  }

  function refresh() {
    list.go(`?${queryOf({ ...filter, limit: pageSize, before: pages.at(-1) })}`);
  }

  /** @param {Partial<typeof filter>} change */
  function choose(change) {
    Object.assign(filter, change);
    keyBox.value = filter.key;
    pages.length = 0;
    page = undefined;
    history.replaceState(null, '', jobsHref(filter));
    draw();
    refresh();
  }

  /**
   * A link to jobs of this view.
   * @param {Partial<typeof filter>} wanted
   * @param {string} text
   * @param {string} [name]
   */
  function chooser(wanted, text, name) {
    const made = link(jobsHref(wanted), text, name);
    made.addEventListener('click', event => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        choose({ kind: '', state: '', key: '', ...wanted });
        listSection.heading.focus();
      }
    });
    return made;
  }

  /**
   * Changes all jobs of the filter, in the application.
   * @param {'retry' | 'cancel'} verb
   * @returns {Promise<Outcome | undefined>}
   */
  async function change(verb) {
    const body = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
    let expected = 0;
    try {
      expected = (await ask(`${hello.jobs}/matching?${queryOf(body)}`))?.count ?? 0;
    } catch (error) {
      return { status: 0, text: `How many match is not known. ${error instanceof Error ? error.message : error}` };
    }

    if (expected === 0 || expected > mostCounted) {
      return { status: 0, text: expected === 0 ? 'No job matches.' : `More than ${count(mostCounted)} jobs match, and no more are changed at once: choose a kind or a key.` };
    }

    const many = counted(expected, 'job', 'jobs');
    const which = `${many} ${filter.kind ? `of ${filter.kind}` : 'of every kind'} ${filter.key ? `with the key ${filter.key} ` : ''}that ${expected === 1 ? 'is' : 'are'} ${filter.state} now`;
    if (!await confirm({ title: `${verb === 'retry' ? 'Retry' : 'Cancel'} ${many}?`, text: `${verb === 'retry' ? 'Begins' : 'Cancels'} ${which}${verb === 'retry' ? ' again' : ''}.`, action: verb === 'retry' ? 'Retry all' : 'Cancel all', typed: String(expected) })) {
      return undefined;
    }

    const outcome = await act(`/${verb}`, 'No job was changed.', (/** @type {{changed: number}} */ { changed }) => `${count(changed)} of ${many} ${changed === 1 ? 'is' : 'are'} ${verb === 'retry' ? 'begun again' : 'cancelled, or asked to stop'}.`, { body: { ...body, expected } });
    refresh();
    return outcome;
  }

  // ---- schedules ----

  const schedules = table('Schedules', [
    { head: 'Schedule', draw: (cell, /** @type {Schedule} */ row) => fill(cell, row.name, () => [row.name]) },
    { head: 'State', draw: (cell, row) => { set(cell, { class: row.error ? 'text bad' : row.isPaused || !row.isDeclared ? 'attention' : 'word' }); say(cell, row.error ? `✗ ${row.error}` : !row.isDeclared ? '! not declared now' : row.isPaused ? '‖ paused' : 'on'); } },
    { head: 'When', text: row => `${row.cron} (${row.timeZone})` },
    ...(/** @type {const} */ (['next', 'lastDue'])).map(member => ({ head: member === 'next' ? 'Next' : 'Last', draw: (/** @type {HTMLTableCellElement} */ cell, /** @type {Schedule} */ row) => fill(cell, row[member] ?? '', () => [when(row[member]) ?? '–']) })),
    { head: 'Last job', draw: (cell, row) => fill(cell, row.lastJob ?? '', () => [row.lastJob ? jobLink(row.lastJob) : '–']) },
    { head: 'Action', draw: (cell, row) => buttons(cell, `${row.isPaused} ${row.isDeclared}`, () => [
      row.isPaused ? actionButton('Resume', `Resume the schedule ${row.name}`, () => schedule(row, 'resume')) : actionButton('Pause', `Pause the schedule ${row.name}`, () => schedule(row, 'pause')),
      row.isDeclared ? actionButton('Run now', `Run now: the schedule ${row.name}`, () => schedule(row, 'run')) : null]) },
  ], { key: row => row.name, className: 'cards' });
  const scheduleSection = section('Schedules', schedules.root);
  scheduleSection.hidden = true;

  /** @param {Schedule} row @param {'pause' | 'resume' | 'run'} action */
  async function schedule(row, action) {
    const [title, text] = action === 'run' ? [`Run ${row.name} now?`, 'Submits one job, besides those that are due by its times.']
      : action === 'pause' ? [`Pause ${row.name}?`, 'It makes no job until it is resumed.'] : [`Resume ${row.name}?`, 'It makes jobs again. Times that have passed are handled by its rule for missed ones.'];
    if (!await confirm({ title, text, action: action === 'run' ? 'Run now' : action === 'pause' ? 'Pause' : 'Resume' })) {
      return undefined;
    }

    const outcome = await act(`/schedules/${pathOf(row.name)}/${action}`, `${row.name} was not changed.`, (/** @type {{id?: string}} */ { id }) => id ? `${id} was submitted.` : `${row.name} is ${action === 'pause' ? 'paused' : 'not paused any more'}.`);
    allSchedules.go('/schedules');
    refresh();
    return outcome;
  }

  // ---- what is shown ----

  function draw() {
    const names = [...new Set([...kinds.map(kind => kind.name), ...(counts ?? []).map(one => one.kind)])].sort();
    kindTable.update(names.map(name => ({
      name,
      kind: kinds.find(kind => kind.name === name),
      counts: new Map((counts ?? []).filter(one => one.kind === name).map(one => [one.state, one.count])),
      figures: last?.jobs?.kinds[name],
    })));
    fill(kindBox, JSON.stringify([names, filter.kind]), () => ['', ...new Set([...names, ...(filter.kind ? [filter.kind] : [])])].map(name => h('option', { value: name, selected: name === filter.kind }, name || 'every kind')));
    for (const { state, tab } of tabs) {
      const total = (counts ?? []).filter(one => (!filter.kind || one.kind === filter.kind) && (!state || one.state === state)).reduce((sum, one) => sum + one.count, 0);
      say(tab, `${state || 'all'}${counts && !filter.key ? ` ${capped(total)}` : ''}`);
      set(tab, { 'aria-pressed': state === filter.state ? 'true' : 'false' });
    }

    fill(bulk, filter.state, () => [canRetry.includes(filter.state) ? actionButton('Retry all', 'Retry all jobs of this filter', () => change('retry')) : open.includes(filter.state) ? actionButton('Cancel all', 'Cancel all jobs of this filter', () => change('cancel')) : null]);
    rows.update(page?.jobs ?? []);
    older.hidden = !page?.before;
    newer.hidden = pages.length === 0;
    const shown = page?.jobs.length ?? 0;
    say(note, page ? `${counted(shown, 'job', 'jobs')}${pages.length > 0 ? `, page ${pages.length + 1}` : ''}` : '');
  }

  const body = h('div', { hidden: true }, head, section('Kinds', kindTable.root), causeSection, listSection, scheduleSection);
  if (hello.jobs !== undefined) {
    allKinds.go('/kinds');
    allCounts.go('/counts');
    allFailed.go(`?state=failed&limit=${pageSize}`);
    allSchedules.go('/schedules');
    refresh();
  }

  return {
    title: 'Jobs',
    root: h('div', {}, h('h2', { tabindex: -1 }, 'Jobs'), wrong.root, body),
    update(record) {
      now = record.t;
      last = record;
      all.forEach(one => one.tick());
      const jobs = record.jobs;
      fill(head, JSON.stringify(jobs && { ...jobs, kinds: null }), () => jobs ? [facts([
        ['Waiting', jobs.waiting === undefined ? null : `${count(jobs.waiting)}${jobs.oldest === undefined ? '' : `, the oldest ${duration(jobs.oldest)}`}`],
        ['Running in this process', count(jobs.running)],
        ['Ended/s', count(jobs.rate)],
        ['Failed, last minute', `${jobs.failed > 0 ? '✗ ' : ''}${count(jobs.failed)}`],
        ['Paused', jobs.paused.join(', ')],
      ])] : []);
      draw();
    },
    close: () => all.forEach(one => one.close()),
  };
}

/** A link to a job. The end of an id differs where its beginning, which is a time, does not. @param {string} id */
const jobLink = id => h('a', { href: jobHref(id), title: id, 'aria-label': id }, h('code', {}, `…${id.slice(-12)}`));

/** @param {{fraction: number, text: string | null}} now */
function progress(now) {
  const part = bar('busy');
  part.update(now.fraction);
  return [h('span', { class: 'barred' }, part.root, `${Math.round(100 * now.fraction)} %${now.text ? `: ${now.text}` : ''}`)];
}

// ---- one job ----

/**
 * One job.
 * @param {string} id
 * @returns {View}
 */
export function jobView(id) {
  const wrong = notice();
  const heading = h('h2', { tabindex: -1 }, `Job ${id}`);
  const actions = h('div', { class: 'choices' });
  const head = h('div');
  const tries = h('div');
  const shownArguments = h('div');
  const body = h('div', { hidden: true }, actions, head, h('div', { class: 'body' }, section('Attempts that ended without success, the last first', tries), section('Arguments', shownArguments)));

  /** @type {Job | undefined} */
  let job;
  /** @type {Attempt[] | undefined} */
  let attempts;
  let now = 0;
  let known = '';
  const one = asking((/** @type {Job | undefined} */ answer) => { job = answer; take(); }, 2, wrong.show);
  const allAttempts = asking((/** @type {{attempts: Attempt[]} | undefined} */ answer) => { attempts = answer?.attempts ?? []; draw(); }, 3_600);
  hide();
  if (!isJobId(id)) {
    take();
  } else if (hello.jobs !== undefined) {
    refresh();
  }

  function take() {
    body.hidden = job === undefined;
    if (!job) {
      wrong.show(`There is no job ${id}: it was deleted after its retention, or never existed.`);
      return;
    }

    // Attempts have stacks and reports: they are read when there may be another one.
    const state = JSON.stringify([job.state, job.attempt, job.due, job.ended]);
    if (state !== known) {
      known = state;
      allAttempts.go(`/${id}/attempts`);
    }

    draw();
  }

  function refresh() {
    known = '';
    one.go(`/${id}/state`);
  }

  function hide() {
    fill(shownArguments, '', () => [h('p', { class: 'muted' }, 'They may be secret, and are asked for only when they are to be seen.'), actionButton('Show the arguments', 'Show the arguments', async () => { await show(); return undefined; })]);
  }

  async function show() {
    const found = await argumentsOf(id);
    fill(shownArguments, found.text, () => [
      found.isCut ? h('p', { class: 'notice' }, 'These are the first 64 KB. weir jobs show URL ID --arguments prints all of them.') : null,
      h('pre', { tabindex: 0, 'aria-label': 'Arguments' }, found.text),
      ...(attempts ?? []).filter(attempt => attempt.outcome === 'edited').map(attempt => h('details', {}, h('summary', {}, 'Before they were changed at ', when(attempt.ended)), h('pre', { tabindex: 0, 'aria-label': 'Arguments before' }, JSON.stringify(attempt.arguments, null, 2).slice(0, mostArguments)))),
    ]);
  }

  /** @param {Job} of */
  const again = of => retry(of, begun => {
    if (begun === id) {
      refresh();
    } else {
      location.hash = jobHref(begun);
    }
  });

  /** @param {Job} of */
  async function edit(of) {
    const found = await argumentsOf(id);
    if (found.isCut || found.isWrong) {
      return { status: 0, text: found.isCut ? 'The arguments have more than 64 KB: edit them in a file, with weir jobs retry URL ID --edit FILE.' : found.text };
    }

    return editing(`Arguments of ${of.kind}`, found.text, async text => {
      const edited = await act(`/${id}/arguments?state=${of.state}`, 'They were not changed.', () => '', { method: 'PUT', body: text });
      if (edited.text) {
        return edited;
      }

      hide();
      return again(of);
    });
  }

  /** @param {Job} of */
  const remove = async of => await confirm({ title: `Delete ${of.kind}?`, text: `${id} is deleted with its result, its items and its attempts. That cannot be undone.`, action: 'Delete' })
    ? act(`/${id}?state=${of.state}`, `${id} was not deleted.`, () => {
      location.hash = jobsHref({ kind: of.kind });
      return `${id} is deleted.`;
    }, { method: 'DELETE' }) : undefined;

  function draw() {
    if (!job) {
      return;
    }

    const shown = job;
    const named = (/** @type {string} */ text, /** @type {() => Promise<Outcome | undefined>} */ run) => actionButton(text, `${text}: job ${id}`, run);
    say(heading, `Job of ${shown.kind}`);
    buttons(actions, shown.state, () => [
      shown.state === 'running' ? null : named(shown.state === 'succeeded' ? 'Run once more' : open.includes(shown.state) ? 'Start now' : 'Retry', () => again(shown)),
      shown.state === 'running' || shown.state === 'succeeded' ? null : named('Edit arguments and retry', () => edit(shown)),
      open.includes(shown.state) ? named('Cancel', () => cancel(shown, refresh)) : named('Delete', () => remove(shown)),
    ]);
    fill(head, JSON.stringify([shown, Math.floor(took(shown, now) ?? 0)]), () => [
      h('p', { class: 'cause' }, h('span', { class: `badge ${shown.state === 'failed' ? 'failing' : ''}` }, `${symbolOf(shown.state)} ${stateText(shown)}`), ' ', shown.state === 'succeeded' ? null : h('strong', {}, causeOf(shown))),
      facts([
        ['Id', h('code', {}, shown.id)],
        ['Kind', link(operationHref(shown.kind), shown.kind)],
        ['Attempt', attemptText(shown)],
        ['Progress', shown.progress ? progress(shown.progress)[0] : null],
        ['Submitted', when(shown.submitted)],
        ['Due', Date.parse(shown.due) - Date.parse(shown.submitted) > 1_000 ? when(shown.due) : null],
        ['Started', when(shown.started)],
        ['Ended', when(shown.ended)],
        ['Took', took(shown, now) === undefined ? null : duration(took(shown, now))],
        ['Expires', when(shown.expires)],
        ['Items', shown.items > 0 ? count(shown.items) : null],
        ['Key', shown.key ? link(jobsHref({ kind: shown.kind, key: shown.key }), shown.key) : null],
        ['Priority', shown.priority === 'normal' ? null : shown.priority],
        ['Parent', shown.parent ? jobLink(shown.parent) : null],
        ['Crash report', shown.problem?.report ? link(reportHref(shown.problem.report), shown.problem.report) : null],
        ['What a caller gets', shown.state === 'succeeded' ? h('a', { href: `${hello.jobs}/${shown.id}/result` }, 'Result') : null],
        ['Stream', shown.links.items ? h('a', { href: `${hello.jobs}/${shown.id}/items` }, 'Items') : null],
      ]),
      shown.problem?.detail ? h('p', { class: 'muted' }, `Its callers get ${shown.problem.code ?? 'a problem'}: ${shown.problem.detail}`) : null,
    ]);
    fill(tries, JSON.stringify(attempts?.map(attempt => [attempt.fence, attempt.outcome, attempt.ended])), () => attempts && attempts.length > 0 ? attempts.toReversed().map(attemptPart) : [h('p', { class: 'muted' }, attempts ? 'None.' : 'They are read.')]);
  }

  return {
    title: `Job ${id.slice(-12)}`,
    root: h('div', {}, heading, wrong.root, body),
    update(record) {
      now = record.t;
      one.tick();
      allAttempts.tick();
      draw();
    },
    close() {
      one.close();
      allAttempts.close();
    },
  };
}

/** @param {Attempt} attempt */
function attemptPart(attempt) {
  const isEdit = attempt.outcome === 'edited';
  const what = [attempt.exceptionType, attempt.message].filter(Boolean).join(': ');
  return h('article', { class: 'attempt' },
    h('p', { class: 'cause' }, h('span', { class: isEdit ? 'badge' : 'badge failing' }, isEdit ? 'i arguments changed' : `✗ ${attempt.outcome}`), ' ', what ? h('strong', {}, what) : null),
    h('p', { class: 'muted' }, isEdit ? 'at ' : `start ${count(attempt.fence)}, `, when(isEdit ? attempt.ended : attempt.started), isEdit ? null : `, for ${duration(Math.max(0, (Date.parse(attempt.ended) - Date.parse(attempt.started)) / 1_000))}`,
      attempt.reportId ? ' · ' : null, attempt.reportId ? link(reportHref(attempt.reportId), `Crash report ${attempt.reportId}`) : null),
    attempt.stackTrace ? h('details', { open: true }, h('summary', {}, 'Stack trace'), h('pre', { tabindex: 0, 'aria-label': 'Stack trace' }, attempt.stackTrace)) : null,
    attempt.report ? h('details', {}, h('summary', {}, 'What its worker ran and printed'), h('pre', { tabindex: 0, 'aria-label': 'Crash report' }, attempt.report)) : null);
}

/**
 * The arguments of a job, as far as people read them: the rest is not fetched.
 * @param {string} id
 * @returns {Promise<{text: string, isCut: boolean, isWrong: boolean}>}
 */
async function argumentsOf(id) {
  try {
    const answer = await fetch(`${hello.jobs}/${id}/arguments`, { cache: 'no-store' });
    if (!answer.ok || !answer.body) {
      return { text: `${answer.status}: ${problemText(await answer.text())}`, isCut: false, isWrong: true };
    }

    const [reader, decoder] = [answer.body.getReader(), new TextDecoder()];
    let text = '';
    for (let part = await reader.read(); !part.done && text.length <= mostArguments; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
    }

    const isCut = text.length > mostArguments;
    await reader.cancel();
    return { text: isCut ? text.slice(0, mostArguments) : indented(text), isCut, isWrong: false };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isCut: false, isWrong: true };
  }
}

/**
 * A text that a person changes. It stays open while what was made of it is refused.
 * @param {string} title
 * @param {string} text
 * @param {(text: string) => Promise<Outcome>} apply
 * @returns {Promise<Outcome | undefined>} `undefined` where it was closed
 */
function editing(title, text, apply) {
  const box = h('textarea', { rows: 16, spellcheck: 'false', 'aria-label': 'Arguments, a JSON object' });
  const wrong = h('p', { class: 'bad lines', role: 'alert' });
  const [close, save] = [h('button', { type: 'button' }, 'Cancel'), h('button', { type: 'button', class: 'act' }, 'Save and retry')];
  const dialog = h('dialog', { class: 'question wide', 'aria-labelledby': 'edit-title' }, h('h2', { id: 'edit-title' }, title), h('p', {}, 'They are checked like those of a call. Those before are kept with the attempts.'), box, wrong, h('p', { class: 'choices' }, close, save));
  box.value = text;
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
  return new Promise(resolve => {
    /** @type {Outcome | undefined} */
    let done;
    close.addEventListener('click', () => dialog.close());
    save.addEventListener('click', async () => {
      save.disabled = true;
      const outcome = await apply(box.value);
      save.disabled = false;
      say(wrong, outcome.text);
      if (outcome.status >= 200 && outcome.status < 300) {
        done = outcome;
        dialog.close();
      }
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done);
    });
  });
}
