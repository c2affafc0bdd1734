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
  /** How long a response that has begun may be silent, in milliseconds, before it counts as cut; heartbeats are not silence. Default: 60000. 0 is no limit. */
  readonly idleTimeout?: number;
  /** The largest result, in bytes. Default: 268435456. 0 is no limit. */
  readonly maxResultBytes?: number;
  /** The largest item of a stream, in bytes of JSON. Default: 67108864. 0 is no limit. */
  readonly maxItemBytes?: number;
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
    this.status = status;
    this.code = text("code");
    this.detail = text("detail");
    this.thrown = text("thrown");
    this.bindingErrors = Array.isArray(members["bindingErrors"]) ? members["bindingErrors"].filter((one) => typeof one === "object" && one !== null) : [];
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

/** The service answered with success, but not with what its contract says, not with all of it, or with more than the client takes. */
export class UnexpectedResponse extends Error {
  override readonly name = "UnexpectedResponse";
  /** The operation: `Orders/Find`. */
  readonly operation: string;

  constructor(operation: string, reason: string, cause?: unknown) {
    super(`${operation} was not answered as its contract says: ${reason}.`, { cause });
    this.operation = operation;
  }
}

/** The service is not what this client was built for, and the difference matters. Build the client again from the service. */
export class ContractChanged extends Error {
  override readonly name = "ContractChanged";
  /** The operation: `Orders/Find`. */
  readonly operation: string;
  /** What differs, each as a sentence without a full stop. */
  readonly changes: readonly string[];
  /** Whether the service may have run the operation: a cache answered. The result is not used. */
  readonly hasRun: boolean;

  constructor(operation: string, changes: readonly string[], hasRun = false) {
    super(`${operation} is not what this client was built for: ${changes.join("; ")}.${hasRun ? " The service may have run it; its result is not used." : ""} Write the client again with 'weir client'.`);
    this.operation = operation;
    this.changes = changes;
    this.hasRun = hasRun;
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
  /** The media type of a result that is bytes, where the contract says one. */
  readonly mediaType?: string;
  readonly resumable?: "source" | "buffer" | "job";
  /** Sends another request instead: the result or the items of a job. */
  readonly answer?: (accept: string, options: CallOptions) => Promise<Response>;
}

type Arguments = Readonly<Record<string, unknown>>;

// What docs/guide/contracts.md calls the text of a contract, of which a client needs this to compare its own with a service's.
interface ContractText {
  readonly operations: readonly ContractOperation[];
  readonly types: Readonly<Record<string, ContractType>>;
}

interface ContractOperation {
  readonly name: string;
  readonly signature?: string;
  readonly routes: readonly { readonly verbs: readonly string[]; readonly path: string }[];
  readonly parameters?: readonly { readonly name: string; readonly wire?: string; readonly in: string; readonly type: string; readonly optional?: boolean }[];
  readonly result: { readonly kind: string; readonly type?: string; readonly mediaType?: string };
  readonly resumable?: string;
}

interface ContractType {
  readonly enum?: readonly string[];
  readonly flags?: boolean;
  readonly members?: readonly ContractMember[];
  readonly discriminator?: string;
  readonly cases?: readonly { readonly value?: string | number; readonly type: string }[];
}

interface ContractMember {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly omitted?: boolean;
}

type Contracts = Readonly<Record<string, ContractText>>;

// As many versions as run side by side, besides the client's own; and in one call.
const mostOtherSignatures = 2;
const mostVersions = 6;

function operationOf(contract: ContractText, name: string): ContractOperation | undefined {
  return contract.operations.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

/** Compares an operation of the client's contract with the service's. Types are compared by what they are; a request may lack more than before, a result may not. */
class ContractComparison {
  readonly changes: string[] = [];
  readonly #before: ContractText;
  readonly #after: ContractText;
  // A pair of types is compared once in each direction: types may refer to themselves.
  readonly #compared = new Set<string>();

  constructor(before: ContractText, after: ContractText) {
    this.#before = before;
    this.#after = after;
  }

  compare(name: string): void {
    const before = operationOf(this.#before, name);
    const after = operationOf(this.#after, name);
    if (before === undefined || after === undefined) {
      this.changes.push("it is not there any more");
      return;
    }

    // The client uses the first route, with its first verb. Without constraints: a value that one refuses was refused as the wrong value before.
    const routes = (operation: ContractOperation): string[] =>
      operation.routes.flatMap((route) => route.verbs.map((verb) => `${verb} ${route.path.replace(/\{\**([^:=?{}]+)(?:[^{}]|\{\{|\}\})*\}/g, "{$1}")}`));
    const [used] = routes(before);
    if (used !== undefined && !routes(after).some((one) => one.toLowerCase() === used.toLowerCase())) {
      this.changes.push(`${used} is not served any more`);
    }

    this.#parameters(before, after);
    if (before.result.kind !== after.result.kind) {
      this.changes.push(`its result is '${after.result.kind}', and was '${before.result.kind}'`);
    } else if (before.result.type !== undefined && after.result.type !== undefined) {
      this.#types("the result", before.result.type, after.result.type, false);
    }

    if (before.result.kind === after.result.kind && before.result.mediaType !== after.result.mediaType) {
      const none = "bytes of no declared media type";
      this.changes.push(`its result is ${after.result.mediaType ?? none}, and was ${before.result.mediaType ?? none}`);
    }

    if (before.resumable !== undefined && before.resumable !== after.resumable) {
      this.changes.push("it does not continue after a cut as before ([Resumable])");
    }
  }

  #parameters(before: ContractOperation, after: ContractOperation): void {
    const later = [...(after.parameters ?? [])];
    for (const parameter of before.parameters ?? []) {
      const name = parameter.wire ?? parameter.name;
      const at = later.findIndex((one) => (one.wire ?? one.name).toLowerCase() === name.toLowerCase());
      const [same] = at < 0 ? [] : later.splice(at, 1);
      if (same === undefined) {
        this.changes.push(`the parameter '${name}' is not there any more`);
        continue;
      }

      if (parameter.in !== same.in) {
        this.changes.push(`the parameter '${name}' comes from '${same.in}', and came from '${parameter.in}'`);
      } else if (parameter.optional === true && same.optional !== true) {
        this.changes.push(`the parameter '${name}' must be sent, and was optional`);
      }

      this.#types(`the parameter '${name}'`, parameter.type, same.type, true);
    }

    later.filter((one) => one.optional !== true).forEach((one) => this.changes.push(`the parameter '${one.wire ?? one.name}' is new, and must be sent`));
  }

  #types(what: string, before: string, after: string, isSent: boolean): void {
    if (isSent && before.endsWith("?") && !after.endsWith("?")) {
      this.changes.push(`${what} may not be null any more`);
    } else if (!isSent && !before.endsWith("?") && after.endsWith("?")) {
      this.changes.push(`${what} may be null, and was never`);
    }

    const [coreBefore, coreAfter] = [before.replace(/\?+$/, ""), after.replace(/\?+$/, "")];
    for (const suffix of ["[]", "{}"]) {
      if (coreBefore.endsWith(suffix) && coreAfter.endsWith(suffix)) {
        this.#types(`${suffix === "[]" ? "an item" : "a value"} of ${what}`, coreBefore.slice(0, -2), coreAfter.slice(0, -2), isSent);
        return;
      }
    }

    const typeBefore = Object.hasOwn(this.#before.types, coreBefore) ? this.#before.types[coreBefore] : undefined;
    const typeAfter = Object.hasOwn(this.#after.types, coreAfter) ? this.#after.types[coreAfter] : undefined;
    const scalar = (type: string): string => (type === "text" ? "string" : type);
    if (typeBefore !== undefined && typeAfter !== undefined) {
      const pair = `${coreBefore}\n${coreAfter}\n${isSent}`;
      if (!this.#compared.has(pair)) {
        this.#compared.add(pair);
        this.#definitions(what, coreBefore, coreAfter, typeBefore, typeAfter, isSent);
      }
    } else if (scalar(coreBefore) !== scalar(coreAfter)) {
      this.changes.push(`${what} is ${coreAfter}, and was ${coreBefore}`);
    }
  }

  #definitions(what: string, nameBefore: string, nameAfter: string, before: ContractType, after: ContractType, isSent: boolean): void {
    if ((before.enum === undefined) !== (after.enum === undefined) || before.discriminator !== after.discriminator || (isSent && before.flags === true && after.flags !== true)) {
      this.changes.push(`${what} has another form: ${shortName(nameAfter)}, and was ${shortName(nameBefore)}`);
    } else if (before.enum !== undefined) {
      before.enum.filter((name) => isSent && !after.enum!.includes(name)).forEach((name) => this.changes.push(`${what}: ${shortName(nameBefore)} has no '${name}' any more`));
    } else {
      for (const one of before.cases ?? []) {
        const same = after.cases?.find((other) => other.value === one.value);
        if (same !== undefined) {
          this.#types(`${what} as '${one.value ?? ""}'`, one.type, same.type, isSent);
        } else if (isSent) {
          this.changes.push(`${what}: ${shortName(nameBefore)} has no case '${one.value ?? ""}' any more`);
        }
      }

      this.#members(what, nameBefore, before.members ?? [], after.members ?? [], isSent);
    }
  }

  #members(what: string, type: string, before: readonly ContractMember[], after: readonly ContractMember[], isSent: boolean): void {
    const isVisible = (one: ContractMember): boolean => (isSent ? one.readOnly : one.writeOnly) !== true;
    const later = after.filter(isVisible);
    for (const member of before.filter(isVisible)) {
      const path = `'${member.name}' of ${shortName(type)}`;
      const at = later.findIndex((one) => (isSent ? one.name.toLowerCase() === member.name.toLowerCase() : one.name === member.name));
      const [same] = at < 0 ? [] : later.splice(at, 1);
      if (same === undefined) {
        this.changes.push(`${what}: ${path} is not ${isSent ? "read" : "there"} any more`);
        continue;
      }

      if (isSent && member.optional === true && same.optional !== true) {
        this.changes.push(`${what}: ${path} must be sent, and was optional`);
      } else if (!isSent && member.omitted !== true && same.omitted === true) {
        this.changes.push(`${what}: ${path} may lack, and was always there`);
      }

      this.#types(`${what}: ${path}`, member.type, same.type, isSent);
    }

    later.filter((one) => isSent && one.optional !== true).forEach((one) => this.changes.push(`${what}: '${one.name}' of ${shortName(type)} is new, and must be sent`));
  }
}

function shortName(type: string): string {
  const open = type.indexOf("<");
  return type.slice(type.lastIndexOf(".", open < 0 ? undefined : open) + 1);
}

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
  const core = type?.endsWith("?") ? type.slice(0, -1) : type;
  return core !== undefined && Object.hasOwn(types, core) ? types[core] : undefined;
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

function finite(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${value} is no number in JSON`);
  }

  return value;
}

// JSON.stringify makes null of a number that JSON does not have: a value in which there is a null is looked at again.
function stringify(value: unknown): string | undefined {
  const json = JSON.stringify(value) as string | undefined;
  return json?.includes("null") === true ? JSON.stringify(value, finite) : json;
}

/** As `writeJson`, with an error that names the parameter. */
function jsonOf(name: string, value: unknown, type: string | undefined, types: NamedTypes): string | undefined {
  try {
    return writeJson(value, type, types);
  } catch (error) {
    throw new TypeError(`'${name}' cannot be sent as JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A value that a header holds as it is: visible ASCII, with blanks between but not around it. */
function headerOf(name: string, text: string): string {
  if (!/^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(text)) {
    throw new TypeError(`'${name}' is a header, which holds visible ASCII without blanks at its ends and without line breaks, so it cannot be ${JSON.stringify(text)}.`);
  }

  return text;
}

/** The name of a file, or of a field, that a form holds as it is: forms write some characters in another way, and services do not undo that. */
function formNameOf(name: string, text: string): string {
  if (/["\r\n]|\\$/.test(text)) {
    throw new TypeError(`'${name}' is a file of a form, whose name cannot have a quotation mark, a line break or a backslash at its end, so it cannot be ${JSON.stringify(text)}.`);
  }

  return text;
}

/** Writes JSON by its type: the digits of an exact number are written as a number. */
function writeJson(value: unknown, type: string | undefined, types: NamedTypes): string | undefined {
  if (type === undefined || value === null || value === undefined) {
    return stringify(value);
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
    const named = union?.by === undefined ? union : caseOf(types, union, argumentOf(value as Arguments, union.by));
    return `{${Object.entries(value)
      .map(([name, one]) => [name, writeJson(one, values ?? memberType(named, name), types)])
      .filter(([, json]) => json !== undefined)
      .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
      .join(",")}}`;
  }

  return stringify(value);
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

// The pause before an attempt: it grows, and no two clients have the same.
function backoff(attempt: number): number {
  return Math.min(30_000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

async function headersOf(accept: string, client: ClientOptions, call: CallOptions | undefined): Promise<Record<string, string>> {
  const own = client.headers;
  return { accept, ...(typeof own === "function" ? await own() : own), ...call?.headers };
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

/** An argument; undefined for one that is left out, also where every object has a member of its name. */
function argumentOf(args: Arguments, name: string): unknown {
  return name in Object.prototype && !Object.hasOwn(args, name) ? undefined : args[name];
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

// The first media range has it.
function withSignature(accept: string, signatures: string): string {
  return signatures === "" ? accept : accept.replace(/^[^,]*/, (first) => `${first};signature=${signatures}`);
}

function signatureIn(problem: WeirProblem, operation: OperationInfo): string | undefined {
  try {
    const signature: unknown = operationOf(problem.members["contract"] as ContractText, operation.name.split("/")[1]!)?.signature;
    return typeof signature === "string" ? signature : undefined;
  } catch {
    // What it has there is no contract.
    return undefined;
  }
}

const octets = "application/octet-stream";
const defaultIdle = 60_000;
const defaultResultBytes = 256 * 1024 * 1024;
const defaultItemBytes = 64 * 1024 * 1024;
const mostProblemBytes = 1024 * 1024;

// What a service may ask to wait before a stream connects again, in milliseconds: a shorter time would be a loop, a longer one is longer than a timer can wait.
const [shortestRetry, longestRetry] = [100, 60_000];

// The whole body of a response, bounded in bytes and in silence.
async function bodyOf(response: Response, most: number, idle: number, tooLarge: string): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return new Uint8Array(await response.arrayBuffer());
  }

  const parts: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silent: (error: Error) => void = () => undefined;
  const silence = new Promise<never>((_, reject) => (silent = reject));
  silence.catch(() => undefined);
  try {
    while (true) {
      if (idle > 0) {
        timer = setTimeout(() => silent(new Error(`nothing arrived for ${idle} ms, which is idleTimeout`)), idle);
      }

      const part = await Promise.race([reader.read(), silence]);
      clearTimeout(timer);
      if (part.done) {
        break;
      }

      length += part.value.length;
      if (most > 0 && length > most) {
        throw new Error(tooLarge);
      }

      parts.push(part.value);
    }
  } catch (error) {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
    throw error;
  }

  if (parts.length === 1) {
    return parts[0]!;
  }

  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }

  return whole;
}

/** Sends the requests of a client. */
class WeirConnection {
  readonly #options: ClientOptions;
  readonly #types: NamedTypes;
  readonly #contracts: Contracts;
  // Of each operation, the contract of the client and those of services that it has compared with its own.
  readonly #known = new Map<string, readonly string[]>();

  constructor(options: ClientOptions, types: NamedTypes, contracts: Contracts) {
    this.#options = options;
    this.#types = types;
    this.#contracts = contracts;
  }

  async none(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<void> {
    const response = await this.#send(operation, args, "application/json", options);
    await response.body?.cancel();
  }

  async value<T>(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<T> {
    const response = await this.#send(operation, args, "application/json", options);
    if (response.status === 204) {
      return this.#checked<T>(operation, null);
    }

    const body = await this.#body(operation, response, options?.signal);
    return this.#parse<T>(operation, new TextDecoder().decode(body));
  }

  // What the service sent, as the contract says it.
  #parse<T>(operation: OperationInfo, text: string): T {
    let value: unknown;
    try {
      value = parseJson(text, operation.type, this.#types);
    } catch (error) {
      throw new UnexpectedResponse(operation.name, `its JSON cannot be read (${error instanceof Error ? error.message : String(error)})`, error);
    }

    return this.#checked<T>(operation, value);
  }

  #checked<T>(operation: OperationInfo, value: unknown): T {
    if (value === null) {
      const [service, name] = operation.name.split("/") as [string, string];
      const contract = this.#contracts[service];
      const type = contract === undefined ? undefined : operationOf(contract, name)?.result.type;
      if (type !== undefined && type !== "json" && !type.endsWith("?")) {
        throw new UnexpectedResponse(operation.name, "it sent null, and the contract says that it never does");
      }
    }

    return value as T;
  }

  async #body(operation: OperationInfo, response: Response, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const most = this.#options.maxResultBytes ?? defaultResultBytes;
    try {
      return await bodyOf(response, most, this.#options.idleTimeout ?? defaultIdle, `it is larger than ${most} bytes, which is maxResultBytes`);
    } catch (error) {
      signal?.throwIfAborted();
      throw new UnexpectedResponse(operation.name, error instanceof TypeError ? "the connection was cut within its result" : error instanceof Error ? error.message : String(error), error);
    }
  }

  async bytes(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<Uint8Array> {
    const bytes = await this.bytesOrNull(operation, args, options);
    if (bytes === null) {
      throw new UnexpectedResponse(operation.name, "it sent null, and the contract says that it never does");
    }

    return bytes;
  }

  async bytesOrNull(operation: OperationInfo, args: Arguments, options?: CallOptions): Promise<Uint8Array | null> {
    const response = await this.#send(operation, args, `${operation.mediaType ?? octets}, */*;q=0.1`, options);
    if (response.status === 204) {
      return null;
    }

    const bytes = await this.#body(operation, response, options?.signal);

    // There is no null in bytes as they are, so the service writes it in JSON.
    const isNull = response.headers.get("content-type")?.toLowerCase().startsWith("application/json") === true && new TextDecoder().decode(bytes) === "null";
    return isNull ? null : bytes;
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
      const response = await this.#send(operation, args, operation.mediaType ?? octets, { ...options, signal });
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
      throw error instanceof WeirProblem || error instanceof ContractChanged || error instanceof UnexpectedResponse ? error : new StreamInterrupted(count, idle.reason ?? "the connection was cut", error);
    } finally {
      idle.end();
      options.onState?.({ kind: "ended" });
    }
  }

  async *#readStream<T>(operation: OperationInfo, args: Arguments, options: StreamOptions): AsyncGenerator<T, void, undefined> {
    const ended = new AbortController();
    const signal = options.signal === undefined ? ended.signal : AbortSignal.any([options.signal, ended.signal]);
    // The items of a job are there from any index on, before the first answer as well.
    const from = operation.resumable === "job" ? Number(args["from"]) : undefined;
    const position: StreamPosition = { next: from ?? 0, first: from, id: undefined, retry: undefined, isLost: false };
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
          if (error instanceof WeirProblem && isPassing(operation, error) && this.#canResume(operation, position)) {
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
          ? backoff(attempt)
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
    return !position.isLost && (operation.resumable === "buffer" ? position.id !== undefined : operation.resumable !== undefined && position.first !== undefined);
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
      if (!isResumed || error instanceof ContractChanged) {
        throw error;
      }

      // Where the service does not have the stream any more, or refuses the caller, it will answer the same again.
      position.isLost = error instanceof WeirProblem && error.status < 500 && ![408, 425, 429].includes(error.status);
      if (position.isLost && operation.resumable === "job" && position.next === position.first) {
        throw error;
      }

      throw new StreamInterrupted(position.next, position.isLost ? "it cannot be resumed" : "connecting again failed", error);
    }

    if (!isResumed) {
      const from = operation.resumable === "source" ? Number(argumentOf(args, "from") ?? 0) : 0;
      position.first = from;
      position.next = from;
      position.id = operation.resumable === "buffer" ? response.headers.get("Weir-Stream") ?? undefined : undefined;
    }

    options.onState?.({ kind: "live" });
    try {
      idle.start();
      const most = this.#options.maxItemBytes ?? defaultItemBytes;
      const tooLarge = (): Error => new UnexpectedResponse(operation.name, `item ${position.next} is larger than ${most} bytes, which is maxItemBytes`);
      for await (const line of lines(response, most, tooLarge, () => idle.start())) {
        const end = endOf(operation, line);
        if (end === undefined) {
          const item = this.#parse<T>(operation, line.startsWith('{"$weir":{"item":') ? line.slice(17, -2) : line);
          position.next++;
          idle.stop();
          yield item;
          idle.start();
        } else if (end.problem !== undefined) {
          // Its response began with success: here the status is in the problem.
          const status = end.problem["status"];
          throw new WeirProblem(typeof status === "number" && status >= 400 && status <= 599 ? status : 500, end.problem);
        } else if (end.retry !== undefined) {
          position.retry = Math.min(longestRetry, Math.max(shortestRetry, end.retry));
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
      throw error instanceof WeirProblem || error instanceof StreamInterrupted || error instanceof UnexpectedResponse
        ? error
        : new StreamInterrupted(position.next, idle.reason ?? "the connection was cut", error);
    } finally {
      idle.end();
    }
  }

  #problemOf(response: Response): Promise<WeirProblem> {
    return problemOf(response, this.#options.idleTimeout ?? defaultIdle);
  }

  async #send(operation: OperationInfo, args: Arguments, accept: string, options?: CallOptions): Promise<Response> {
    if (operation.answer !== undefined) {
      return operation.answer(accept, options ?? {});
    }

    const headers = await headersOf(accept, this.#options, options);
    if (options?.deadline !== undefined) {
      headers["Weir-Deadline-Ms"] = String(Math.max(0, Math.ceil(options.deadline)));
    }

    const init: RequestInit & { duplex?: "half" } = { method: operation.verb, headers };
    if (options?.signal !== undefined) {
      init.signal = options.signal;
    }

    const url = this.#prepare(operation, args, headers, init);
    const fetch = this.#options.fetch ?? globalThis.fetch;
    const wanted = headers["accept"] ?? accept;
    for (let attempt = 1; ; attempt++) {
      // Every request says which contracts the client knows, in a header that needs no preflight: a service of another contract runs nothing.
      const known = this.#known.get(operation.name) ?? this.#signaturesOf(operation);
      headers["accept"] = withSignature(wanted, known.join("."));
      const response = await fetch(url, init);
      if (response.ok) {
        const answered = response.headers.get("Weir-Signature");
        if (answered !== null && known.length > 0 && !known.includes(answered)) {
          await this.#judgeAnswer(operation, answered, response, () => fetch(`${url}${url.includes("?") ? "&" : "?"}weir-question=${Math.random()}`, this.#question(init, headers)));
        }

        return response;
      }

      const problem = await this.#problemOf(response);
      options?.signal?.throwIfAborted();
      if (response.status !== 412 || problem.code !== "WEIR2023") {
        throw problem;
      }

      this.#judge(operation, problem, false);
      if (attempt === mostVersions) {
        throw new ContractChanged(operation.name, ["the service has another contract of it at each attempt"]);
      }

      if (typeof ReadableStream !== "undefined" && init.body instanceof ReadableStream) {
        throw new ContractChanged(operation.name, ["the service has another version, which this client can call, but a stream can be sent once only: call the operation again with a new one"]);
      }
    }
  }

  // No service runs it: it answers with its contract.
  #question(init: RequestInit, headers: Record<string, string>): RequestInit {
    const { body: _body, ...rest } = init;
    const { "content-type": _type, ...others } = headers;
    return { ...rest, headers: { ...others, accept: withSignature("*/*", "none") }, cache: "no-store" };
  }

  // A cache has answered with what a service of another contract wrote.
  async #judgeAnswer(operation: OperationInfo, answered: string, response: Response, ask: () => Promise<Response>): Promise<void> {
    try {
      for (let attempt = 1; attempt <= mostVersions; attempt++) {
        const asked = await ask();
        if (asked.status !== 412) {
          await asked.body?.cancel();
          break;
        }

        const problem = await this.#problemOf(asked);
        if (problem.code === "WEIR2023" && signatureIn(problem, operation) === answered) {
          this.#judge(operation, problem, true);
          return;
        }
      }

      throw new ContractChanged(operation.name, [`the service answered by another contract of it, ${answered}, and does not say which`], true);
    } catch (error) {
      await response.body?.cancel().catch(() => undefined);
      throw error;
    }
  }

  // Compares the contract in a problem with the client's own, and knows it from now on.
  #judge(operation: OperationInfo, problem: WeirProblem, hasRun: boolean): void {
    const [service, name] = operation.name.split("/") as [string, string];
    let changes: readonly string[];
    try {
      const comparison = new ContractComparison(this.#contracts[service]!, problem.members["contract"] as ContractText);
      comparison.compare(name);
      changes = comparison.changes;
    } catch (error) {
      changes = [`the service describes it in a way that this client does not understand (${error instanceof Error ? error.message : String(error)})`];
    }

    if (changes.length > 0) {
      throw new ContractChanged(operation.name, changes, hasRun);
    }

    const signature = signatureIn(problem, operation);
    if (signature !== undefined && /^[0-9a-f]{16}$/.test(signature)) {
      const [own, ...others] = this.#known.get(operation.name) ?? this.#signaturesOf(operation);
      this.#known.set(operation.name, [own!, ...[...others, signature].slice(-mostOtherSignatures)]);
    }
  }

  #signaturesOf(operation: OperationInfo): readonly string[] {
    const [service, name] = operation.name.split("/") as [string, string];
    const contract = this.#contracts[service];
    const signature = contract === undefined ? undefined : operationOf(contract, name)?.signature;
    return signature === undefined ? [] : [signature];
  }

  #prepare(operation: OperationInfo, args: Arguments, headers: Record<string, string>, init: RequestInit & { duplex?: "half" }): string {
    let path = operation.path;
    const query = new URLSearchParams();
    const members: string[] = [];
    const form: [string, string | FileInput][] = [];
    let hasMembers = false;
    for (const [place, name, wire = name, type] of operation.parameters) {
      const value = argumentOf(args, name);
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
          if (Array.isArray(value) && texts.some((text) => text === "" || /[,"]/.test(text))) {
            throw new TypeError(`'${name}' is a header, where commas separate elements and quotation marks surround them, so an element must not be empty, or have either.`);
          }

          if (texts.length > 0) {
            headers[wire] = texts.map((text) => headerOf(name, text)).join(",");
          }

          break;
        case "member": {
          const json = jsonOf(name, value, type, this.#types);
          hasMembers = true;
          if (json !== undefined) {
            members.push(`${JSON.stringify(wire)}:${json}`);
          }

          break;
        }

        case "body": {
          const json = jsonOf(name, value, type, this.#types);
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
          init.body = this.#items(name, value, type);
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
      // Fields first: an isolated operation runs while its files arrive.
      for (const [name, value] of form) {
        if (typeof value === "string") {
          data.append(name, value);
        }
      }

      for (const [name, value] of form) {
        if (typeof value === "string") {
          continue;
        }

        if (value instanceof Blob) {
          data.append(name, value, formNameOf(name, "name" in value ? String(value.name) : name));
        } else {
          data.append(name, value.data, formNameOf(name, value.name));
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
  #items(name: string, value: unknown, type: string | undefined): BodyInit {
    const write = (item: unknown): string => `${jsonOf(name, item, type, this.#types) ?? "null"}\n`;
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

// Within a stream: the operation itself did not fail. The service ended the response, or lost the worker. A source runs again from an index on, by its
// contract; what a service keeps has ended with its worker. A job outlives the host whose store is closed.
const passingCodes: Readonly<Record<"source" | "buffer" | "job", readonly string[]>> = { source: ["WEIR2013", "WEIR2011", "WEIR2012"], buffer: ["WEIR2013"], job: ["WEIR2013", "WEIR2043"] };

function isPassing(operation: OperationInfo, problem: WeirProblem): boolean {
  return operation.resumable !== undefined && passingCodes[operation.resumable].includes(problem.code ?? "");
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

// The last line of a stream; undefined for an item. A line that says two things, or none, says nothing.
function endOf(operation: OperationInfo, line: string): StreamEnd | undefined {
  if (!line.startsWith('{"$weir":') || (line.startsWith('{"$weir":{"item":') && line.endsWith("}}"))) {
    return undefined;
  }

  let end: unknown;
  try {
    end = (JSON.parse(line) as { readonly $weir: unknown }).$weir;
  } catch {
    end = undefined;
  }

  const { ok, count, retry, problem } = (typeof end === "object" && end !== null ? end : {}) as Record<string, unknown>;
  const isTime = typeof retry === "number" && retry >= 0;
  const isProblem = typeof problem === "object" && problem !== null && !Array.isArray(problem);
  if ([count, retry, problem].filter((one) => one !== undefined).length !== 1 || !(isTime || isProblem || (ok === true && typeof count === "number"))) {
    throw new UnexpectedResponse(operation.name, "a line of its stream begins with $weir and is neither an item, nor a problem, nor the end");
  }

  return isTime ? { retry: retry as number } : isProblem ? { problem: problem as Record<string, unknown> } : { count: count as number };
}

// Lines that are not empty: an empty one is a heartbeat. A last line without a line feed was cut.
async function* lines(response: Response, most: number, tooLarge: () => Error, alive: () => void): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }

  const decoder = new TextDecoder();
  let waiting: string[] = [];
  let waitingBytes = 0;
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

      const feed = part.value.lastIndexOf(10);
      waitingBytes = feed < 0 ? waitingBytes + part.value.length : part.value.length - feed - 1;
      if (most > 0 && waitingBytes > most) {
        throw tooLarge();
      }
    }
  } finally {
    reader.releaseLock();
  }
}

// A problem whose text cannot be read is still a problem: its status says which.
async function problemOf(response: Response, idle: number): Promise<WeirProblem> {
  const text = await bodyOf(response, mostProblemBytes, idle, `its problem is larger than ${mostProblemBytes} bytes`)
    .then((body) => new TextDecoder().decode(body))
    .catch(() => "");
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
