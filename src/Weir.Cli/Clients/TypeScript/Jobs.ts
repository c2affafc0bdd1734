
// ---- What clients of jobs need besides ---------------------------------------------------------------------------

export interface ClientOptions {
  /** Where the jobs are that `MapWeirJobs` serves: a path below `baseUrl`, or a whole URL. Default: what the service answers to a submission, and `/$jobs` for `jobs.get`. If it is set, it counts for both. */
  readonly jobsPath?: string;
}

/** Where a job is. The last four are ends. */
export type WeirJobState = "scheduled" | "ready" | "running" | "succeeded" | "failed" | "cancelled" | "expired";

/** What the service says about a job. */
export interface WeirJobInfo {
  readonly id: string;
  /** `Reports/Build`, for example. */
  readonly kind: string;
  readonly state: WeirJobState;
  /** Why it failed, or why its last attempt did. */
  readonly reason: "exception" | "crashed" | "lost" | "timeout" | "interrupted" | "arguments" | "quarantined" | null;
  /** Why it is being stopped, while its code still runs. */
  readonly stopping: "cancel" | "timeout" | null;
  /** How often it was started. */
  readonly attempt: number;
  /** How often it is started at most. */
  readonly attempts: number;
  readonly submitted: string;
  readonly due: string | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly expires: string | null;
  /** What the operation has reported last: a fraction from 0 to 1, and a text. */
  readonly progress: { readonly fraction: number | null; readonly text: string | null } | null;
  /** How many items of a stream are stored. */
  readonly items: number | null;
  readonly key: string | null;
  readonly priority: "low" | "normal" | "high";
  /** The id of the job that submitted it. */
  readonly parent: string | null;
  /** What a request for its result is answered with, if it has none. */
  readonly problem: Readonly<Record<string, unknown>> | null;
  readonly links: { readonly self: string; readonly result: string; readonly items: string | null; readonly cancel: string };
}

/** What a request for a job may have. The signal ends the request, not the job. */
export type WeirJobRequestOptions = Pick<CallOptions, "signal" | "headers">;

/** What a submission may have. Signal and deadline end the submission, not the job. */
export interface WeirJobOptions extends CallOptions {
  /** Makes the submission repeatable: while the service has a job of the same caller with this key, that one is returned. 1 to 200 visible ASCII characters without quotation marks and backslashes. Default: a random one. */
  readonly idempotencyKey?: string;
}

/** How a job is waited for. */
export interface WeirJobWaitOptions extends WeirJobRequestOptions {
  /** How long, in seconds; then the job is returned as it is. Default: until it has ended. */
  readonly seconds?: number;
}

/** A job: a call that the service has stored, and runs without its caller. */
export interface WeirJobHandle {
  readonly id: string;
  /** Whether the submission found this job by its `idempotencyKey`. From another origin only if the service exposes the header `Idempotent-Replayed`. */
  readonly isExisting: boolean;
  /** What the service said last; undefined before the first answer. */
  readonly info: WeirJobInfo | undefined;
  /** Asks what it is now; null if there is no such job, or not for this caller. */
  get(options?: WeirJobRequestOptions): Promise<WeirJobInfo | null>;
  /** Waits until it has ended, whatever its end is. Lost answers are asked for again, `resumeAttempts` times in a row. */
  wait(options?: WeirJobWaitOptions): Promise<WeirJobInfo>;
  /** Cancels it. One that runs has ended when `wait` returns, and may have succeeded. */
  cancel(options?: WeirJobRequestOptions): Promise<WeirJobInfo>;
}

/** A job with a result. */
export interface WeirJob<T> extends WeirJobHandle {
  /** Waits until it has ended, and returns or throws what the direct call would have. A job without a result (cancelled, expired, lost) is a `WeirProblem` with the code WEIR2040. */
  result(options?: WeirJobRequestOptions): Promise<T>;
}

/** A job with a stream of items. */
export interface WeirJobStream<T> extends WeirJobHandle {
  /** Its items from an index on: those that are stored, and then each when it is stored, to the end of the job. It continues after a cut, and may be called again. */
  items(from?: number, options?: StreamOptions): WeirStream<T>;
}

interface JobOperation extends OperationInfo {
  readonly read: "none" | "value" | "bytes" | "bytesOrNull" | "stream" | "byteStream";
}

const endsOfJobs: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "expired"]);

// In seconds. A service waits as long as the first; something in between may cut what is silent for a shorter time.
const [longestPoll, shortestPoll] = [60, 5];

// In milliseconds: the pause after an answer that came at once and changed nothing.
const shortestPause = 1000;

// Codes of a service that cannot answer now, and of a submission that may have been accepted.
const [draining, storeUnavailable, outcomeUnknown, jobNotFound] = ["WEIR2009", "WEIR2043", "WEIR2041", "WEIR2045"];

/** A request that was sent and not answered. */
class AnswerLost extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The service answered with the job instead of its result. */
class JobContinues extends Error {}

// Whether asking again may help. A problem with a code is the operation's own where codes are given, unless it has one of them.
function isLost(error: unknown, codes?: readonly string[]): boolean {
  if (!(error instanceof WeirProblem)) {
    return error instanceof AnswerLost;
  }

  return codes === undefined || (error.code === undefined && error.thrown === undefined)
    ? [408, 425, 429].includes(error.status) || error.status > 500 || (error.status === 500 && codes === undefined)
    : error.status >= 500 && codes.includes(error.code ?? "");
}

/** Sends the requests for jobs. */
class JobConnection {
  /** Sends submissions, and reads results and items as those of direct calls. */
  readonly calls: WeirConnection;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions, types: NamedTypes, contracts: Contracts) {
    this.#options = options;
    this.calls = new WeirConnection({ ...options, fetch: (url, init) => this.#fetch(url, init) }, types, contracts);
  }

  // What it throws is a lost answer; wrong arguments, for example, are not, and are not sent again.
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await (this.#options.fetch ?? globalThis.fetch)(url, init);
    } catch (error) {
      throw new AnswerLost(error);
    }
  }

  /** Submits a call. An answer that is lost is asked for again with the same key, which makes no second job. */
  async submit<H>(operation: JobOperation, args: Arguments, options: WeirJobOptions = {}): Promise<H> {
    const key = options.idempotencyKey ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");
    if (!/^[!#-[\]-~]{1,200}$/.test(key)) {
      throw new TypeError(`'idempotencyKey' has 1 to 200 visible ASCII characters without quotation marks and backslashes, so it cannot be ${JSON.stringify(key)}.`);
    }

    const call = { ...options, headers: { ...options.headers, accept: "application/json", prefer: "respond-async", "idempotency-key": key } };
    const isOnce = typeof ReadableStream !== "undefined" && Object.values(args).some((one) => one instanceof ReadableStream);
    const submitted = async (): Promise<JobHandle> => {
      const response = await this.calls.response(operation, args, call);
      if (response.status !== 202) {
        await response.body?.cancel();
        throw new UnexpectedResponse(operation.name, `the service has run the call and answered with ${response.status}, and made no job of it; it needs AddWeirJobs, MapWeirJobs, and [Job] without JobRespond.Never`);
      }

      const info = await this.read(operation, response, options.signal);
      const isExisting = options.idempotencyKey !== undefined && response.headers.get("Idempotent-Replayed") === "true";
      return new JobHandle(this, operation, info.id, this.#options.jobsPath === undefined ? this.#linked(operation, info.links.self) : this.#below(info.id), info, isExisting);
    };
    return (await this.persist(options.signal, submitted, [outcomeUnknown], isOnce ? 0 : undefined)) as H;
  }

  /** The handle of a job that was submitted before. */
  get<H>(operations: Readonly<Record<string, JobOperation>>, name: string, id: string): H {
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (operation === undefined) {
      throw new TypeError(`There is no operation '${name}' that can be a job; choose ${Object.keys(operations).join(", ")}.`);
    }

    return new JobHandle(this, operation, id, this.#below(id), undefined, false) as H;
  }

  /** One request for a job. A service that says nothing for `idleTimeout` has not answered. */
  async request(verb: string, url: string, accept: string, options: WeirJobRequestOptions, seconds = 0): Promise<Response> {
    const limit = this.#options.idleTimeout ?? defaultIdle;
    const idle = new IdleTimer(limit === 0 ? 0 : limit + seconds * 1000);
    const headers = await headersOf(accept, this.#options, options);
    if (seconds > 0) {
      headers["prefer"] = `wait=${seconds}`;
    }

    try {
      idle.start();
      const response = await this.#fetch(url, { method: verb, headers, signal: options.signal === undefined ? idle.signal : AbortSignal.any([options.signal, idle.signal]) });
      if (!response.ok) {
        throw await problemOf(response, limit);
      }

      return response;
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    } finally {
      idle.stop();
    }
  }

  /** The job that a response has. */
  async read(operation: OperationInfo, response: Response, signal: AbortSignal | undefined): Promise<WeirJobInfo> {
    let body: Uint8Array;
    try {
      body = await bodyOf(response, mostProblemBytes, this.#options.idleTimeout ?? defaultIdle, `its job is larger than ${mostProblemBytes} bytes`);
    } catch (error) {
      signal?.throwIfAborted();
      throw new AnswerLost(error);
    }

    const info = jobIn(body);
    if (info === undefined) {
      throw new UnexpectedResponse(operation.name, `its answer with ${response.status} is no job`);
    }

    return info;
  }

  /** Runs what does no harm if it is repeated again while its answers are lost, up to so many times. */
  async persist<R>(signal: AbortSignal | undefined, run: () => Promise<R>, codes?: readonly string[], attempts = this.#options.resumeAttempts ?? 8): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt > attempts || !isLost(error, codes)) {
          throw error instanceof AnswerLost ? error.cause : error;
        }

        await wait(backoff(attempt), signal ?? new AbortController().signal);
      }
    }
  }

  // A link is a path of the same server: the headers of the client are for no other.
  #linked(operation: OperationInfo, link: string): string {
    if (!/^\/(?![/\\])[!-~]*$/.test(link)) {
      throw new UnexpectedResponse(operation.name, `the link to its job, '${link}', is no path`);
    }

    const base = this.#options.baseUrl ?? "";
    const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
    try {
      return new URL(link, page === undefined ? base : new URL(base, page)).href;
    } catch {
      // Without a base, what sends the requests knows where the server is.
      return link;
    }
  }

  #below(id: string): string {
    const path = (this.#options.jobsPath ?? "/$jobs").replace(/\/+$/, "");
    const start = /^[a-z][a-z\d+.-]*:/i.test(path) ? path : `${(this.#options.baseUrl ?? "").replace(/\/+$/, "")}${path.startsWith("/") ? "" : "/"}${path}`;
    return `${start}/${segmentOf("id", id)}`;
  }
}

// The job in a body; undefined where it is something else.
function jobIn(body: Uint8Array): WeirJobInfo | undefined {
  try {
    const info = JSON.parse(new TextDecoder().decode(body)) as WeirJobInfo;
    return typeof info.id === "string" && typeof info.state === "string" && typeof info.links.self === "string" ? info : undefined;
  } catch {
    return undefined;
  }
}

/** A job of any operation: its type has what that can do. */
class JobHandle implements WeirJob<unknown>, WeirJobStream<unknown> {
  readonly id: string;
  readonly isExisting: boolean;
  readonly #jobs: JobConnection;
  readonly #operation: JobOperation;
  readonly #url: string;
  #info: WeirJobInfo | undefined;

  constructor(jobs: JobConnection, operation: JobOperation, id: string, url: string, info: WeirJobInfo | undefined, isExisting: boolean) {
    this.id = id;
    this.isExisting = isExisting;
    this.#jobs = jobs;
    this.#operation = operation;
    this.#url = url;
    this.#info = info;
  }

  get info(): WeirJobInfo | undefined {
    return this.#info;
  }

  async get(options: WeirJobRequestOptions = {}): Promise<WeirJobInfo | null> {
    try {
      return await this.#jobs.persist(options.signal, () => this.#ask("GET", this.#url, options), undefined, 0);
    } catch (error) {
      if (error instanceof WeirProblem && error.status === 404 && error.code === jobNotFound) {
        return null;
      }

      throw error;
    }
  }

  async wait(options: WeirJobWaitOptions = {}): Promise<WeirJobInfo> {
    const { seconds = Infinity, ...request } = options;
    const end = performance.now() + seconds * 1000;
    const left = (): number => Math.max(0, end - performance.now());
    let poll = longestPoll;
    while (true) {
      let asked = Math.min(poll, Math.ceil(left() / 1000));
      let sent = 0;
      const info = await this.#jobs.persist(request.signal, async () => {
        try {
          sent = performance.now();
          return await this.#ask("GET", this.#url, request, asked);
        } catch (error) {
          // The next request only asks whether the service is there; the one behind it waits for a shorter time.
          poll = asked > 0 ? Math.max(shortestPoll, Math.ceil(poll / 2)) : poll;
          asked = 0;
          throw error;
        }
      });
      if (endsOfJobs.has(info.state) || left() === 0) {
        return info;
      }

      // The service did not wait: it has too many that do, stops, or was not asked to.
      if (performance.now() - sent < shortestPause) {
        await wait(Math.min(left(), shortestPause * (1 + Math.random() / 4)), request.signal ?? new AbortController().signal);
      }
    }
  }

  async cancel(options: WeirJobRequestOptions = {}): Promise<WeirJobInfo> {
    return this.#jobs.persist(options.signal, () => this.#ask("POST", `${this.#url}/cancel`, options));
  }

  async result(options: WeirJobRequestOptions = {}): Promise<unknown> {
    while (true) {
      if (this.#info === undefined || !endsOfJobs.has(this.#info.state)) {
        await this.wait(options);
      }

      try {
        return await this.#jobs.persist(options.signal, () => this.#result(options), [draining, storeUnavailable]);
      } catch (error) {
        if (!(error instanceof JobContinues)) {
          throw error;
        }

        // An operator has made it run again.
        this.#info = undefined;
        await wait(shortestPause, options.signal ?? new AbortController().signal);
      }
    }
  }

  items(from = 0, options?: StreamOptions): WeirStream<unknown> {
    if (!Number.isSafeInteger(from) || from < 0) {
      throw new TypeError(`'from' is the index of an item, so it cannot be ${from}.`);
    }

    // The service calls the stream by the job's id, and with a number behind it after an operator has made it run again.
    let name = this.id;
    const answer = async (accept: string, call: CallOptions): Promise<Response> => {
      const last = call.headers?.["Last-Event-ID"];
      const response = await this.#jobs.request("GET", `${this.#url}/items`, accept, last === undefined ? call : { ...call, headers: { ...call.headers, "Last-Event-ID": `${name}.${last}` } });
      name = response.headers.get("Weir-Stream") ?? name;
      return response;
    };
    const items = this.#jobs.calls.stream<unknown>({ ...this.#operation, resumable: "job", answer }, { from }, options);
    return this.#operation.read === "byteStream" ? new WeirStream(() => bytesOf(items as WeirStream<string>)) : items;
  }

  async #ask(verb: string, url: string, options: WeirJobRequestOptions, seconds = 0): Promise<WeirJobInfo> {
    const response = await this.#jobs.request(verb, url, "application/json", options, seconds);
    return (this.#info = await this.#jobs.read(this.#operation, response, options.signal));
  }

  async #result(options: WeirJobRequestOptions): Promise<unknown> {
    const answer = async (accept: string, call: CallOptions): Promise<Response> => {
      const response = await this.#jobs.request("GET", `${this.#url}/result`, accept, call);

      // The operation may have chosen this status itself: then the body is not the job.
      if (response.status === 202 && (await bodyOf(response.clone(), mostProblemBytes, defaultIdle, "").then(jobIn, () => undefined))?.id === this.id) {
        await response.body?.cancel();
        throw new JobContinues("The job has not ended.");
      }

      return response;
    };
    try {
      return await this.#jobs.calls[this.#operation.read as "value"]<unknown>({ ...this.#operation, answer }, {}, options);
    } catch (error) {
      // A body that was cut can be read again.
      throw error instanceof UnexpectedResponse && error.cause instanceof TypeError ? new AnswerLost(error) : error;
    }
  }
}

// Bytes in lines of JSON are base64.
async function* bytesOf(items: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const item of items) {
    yield Uint8Array.from(atob(item), (one) => one.charCodeAt(0));
  }
}
