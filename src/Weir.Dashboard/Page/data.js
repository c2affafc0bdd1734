// What the application says: the form of its records, the stream of them, and what a view asks for in addition. Times are seconds, moments seconds since 1970.

/** @typedef {{kind: string, severity: 'failing' | 'waiting' | 'notice', pool?: string, op?: string, subject?: string, since: number, sentence: string, toDo: string, report?: string}} Finding */
/** @typedef {{state: string, workers: number, starting: number, busy: number, min: number, max: number, queued: number, queuedMax: number, queueLimit: number, waiting: number, oldest?: number, rate: number, failed: number, p95?: number, inline?: boolean}} Pool */
/** @typedef {Record<string, number>} Phases */
/** @typedef {{where?: string, pool?: string, calls: number, failed: number, p50?: number, p95?: number, p99?: number, max?: number, phases: Phases}} Operation */
/** @typedef {{id: string, op: string, where?: string, pool?: string, pid?: number, phase: string, waited: number, for: number, cancelled?: boolean, canCancel?: boolean, caller?: string, trace?: string}} Call */
/** @typedef {{id: string, t: number, pool: string, cause: string, phase: string, op?: string, pid: number}} Summary */
/** @typedef {{t: number, application: string, pid: number, recordingSince: number, findings: Finding[], findingCount?: number, findingsChangedAt?: number, poolCount: number, pools: Record<string, Pool>, operationCount: number, operations: Record<string, Operation>, calls: {running: number, list: Call[]}, reports: Summary[], jobs?: JobsPart}} Snapshot */
/** @typedef {{waiting?: number, running: number, rate: number, failed: number, p50?: number, p99?: number, paused: boolean}} JobKind */
/** @typedef {{waiting?: number, oldest?: number, running: number, rate: number, failed: number, paused: string[], kindCount: number, kinds: Record<string, JobKind>}} JobsPart */
/** @typedef {{t: number, event: 'started' | 'ready' | 'ended', pool: string, pid: number, serial: number, generation: number, end?: string, report?: string}} WorkerEvent */
/** @typedef {{step: number, names: string[], points: number[][]}} History */
/** @typedef {{pid: number, serial: number, generation?: number, state: string, age?: number, calls?: number, memory?: number, limits?: string, running?: {id: string, op: string, for: number}[]}} Worker */
/** @typedef {{name: string, pool: Pool, workers?: Worker[], isolation?: string, options?: Record<string, string>, events?: WorkerEvent[]}} PoolDetails */
/** @typedef {{t: number, for: number, phases: Phases, status: string, error?: string, trace?: string, pid?: number, report?: string}} KeptCall */
/** @typedef {Operation & {op: string}} OperationRow */
/** @typedef {OperationRow & {five?: {calls: number, failed: number, p50?: number, p95?: number, p99?: number, max?: number}, statuses?: Record<string, number>, slowest?: KeptCall[], lastFailed?: KeptCall[]}} OperationDetails */
/** @typedef {{name: string, left: string, isShort: boolean, detail?: string, nextStep?: string}} Resource */
/** @typedef {{processors?: number, memory?: number, gcHeap?: number, gcPause?: number, threadPool?: {threads?: number, queued?: number}, sockets?: {open: number, closing: number, dropped: number}, lane?: Pool, capacity?: Resource[]}} Host */
/** @typedef {{id: string, pool: string, pid: number, generation: number, at: string, phase: string, cause: string, exitCode?: number, signal?: number, age: number, callsDone: number, calls: {id: number, operation: string, state: string, before: number}[], output: string, stack?: string, dumpPath?: string, limits: Record<string, unknown>}} Report */
/** @typedef {{application: string, instance: string, version: string, mayAct: boolean, jobs?: string, traceUrl?: string, showsCallers?: boolean}} Hello */

/**
 * A part of the page that the address names.
 * @typedef {{root: HTMLElement, title: string, update: (record: Snapshot) => void, close?: () => void}} View
 */

/** @typedef {{state: 'connecting' | 'live' | 'polled' | 'paused' | 'lost', since: number, why?: string}} Connection */

const hiddenBeforeClosing = 30_000;
const silentBeforeLost = 10_000;
const betweenTries = 3_000;
const missingFor = 60_000;
const mostEvents = 4_096;

/**
 * Asks for JSON, by an address below the page's.
 * @template T
 * @param {string} address
 * @param {AbortSignal} [signal]
 * @returns {Promise<T | undefined>} `undefined` where there is no such thing
 */
export async function ask(address, signal) {
  const answer = await fetch(address, { cache: 'no-store', headers: { Accept: 'application/json' }, signal: signal ?? null });
  if (answer.status === 404) {
    return undefined;
  }

  if (!answer.ok) {
    throw new Error(answer.status === 401 || answer.status === 403 ? `${answer.status}: access has ended; load the page again` : `${answer.status} ${answer.statusText}`);
  }

  return answer.json();
}

/**
 * Who answers, and what this person may do: the server decides it, and the page only shows it.
 * @type {Hello}
 */
export const hello = { application: '', instance: '', version: '', mayAct: false };

/**
 * Sends what changes something.
 * @param {string} address
 * @param {{method?: string, body?: unknown}} [options] `POST` and an object without members by default; a body that is a text is JSON already
 * @returns {Promise<{status: number, text: string}>} also for what is refused; status 0 where there was no answer
 */
export async function send(address, { method = 'POST', body = {} } = {}) {
  try {
    const answer = await fetch(address, { method, cache: 'no-store', headers: { 'Content-Type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: `No answer: ${error instanceof Error ? error.message : error}. Whether it was done is not known.` };
  }
}

/**
 * Asks again and again, while its view is open: one request at a time, and none while nothing is shown.
 * @template T
 * @param {string} address
 * @param {(answer: T | undefined) => void} take gets `undefined` where the application does not serve it
 * @param {(answer: T) => number} [pause] seconds until the next one
 * @param {(error: Error) => void} [failed] where the stream does not say why it is not answered
 */
export function poll(address, take, pause, failed) {
  const abort = new AbortController();
  let isAsking = false;
  let next = 0;
  return {
    /** Called by each update of the view. */
    tick() {
      if (isAsking || performance.now() < next) {
        return;
      }

      isAsking = true;
      ask(address, abort.signal).then(
        answer => {
          const value = /** @type {T | undefined} */ (answer);
          next = performance.now() + (value === undefined ? missingFor : 1_000 * (pause?.(value) ?? 0.5));
          if (!abort.signal.aborted) {
            take(value);
          }
        },
        // The stream says that the application does not answer.
        error => {
          next = performance.now() + betweenTries;
          if (!abort.signal.aborted) {
            failed?.(error);
          }
        })
        .finally(() => { isAsking = false; });
    },
    close: () => abort.abort(),
  };
}

/**
 * The last events of workers that came by the stream.
 * @type {WorkerEvent[]}
 */
export const events = [];

/**
 * Follows the application while the page is seen.
 * @param {(record: Snapshot) => void} take
 * @param {(connection: Connection) => void} changed
 * @param {(hello: Hello) => void} greeted with each connection
 */
export function follow(take, changed, greeted) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {number | undefined} */
  let timer;
  /** @type {number | undefined} */
  let hiding;
  let heard = Date.now();
  let asked = heard;
  let last = '';
  /** @type {Connection} */
  let now = { state: 'connecting', since: heard };

  document.addEventListener('visibilitychange', look);
  setInterval(() => {
    if (source && Date.now() - Math.max(heard, asked) > silentBeforeLost) {
      fail();
    }
  }, 1_000);
  open();
  look();

  // A browser has few connections for each host: a page that is not seen holds none.
  function look() {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(() => {
        close();
        say('paused');
      }, hiddenBeforeClosing);
    } else if (!source) {
      open();
    }
  }

  /** @param {Connection['state']} state @param {string} [why] */
  function say(state, why) {
    if (state !== now.state || why !== now.why) {
      now = { state, since: state === 'live' || state === 'polled' ? Date.now() : heard, ...(why === undefined ? {} : { why }) };
      changed(now);
    }
  }

  function close() {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  function open() {
    close();
    asked = Date.now();
    const opened = new EventSource(`events${last ? `?after=${last}` : ''}`);
    source = opened;
    opened.addEventListener('hello', message => greeted(JSON.parse(message.data)));
    opened.addEventListener('event', message => {
      last = message.lastEventId || last;
      events.push(JSON.parse(message.data));
      events.splice(0, events.length - mostEvents);
    });
    opened.addEventListener('tick', message => {
      heard = Date.now();
      say('live');
      take(JSON.parse(message.data));
    });
    opened.addEventListener('end', () => {
      // After its time, or because the application stops: then the next one says so.
      close();
      timer = setTimeout(open, Date.now() - asked < 10_000 ? betweenTries : 50);
    });
    opened.addEventListener('error', () => {
      if (source === opened) {
        fail();
      }
    });
  }

  // A stream may be refused, because there are too many, or held back by a proxy: then the record is asked for.
  async function fail() {
    close();
    timer = setTimeout(open, betweenTries);
    try {
      const record = /** @type {Snapshot | undefined} */ (await ask('snapshot'));
      if (record) {
        heard = Date.now();
        say('polled');
        take(record);
        const said = /** @type {Hello | undefined} */ (await ask('hello'));
        if (said) {
          greeted(said);
        }
      }
    } catch (error) {
      say('lost', error instanceof Error && /^\d/.test(error.message) ? error.message : undefined);
    }
  }

  return {
    /** Forgets where it was: another process counts its events on its own. */
    restart() {
      last = '';
      events.length = 0;
    },
  };
}
