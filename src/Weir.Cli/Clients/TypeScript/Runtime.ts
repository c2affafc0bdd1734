// ---- What every client needs -------------------------------------------------------------------------------------

/** An integer or a decimal that a JavaScript number cannot hold exactly: its digits, as the service wrote them. */
export type ExactNumber = string;

/** What a parameter of such a type takes. */
export type ExactNumberInput = string | number | bigint;

/** A file of a form. */
export type FileInput = Blob | { readonly data: Blob; readonly name: string };

/** Bytes that are sent as they are. A stream needs HTTP/2 in browsers. */
export type BytesInput = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** How a client reaches its service. */
export interface ClientOptions {
  /** Where the service is, with the prefix of its paths if it has one, for example `https://shop.example/v1`. Default: where the page is. */
  readonly baseUrl?: string;
  /** Headers of every request. A function is called for each attempt, so that it can bring a fresh token. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** What sends requests. Default: the global `fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>;
  /** How long a stream may be silent, in milliseconds, before it counts as cut; heartbeats are not silence. Default: 60000. 0 is no limit. */
  readonly idleTimeout?: number;
  /** How often in a row a resumable stream connects again without receiving anything. Default: 8. */
  readonly resumeAttempts?: number;
}

/** What one call may have. */
export interface CallOptions {
  /** Ends the call: the request is cancelled, and the service stops working on it. */
  readonly signal?: AbortSignal;
  /** Headers of this call, besides those of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the caller waits, in milliseconds: the service gives up then, and answers with 504. */
  readonly deadline?: number;
}

/** What a call of a stream may have. */
export interface StreamOptions extends CallOptions {
  /** Is called with each change of the stream's state. */
  readonly onState?: (state: StreamState) => void;
}

/** Where a stream is: `attempt` counts from 1 since the last item. */
export type StreamState = { readonly kind: "connecting" | "live" | "ended" } | { readonly kind: "resuming"; readonly attempt: number };

/** One thing that is wrong with the arguments of a call. */
export interface BindingError {
  readonly name: string;
  readonly source: string;
  readonly reason: string;
  readonly expected?: string;
}

/** The service refused a call, or failed (RFC 9457). */
export class WeirProblem extends Error {
  override readonly name = "WeirProblem";
  /** The HTTP status. */
  readonly status: number;
  /** What happened, for code: `WEIR2001`, for example; absent where something in between answered. */
  readonly code: string | undefined;
  /** What happened, for people. */
  readonly detail: string | undefined;
  /** Everything that is wrong with the arguments. */
  readonly bindingErrors: readonly BindingError[];
  /** The exception that the operation declares and has thrown; absent for others. */
  readonly thrown: string | undefined;
  /** All members of the problem. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, members: Record<string, unknown>) {
    const text = (name: string): string | undefined => (typeof members[name] === "string" ? members[name] : undefined);
    super([text("code"), text("title") ?? `HTTP status ${status}`, text("detail")].filter((one) => one !== undefined).join(": "));
    this.status = typeof members["status"] === "number" ? members["status"] : status;
    this.code = text("code");
    this.detail = text("detail");
    this.thrown = text("thrown");
    this.bindingErrors = Array.isArray(members["bindingErrors"]) ? members["bindingErrors"] : [];
    this.members = members;
  }
}

/** A stream ended without the proof that it is complete. Everything before `nextIndex` was delivered, once. */
export class StreamInterrupted extends Error {
  override readonly name = "StreamInterrupted";
  /** The index of the first item that was not delivered. */
  readonly nextIndex: number;

  constructor(nextIndex: number, reason: string, cause?: unknown) {
    super(`The stream was interrupted before item ${nextIndex}: ${reason}`, { cause });
    this.nextIndex = nextIndex;
  }
}

/** The items of a stream. It begins when it is iterated, and ends when the iteration ends; it can be iterated once. */
export class WeirStream<T> implements AsyncIterable<T> {
  readonly #run: () => AsyncGenerator<T, void, undefined>;
  #isUsed = false;

  constructor(run: () => AsyncGenerator<T, void, undefined>) {
    this.#run = run;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    if (this.#isUsed) {
      throw new TypeError("A stream can be iterated once; call the operation again.");
    }

    this.#isUsed = true;
    return this.#run();
  }

  /** All items, in an array. */
  async toArray(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) {
      items.push(item);
    }

    return items;
  }
}

// Where a parameter is sent, its name in code, its name in requests, and its type where that has numbers that must stay exact.
type ParameterPlace = "path" | "query" | "header" | "member" | "body" | "bytes" | "items" | "form" | "file";
type ParameterInfo = readonly [place: ParameterPlace, name: string, wire?: string | undefined, type?: string];

interface OperationInfo {
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly parameters: readonly ParameterInfo[];
  /** The result's type, or that of an item, where it has numbers that must stay exact. */
  readonly type?: string;
  readonly resumable?: "source" | "buffer";
}

type Arguments = Readonly<Record<string, unknown>>;

// The types of members with exact numbers; of a type with cases, the discriminator's name and which type each of its values means.
interface NamedType {
  readonly members: Readonly<Record<string, string>>;
  readonly by?: string;
  readonly cases?: Readonly<Record<string, string>>;
}

type NamedTypes = Readonly<Record<string, NamedType>>;

const exactScalars: ReadonlySet<string> = new Set(["int64", "uint64", "int128", "uint128", "decimal"]);
const exactLiteral = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// The type of what is inside of a list or a dictionary; of a nullable type without its mark.
function unwrap(type: string | undefined, suffix: string): string | undefined {
  const core = type?.endsWith("?") ? type.slice(0, -1) : type;
  return core?.endsWith(suffix) ? core.slice(0, -suffix.length) : undefined;
}

function namedType(types: NamedTypes, type: string | undefined): NamedType | undefined {
  return type === undefined ? undefined : types[type.endsWith("?") ? type.slice(0, -1) : type];
}

function caseOf(types: NamedTypes, type: NamedType, discriminator: unknown): NamedType | undefined {
  const name = String(discriminator);
  return type.cases !== undefined && Object.hasOwn(type.cases, name) ? types[type.cases[name]!] : type;
}

function memberType(type: NamedType | undefined, name: string): string | undefined {
  return type !== undefined && Object.hasOwn(type.members, name) ? type.members[name] : undefined;
}

function isExact(type: string | undefined): boolean {
  return type !== undefined && exactScalars.has(type.endsWith("?") ? type.slice(0, -1) : type);
}

/** Reads JSON by its type: `JSON.parse` would round numbers of more than 15 digits. */
class ExactJsonReader {
  readonly #text: string;
  readonly #types: NamedTypes;
  #at = 0;

  constructor(text: string, types: NamedTypes) {
    this.#text = text;
    this.#types = types;
  }

  read(type: string): unknown {
    const value = this.#value(type);
    this.#space();
    if (this.#at < this.#text.length) {
      throw this.#error();
    }

    return value;
  }

  #value(type: string | undefined): unknown {
    this.#space();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(type);
      case "[":
        return this.#array(unwrap(type, "[]"));
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number(type);
    }
  }

  #object(type: string | undefined): Record<string, unknown> {
    const values = unwrap(type, "{}");
    let named = namedType(this.#types, type);
    const result: Record<string, unknown> = {};
    this.#at++;
    this.#space();
    for (let isFirst = true; this.#text[this.#at] !== "}"; isFirst = false) {
      if (!isFirst) {
        this.#take(",");
      }

      this.#space();
      const name = this.#string();
      this.#space();
      this.#take(":");
      const value = this.#value(values ?? memberType(named, name));
      if (named !== undefined && named.by === name) {
        // The server writes it first.
        named = caseOf(this.#types, named, value);
      }

      Object.defineProperty(result, name, { value, writable: true, enumerable: true, configurable: true });
      this.#space();
    }

    this.#at++;
    return result;
  }

  #array(type: string | undefined): unknown[] {
    const result: unknown[] = [];
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== "]") {
      if (result.length > 0) {
        this.#take(",");
      }

      result.push(this.#value(type));
      this.#space();
    }

    this.#at++;
    return result;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') {
      throw this.#error();
    }

    for (let end = this.#text.indexOf('"', start + 1); end >= 0; end = this.#text.indexOf('"', end + 1)) {
      let escapes = 0;
      while (this.#text[end - 1 - escapes] === "\\") {
        escapes++;
      }

      if (escapes % 2 === 0) {
        this.#at = end + 1;
        return JSON.parse(this.#text.slice(start, this.#at)) as string;
      }
    }

    throw this.#error();
  }

  #number(type: string | undefined): string | number {
    const start = this.#at;
    while (this.#at < this.#text.length && "+-.0123456789eE".includes(this.#text[this.#at]!)) {
      this.#at++;
    }

    const literal = this.#text.slice(start, this.#at);
    if (!exactLiteral.test(literal)) {
      throw this.#error();
    }

    return isExact(type) ? literal : Number(literal);
  }

  #word<W>(word: string, value: W): W {
    if (!this.#text.startsWith(word, this.#at)) {
      throw this.#error();
    }

    this.#at += word.length;
    return value;
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) {
      throw this.#error();
    }

    this.#at++;
  }

  #space(): void {
    while (this.#at < this.#text.length && " \t\r\n".includes(this.#text[this.#at]!)) {
      this.#at++;
    }
  }

  #error(): SyntaxError {
    return new SyntaxError(`The JSON is malformed at character ${this.#at}.`);
  }
}

function parseJson(text: string, type: string | undefined, types: NamedTypes): unknown {
  return type === undefined ? JSON.parse(text) : new ExactJsonReader(text, types).read(type);
}

/** Writes JSON by its type: the digits of an exact number are written as a number. */
function writeJson(value: unknown, type: string | undefined, types: NamedTypes): string | undefined {
  if (type === undefined || value === null || value === undefined) {
    return JSON.stringify(value);
  }

  if (isExact(type)) {
    const literal = typeof value === "number" && !Number.isFinite(value) ? "" : String(value);
    if (!exactLiteral.test(literal)) {
      throw new TypeError(`'${String(value)}' is no number.`);
    }

    return literal;
  }

  if (Array.isArray(value)) {
    const element = unwrap(type, "[]");
    return `[${value.map((one) => writeJson(one, element, types) ?? "null").join(",")}]`;
  }

  if (typeof value === "object" && !("toJSON" in value)) {
    const values = unwrap(type, "{}");
    const union = namedType(types, type);
    const named = union?.by === undefined ? union : caseOf(types, union, (value as Record<string, unknown>)[union.by]);
    return `{${Object.entries(value)
      .map(([name, one]) => [name, writeJson(one, values ?? memberType(named, name), types)])
      .filter(([, json]) => json !== undefined)
      .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
      .join(",")}}`;
  }

  return JSON.stringify(value);
}

function isAsync(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) {
      stop();
    } else {
      signal.addEventListener("abort", stop, { once: true });
    }
  });
}

/** Ends a response that is silent for too long; 0 for no limit. */
class IdleTimer {
  readonly #limit: number;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: string | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Why the response was ended; undefined if it was not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Counts from now. */
  start(): void {
    this.stop();
    if (this.#limit > 0) {
      this.#timer = setTimeout(() => {
        this.#reason = `nothing arrived for ${this.#limit} ms`;
        this.#end.abort(new Error(this.#reason));
      }, this.#limit);
    }
  }

  /** While the caller works on an item, nothing is counted. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.stop();
    this.#end.abort();
  }
}

/** A part of a path. Another value would be another path. */
function segmentOf(name: string, text: string): string {
  if (text === "" || text === "." || text === ".." || /[/\\]/.test(text)) {
    throw new TypeError(`'${name}' is in the path, and a path cannot have the value '${text}': it must not be empty, '.', '..' or have a slash.`);
  }

  return encodeURIComponent(text);
}

/** The texts of a value outside of JSON; none for an absent one. */
function textsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) {
    return value === undefined || value === null ? [] : [String(value)];
  }

  if (value.some((one) => one === undefined || one === null)) {
    throw new TypeError(`'${name}' has an element that is null, which cannot be sent as text.`);
  }

  return value.map(String);
}

/** Sends the requests of a client. */
class WeirConnection {
  readonly #options: ClientOptions;
  readonly #types: NamedTypes;

  constructor(options: ClientOptions, types: NamedTypes) {
    this.#options = options;
    this.#types = types;
  }

  async none(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<void> {
    const response = await this.#send(operation, args, "application/json", options);
    await response.body?.cancel();
  }

  async value<T>(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<T> {
    const response = await this.#send(operation, args, "application/json", options);
    return (response.status === 204 ? null : parseJson(await response.text(), operation.type, this.#types)) as T;
  }

  async bytes<T>(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<T> {
    const response = await this.#send(operation, args, "application/octet-stream, */*;q=0.1", options);
    return (response.status === 204 ? null : new Uint8Array(await response.arrayBuffer())) as T;
  }

  response(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<Response> {
    return this.#send(operation, args, "*/*", options);
  }

  byteStream(operation: OperationInfo, args: Arguments, options?: StreamOptions): WeirStream<Uint8Array> {
    return new WeirStream(() => this.#readBytes(operation, args, options ?? {}));
  }

  stream<T>(operation: OperationInfo, args: Arguments, options?: StreamOptions): WeirStream<T> {
    return new WeirStream(() => this.#readStream<T>(operation, args, options ?? {}));
  }

  async *#readBytes(operation: OperationInfo, args: Arguments, options: StreamOptions): AsyncGenerator<Uint8Array, void, undefined> {
    const idle = new IdleTimer(this.#options.idleTimeout ?? 60_000);
    const signal = options.signal === undefined ? idle.signal : AbortSignal.any([options.signal, idle.signal]);
    let count = 0;
    options.onState?.({ kind: "connecting" });
    try {
      const response = await this.#send(operation, args, "application/octet-stream", { ...options, signal });
      options.onState?.({ kind: "live" });
      const reader = response.body?.getReader();
      idle.start();
      for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
        count += part.value.length;
        idle.stop();
        yield part.value;
        idle.start();
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error instanceof WeirProblem ? error : new StreamInterrupted(count, idle.reason ?? "the connection was cut", error);
    } finally {
      idle.end();
      options.onState?.({ kind: "ended" });
    }
  }

  async *#readStream<T>(operation: OperationInfo, args: Arguments, options: StreamOptions): AsyncGenerator<T, void, undefined> {
    const ended = new AbortController();
    const signal = options.signal === undefined ? ended.signal : AbortSignal.any([options.signal, ended.signal]);
    const position: StreamPosition = { next: 0, first: undefined, id: undefined, retry: undefined, isLost: false };
    let attempt = 0;
    options.onState?.({ kind: "connecting" });
    try {
      while (true) {
        let failure: StreamInterrupted;
        const before = position.next;
        try {
          if (yield* this.#readOnce<T>(operation, args, { ...options, signal }, position)) {
            return;
          }

          failure = new StreamInterrupted(position.next, "the service is stopping");
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof WeirProblem && isTransient(error) && this.#canResume(operation, position)) {
            failure = new StreamInterrupted(position.next, error.message, error);
          } else if (error instanceof StreamInterrupted) {
            failure = error;
          } else {
            throw error;
          }
        }

        attempt = position.next > before ? 1 : attempt + 1;
        if (!this.#canResume(operation, position) || attempt > (this.#options.resumeAttempts ?? 8)) {
          throw failure;
        }

        options.onState?.({ kind: "resuming", attempt });
        const delay = position.retry === undefined
          ? Math.min(30_000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
          : position.retry * (1 + Math.random() / 4);
        position.retry = undefined;
        await wait(delay, signal);
      }
    } finally {
      ended.abort();
      options.onState?.({ kind: "ended" });
    }
  }

  #canResume(operation: OperationInfo, position: StreamPosition): boolean {
    return !position.isLost && (operation.resumable === "source" ? position.first !== undefined : operation.resumable === "buffer" && position.id !== undefined);
  }

  // Whether the stream has proved that it is complete; false where it asks to connect again.
  async *#readOnce<T>(operation: OperationInfo, args: Arguments, options: StreamOptions & { readonly signal: AbortSignal }, position: StreamPosition): AsyncGenerator<T, boolean, undefined> {
    const isResumed = this.#canResume(operation, position);
    const headers: Record<string, string> = { ...options.headers };
    if (isResumed && (position.id !== undefined || position.next > 0)) {
      headers["Last-Event-ID"] = position.id === undefined ? String(position.next - 1) : `${position.id}.${position.next - 1}`;
    }

    const idle = new IdleTimer(this.#options.idleTimeout ?? 60_000);
    const signal = AbortSignal.any([options.signal, idle.signal]);
    let response: Response;
    try {
      // The first request may wait for as long as the operation does; one that connects again must not.
      if (isResumed) {
        idle.start();
      }

      response = await this.#send(operation, args, "application/x-ndjson; weir=1", { ...options, headers, signal });
    } catch (error) {
      idle.stop();
      options.signal.throwIfAborted();
      if (!isResumed) {
        throw error;
      }

      // Where the service does not have the stream any more, or refuses the caller, it will answer the same again.
      position.isLost = error instanceof WeirProblem && error.status < 500 && ![408, 425, 429].includes(error.status);
      throw new StreamInterrupted(position.next, position.isLost ? "it cannot be resumed" : "connecting again failed", error);
    }

    if (!isResumed) {
      const from = operation.resumable === "source" ? Number(args["from"] ?? 0) : 0;
      position.first = from;
      position.next = from;
      position.id = operation.resumable === "buffer" ? response.headers.get("Weir-Stream") ?? undefined : undefined;
    }

    options.onState?.({ kind: "live" });
    try {
      idle.start();
      for await (const line of lines(response, () => idle.start())) {
        const end = endOf(line);
        if (end === undefined) {
          const item = parseJson(line.startsWith('{"$weir":{"item":') ? line.slice(17, -2) : line, operation.type, this.#types) as T;
          position.next++;
          idle.stop();
          yield item;
          idle.start();
        } else if (end.problem !== undefined) {
          throw new WeirProblem(500, end.problem);
        } else if (end.retry !== undefined) {
          position.retry = end.retry;
          return false;
        } else if (end.count === position.next) {
          return true;
        } else {
          throw new StreamInterrupted(position.next, `the service counted ${end.count} items`);
        }
      }

      throw new StreamInterrupted(position.next, "the end of the stream is missing");
    } catch (error) {
      options.signal.throwIfAborted();
      throw error instanceof WeirProblem || error instanceof StreamInterrupted || error instanceof SyntaxError
        ? error
        : new StreamInterrupted(position.next, idle.reason ?? "the connection was cut", error);
    } finally {
      idle.end();
    }
  }

  async #send(operation: OperationInfo, args: Arguments, accept: string, options?: CallOptions): Promise<Response> {
    const own = this.#options.headers;
    const headers: Record<string, string> = { accept, ...(typeof own === "function" ? await own() : own), ...options?.headers };
    if (options?.deadline !== undefined) {
      headers["Weir-Deadline-Ms"] = String(Math.max(0, Math.ceil(options.deadline)));
    }

    const init: RequestInit & { duplex?: "half" } = { method: operation.verb, headers };
    if (options?.signal !== undefined) {
      init.signal = options.signal;
    }

    const url = this.#prepare(operation, args, headers, init);
    const response = await (this.#options.fetch ?? globalThis.fetch)(url, init);
    if (response.ok) {
      return response;
    }

    throw await problemOf(response);
  }

  #prepare(operation: OperationInfo, args: Arguments, headers: Record<string, string>, init: RequestInit & { duplex?: "half" }): string {
    let path = operation.path;
    const query = new URLSearchParams();
    const members: string[] = [];
    const form: [string, string | FileInput][] = [];
    let hasMembers = false;
    for (const [place, name, wire = name, type] of operation.parameters) {
      const value = args[name];
      const texts = place === "path" || place === "query" || place === "header" || place === "form" ? textsOf(name, value) : [];
      switch (place) {
        case "path":
          path = path.replace(new RegExp(`/?\\{(\\*?)${wire}(\\??)\\}`, "i"), (found, all: string) => {
            const slash = found.startsWith("/") ? "/" : "";
            return texts.length === 0 ? "" : slash + (all === "" ? segmentOf(name, texts[0]!) : texts[0]!.split("/").map((part) => segmentOf(name, part)).join("/"));
          });
          break;
        case "query":
          texts.forEach((text) => query.append(wire, text));
          break;
        case "header":
          if (Array.isArray(value) && texts.some((text) => text.includes(","))) {
            throw new TypeError(`'${name}' is a header, where a comma separates elements, so an element cannot have one.`);
          }

          if (texts.length > 0) {
            headers[wire] = texts.join(",");
          }

          break;
        case "member": {
          const json = writeJson(value, type, this.#types);
          hasMembers = true;
          if (json !== undefined) {
            members.push(`${JSON.stringify(wire)}:${json}`);
          }

          break;
        }

        case "body": {
          const json = writeJson(value, type, this.#types);
          if (json !== undefined) {
            headers["content-type"] = "application/json";
            init.body = json;
          }

          break;
        }

        case "bytes":
          headers["content-type"] = "application/octet-stream";
          init.body = value as BodyInit;
          if (value instanceof ReadableStream) {
            init.duplex = "half";
          }

          break;
        case "items":
          headers["content-type"] = "application/x-ndjson";
          init.body = this.#items(value, type);
          init.duplex = "half";
          break;
        case "form":
          texts.forEach((text) => form.push([wire, text]));
          break;
        case "file":
          (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).forEach((file: FileInput) => form.push([wire, file]));
          break;
      }
    }

    if (hasMembers) {
      headers["content-type"] = "application/json";
      init.body = `{${members.join(",")}}`;
    } else if (operation.parameters.some(([place]) => place === "file")) {
      const data = new FormData();
      for (const [name, value] of form) {
        if (typeof value === "string") {
          data.append(name, value);
        } else if (value instanceof Blob) {
          data.append(name, value, "name" in value ? String(value.name) : name);
        } else {
          data.append(name, value.data, value.name);
        }
      }

      init.body = data;
    } else if (operation.parameters.some(([place]) => place === "form")) {
      init.body = new URLSearchParams(form as [string, string][]);
    }

    const search = query.toString();
    return (this.#options.baseUrl ?? "").replace(/\/+$/, "") + path + (search === "" ? "" : `?${search}`);
  }

  // Items that exist already are one text: browsers send a stream over HTTP/2 only.
  #items(value: unknown, type: string | undefined): BodyInit {
    const write = (item: unknown): string => `${writeJson(item, type, this.#types) ?? "null"}\n`;
    if (!isAsync(value)) {
      return Array.from(value as Iterable<unknown>, write).join("");
    }

    const iterator = value[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>({
      async pull(controller): Promise<void> {
        const next = await iterator.next();
        if (next.done === true) {
          controller.close();
        } else {
          controller.enqueue(encoder.encode(write(next.value)));
        }
      },
      async cancel(): Promise<void> {
        await iterator.return?.();
      },
    });
  }
}

// Within a stream: the service ended it, or its worker failed. The operation itself did not fail.
function isTransient(problem: WeirProblem): boolean {
  return [499, 502].includes(problem.status);
}

interface StreamPosition {
  /** The index of the next item. */
  next: number;
  /** The index that the stream began with; absent before it began. */
  first: number | undefined;
  /** The name of a buffered stream. */
  id: string | undefined;
  /** When the service wants to be asked again, in milliseconds. */
  retry: number | undefined;
  /** The service cannot resume it. */
  isLost: boolean;
}

interface StreamEnd {
  readonly count?: number;
  readonly retry?: number;
  readonly problem?: Record<string, unknown>;
}

// The last line of a stream; undefined for an item.
function endOf(line: string): StreamEnd | undefined {
  if (!line.startsWith('{"$weir":{') || line.startsWith('{"$weir":{"item":')) {
    return undefined;
  }

  return (JSON.parse(line) as { readonly $weir: StreamEnd }).$weir;
}

// Lines that are not empty: an empty one is a heartbeat. A last line without a line feed was cut.
async function* lines(response: Response, alive: () => void): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }

  const decoder = new TextDecoder();
  let waiting: string[] = [];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      alive();
      const text = decoder.decode(part.value, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        waiting.push(text.slice(start, end));
        const line = waiting.length === 1 ? waiting[0]! : waiting.join("");
        waiting = [];
        start = end + 1;
        if (line.trim() !== "") {
          yield line;
        }
      }

      if (start < text.length) {
        waiting.push(text.slice(start));
      }
    }
  } finally {
    reader.releaseLock();
  }
}

async function problemOf(response: Response): Promise<WeirProblem> {
  const text = await response.text().catch(() => "");
  if (response.headers.get("content-type")?.includes("json") === true) {
    try {
      const members: unknown = JSON.parse(text);
      if (typeof members === "object" && members !== null) {
        return new WeirProblem(response.status, members as Record<string, unknown>);
      }
    } catch {
      // Something in between answered with what only looks like JSON.
    }
  }

  return new WeirProblem(response.status, { title: `HTTP status ${response.status}`, detail: text === "" ? undefined : text.slice(0, 1000) });
}
