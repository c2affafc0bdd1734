'use strict';
// Serves operations of a Weir host from Node: one file, no dependencies, Node 18 or newer, Linux.
//
//   const { operation, serve } = require('./weir-worker.js');
//
//   operation('Text/Shout', { text: 'text', times: 'int?' }, ({ text, times = 1 }) => text.toUpperCase().repeat(times));
//   operation('Text/Letters', { text: 'text' }, function* ({ text }) { yield* text; });
//   serve();
//
// An operation names its parameters in the order of the host's contract, each with what it must be: bytes, text, int, number,
// bool or json, and a question mark where it may be absent. It may be async; a generator is a stream. Its second
// argument is the call: { id, operation, signal, cancelled, remaining, traceparent, tracestate, culture, uiCulture, baggage, items,
// user, response, throwIfCancelled(), job }, where `job` is null for a direct call, and else what it is an attempt of: { id, attempt,
// fence, scheduledFor, key, submitter, report(fraction, text) }.
//
// One parameter may come while the call runs: content (a Readable), file (a Readable with name, fileName, contentType, length and
// headers), files (an async iterator of them) or items (an async iterator of values). Bytes of any length are returned as a
// Readable or an iterator of Buffers, where the host's contract says so:
//
//   operation('Scans/Convert', { scan: 'file' }, ({ scan }, call) => {
//     call.response.headers['Content-Type'] = 'image/png';
//     return pipeline(scan, converter(), () => {}); // of node:stream: it passes failures on
//   });
//
// Two threads. The main thread reads calls and runs them one after the other. At the same time a worker_thread reads the control
// channel, so that it answers the host and records a cancel also while synchronous code runs. Synchronous code reads
// `call.cancelled` to find out; asynchronous code uses `call.signal`. Written from docs/protocol.md, version 1.

const { constants } = require('node:buffer');
const fs = require('node:fs');
const { Socket } = require('node:net');
const { Readable } = require('node:stream');
const { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } = require('node:worker_threads');

const VERSION = 1;
const MOST_PAYLOAD = 64 << 20;
const MOST_DESCRIPTION = 1 << 20;
const MOST_AHEAD = 65_536n;
const MOST_CREDIT = 2 ** 30;
const MOST_LOG = 256 << 10;
const MOST_CONTROL = 1 << 20;
const PROGRESS_MILLISECONDS = 100;
const MOST_PIECE = 64 << 10; // Of content, in one frame.
const MOST_STACK = 64 << 10, MOST_CALLER = 64 << 10;
const FIRST_CREDIT = 256 << 10, LEAST_CREDIT = 64 << 10; // For what the caller sends: at first, and then at a time.

const DATA = 3, CONTROL = 4, FIRST_SHARED = 6;
const EXIT = { drained: 0, startFailed: 1, hostBroke: 2, channelEnded: 3, usage: 64 };

// ---- Frames.

const CALL = 1, ITEM = 2, END = 3, ABORT = 4, CREDIT = 5, STARTED = 6, RESULT = 7, ERROR = 8;
const HELLO = 16, READY = 17, CANCEL = 18, RETURNED = 20, PING = 21, PONG = 22, DRAIN = 23, LOG = 24, BYE = 25, SPACE = 26, PROGRESS = 27, STACK = 28;
const NO_VALUE = 1, RAW = 2, FAILED = 4, HEAD = 8;
const DATA_DOWN = 1, DATA_UP = 2, CONTROL_DOWN = 4, CONTROL_UP = 8;
const ZERO = 0, REQUIRED = 1, OPTIONAL = 2;
const HEADER = 16;
// The capabilities that this worker chooses where the host offers them; the first only where one of its operations takes items, content or files.
const CAN_TAKE_ITEMS = 8, CAN_SEND_HEADS = 32, CAN_TAKE_CONTEXT = 64, CAN_REPORT_PROGRESS = 128, CAN_CARRY_CONTENT = 256, CAN_KNOW_CALLER = 512, CAN_SHOW_STACK = 1024, CAN_SHARE_DATA = 2048;
const CAN_ALWAYS = CAN_SEND_HEADS | CAN_TAKE_CONTEXT | CAN_REPORT_PROGRESS | CAN_CARRY_CONTENT | CAN_KNOW_CALLER | CAN_SHOW_STACK | CAN_SHARE_DATA;
const LEAST_PROGRESS = 12, MOST_PROGRESS = 812;

// name, where it is allowed, flags, least and most bytes of payload (null: the reader's limit), call id
const RULES = new Map([
  [CALL, ['CALL', DATA_DOWN, 0, 24, null, REQUIRED]],
  [ITEM, ['ITEM', DATA_DOWN | DATA_UP, RAW, 0, null, REQUIRED]],
  [END, ['END', DATA_DOWN, 0, 0, 0, REQUIRED]],
  [ABORT, ['ABORT', DATA_DOWN, 0, 5, MOST_DESCRIPTION, REQUIRED]],
  [CREDIT, ['CREDIT', DATA_DOWN | DATA_UP | CONTROL_DOWN, 0, 4, 4, REQUIRED]],
  [STARTED, ['STARTED', DATA_UP, 0, 0, 0, REQUIRED]],
  [RESULT, ['RESULT', DATA_UP, NO_VALUE | RAW, 0, null, REQUIRED]],
  [ERROR, ['ERROR', DATA_UP, 0, 1, MOST_DESCRIPTION, REQUIRED]],
  [HELLO, ['HELLO', CONTROL_DOWN, 0, 28, MOST_DESCRIPTION, ZERO]],
  [READY, ['READY', CONTROL_UP, FAILED, 16, MOST_DESCRIPTION, ZERO]],
  [CANCEL, ['CANCEL', CONTROL_DOWN, 0, 1, 1, REQUIRED]],
  [RETURNED, ['RETURNED', CONTROL_UP, 0, 8, 8, REQUIRED]],
  [PING, ['PING', CONTROL_DOWN, 0, 8, 8, ZERO]],
  [PONG, ['PONG', CONTROL_UP, 0, 8, 8, ZERO]],
  [DRAIN, ['DRAIN', CONTROL_DOWN, 0, 0, 0, OPTIONAL]],
  [LOG, ['LOG', CONTROL_UP, 0, 28, MOST_DESCRIPTION, OPTIONAL]],
  [BYE, ['BYE', CONTROL_UP, 0, 5, MOST_DESCRIPTION, ZERO]],
  [SPACE, ['SPACE', CONTROL_DOWN, 0, 0, 0, ZERO]], // Not sent to workers without shared memory.
  [PROGRESS, ['PROGRESS', CONTROL_UP, 0, LEAST_PROGRESS, MOST_PROGRESS, REQUIRED]],
  [STACK, ['STACK', CONTROL_DOWN | CONTROL_UP, 0, 0, MOST_STACK, REQUIRED]],
]);

// The host broke the protocol; the name goes into BYE.
class Broken extends Error {
  constructor(name, detail) {
    super(`${name}: ${detail}`);
  }
}

// A payload of this worker is longer than the host accepts.
class TooLong extends Error {
  constructor(length, limit) {
    super(`${length} bytes, the limit is ${limit}`);
    Object.assign(this, { length, limit });
  }
}

function header(type, callId, length, flags = 0) {
  const bytes = Buffer.allocUnsafe(HEADER);
  bytes.writeUInt32LE(length, 0);
  bytes[4] = type;
  bytes[5] = flags;
  bytes.writeUInt16LE(0, 6);
  bytes.writeBigUInt64LE(callId, 8);
  return bytes;
}

const frame = (type, callId, payload = Buffer.alloc(0), flags = 0) => Buffer.concat([header(type, callId, payload.length, flags), payload]);

// Turns received bytes into frames. It keeps the chunks that arrived, and never allocates memory for the length that a header announces.
class FrameReader {
  #routes;
  #most;
  #chunks = [];
  #length = 0;
  #header = null;

  constructor(routes, most = MOST_PAYLOAD) {
    this.#routes = routes;
    this.#most = most;
  }

  get unread() { return this.#length; }

  feed(chunk) {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  // The next whole frame, or null.
  next() {
    this.#header ??= this.#length >= HEADER ? this.#check(this.#take(HEADER)) : null;
    if (this.#header === null || this.#length < this.#header.length) return null;
    const { length, ...rest } = this.#header;
    this.#header = null;
    return { ...rest, payload: this.#take(length) };
  }

  #take(count) {
    if (this.#chunks.length > 1 && this.#chunks[0].length < count) this.#chunks = [Buffer.concat(this.#chunks)];
    const [first] = this.#chunks;
    this.#length -= count;
    if (first === undefined || first.length === count) return this.#chunks.shift() ?? Buffer.alloc(0);
    this.#chunks[0] = first.subarray(count);
    return first.subarray(0, count);
  }

  #check(bytes) {
    const length = bytes.readUInt32LE(0), type = bytes[4], flags = bytes[5], reserved = bytes.readUInt16LE(6), callId = bytes.readBigUInt64LE(8);
    const rule = RULES.get(type);
    if (!rule) throw new Broken('UnknownType', `frame type ${type} is not assigned`);
    const [name, routes, allowed, least, own, id] = rule;
    if (!(routes & this.#routes)) throw new Broken('WrongRoute', `${name} is not allowed in this direction`);
    const heads = (type === ITEM || type === RESULT) && this.#routes & DATA_UP ? HEAD : 0; // Only a worker sends the head of a response.
    if (flags & ~(allowed | heads)) throw new Broken('UnknownFlag', `${name} carries flags 0x${flags.toString(16)}`);
    if (reserved) throw new Broken('ReservedBits', `the reserved bytes of ${name} are 0x${reserved.toString(16)}`);
    if ((id === REQUIRED && callId === 0n) || (id === ZERO && callId !== 0n)) throw new Broken('CallId', `${name} carries call id ${callId}`);
    const most = own ?? this.#most;
    if (length > most || (type === RESULT && (flags & (NO_VALUE | HEAD)) === NO_VALUE && length)) throw new Broken('PayloadTooLong', `${name} announces ${length} bytes, the limit is ${most}`);
    if (length < least) throw new Broken('PayloadTooShort', `${name} announces ${length} bytes, it needs ${least}`);
    return { type, flags, callId, length };
  }
}

// Reads the fields of one payload; every length is checked before it is used.
class Fields {
  #name;
  #rest;

  constructor(name, payload) {
    this.#name = name;
    this.#rest = payload;
  }

  take(count) {
    if (count > this.#rest.length) throw this.malformed(`${count} bytes are announced where ${this.#rest.length} are left`);
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  u8() { return this.take(1)[0]; }
  u16() { return this.take(2).readUInt16LE(); }
  u32() { return this.take(4).readUInt32LE(); }
  u64() { return this.take(8).readBigUInt64LE(); }
  i64() { return this.take(8).readBigInt64LE(); }
  text() { return this.take(this.u32()).toString('utf8'); }

  zero(value) {
    if (value !== 0) throw this.malformed('a reserved field is not 0');
  }

  count(count, each) {
    if (count * each > this.#rest.length) throw this.malformed(`${count} entries are announced where ${this.#rest.length} bytes are left`);
    return count;
  }

  finish() {
    if (this.#rest.length) throw this.malformed(`${this.#rest.length} bytes follow the last field`);
  }

  malformed(detail) { return new Broken('MalformedPayload', `${this.#name}: ${detail}`); }
}

const u8 = value => Buffer.from([value]);
const u16 = value => { const bytes = Buffer.alloc(2); bytes.writeUInt16LE(value); return bytes; };
const u32 = value => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
const i32 = value => { const bytes = Buffer.alloc(4); bytes.writeInt32LE(value); return bytes; };
const u64 = value => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64LE(BigInt(value)); return bytes; };

function text(value, most = Infinity) {
  const bytes = Buffer.from(String(value ?? '').slice(0, most), 'utf8');
  return Buffer.concat([u32(bytes.length), bytes]);
}

// ---- The payloads.

function readHello(payload) {
  const fields = new Fields('HELLO', payload);
  const hello = { leastVersion: fields.u16(), mostVersion: fields.u16(), capabilities: fields.u32(), mostPayload: fields.u32(), logLevel: fields.u8() };
  if (hello.leastVersion > hello.mostVersion) throw fields.malformed(`versions ${hello.leastVersion} to ${hello.mostVersion}`);
  if (hello.logLevel > 6) throw fields.malformed(`log level ${hello.logLevel} is not assigned`);
  fields.zero(fields.u8());
  fields.zero(fields.u16());
  hello.identity = fields.text();
  hello.pool = fields.text();
  hello.configuration = {};
  for (let left = fields.count(fields.u32(), 8); left > 0; left--) {
    const key = fields.text();
    hello.configuration[key] = fields.text();
  }
  if (hello.capabilities & CAN_SHARE_DATA) {
    fields.take(4); // They may be missing only where it is not offered.
    let descriptor = FIRST_SHARED;
    hello.shared = Array.from({ length: fields.count(fields.u16(), 24) }, () => {
      const one = { name: fields.text(), length: Number(fields.u64()), generation: fields.u64(), path: fields.text() };
      return one.path ? one : { ...one, descriptor: descriptor++ };
    });
  }
  return hello;
}

function readCall(payload, takesContext = false, takesCaller = false) {
  const fields = new Fields('CALL', payload);
  const operation = fields.u16(), wished = fields.u8();
  if (wished > 1) throw fields.malformed(`result encoding ${wished} is not assigned`);
  fields.zero(fields.u8());
  const credit = fields.u32(), remaining = fields.i64();
  if (remaining < -1n) throw fields.malformed(`${remaining} ms are left of the deadline`);
  const parentLength = fields.u8();
  fields.zero(fields.u8());
  const stateLength = fields.u16();
  let parts = fields.u16();
  fields.zero(fields.u16());
  const traceparent = fields.take(parentLength).toString('latin1') || null, tracestate = fields.take(stateLength).toString('latin1') || null;
  let values = null, context = null, caller = null;
  const raw = [];
  for (; parts > 0; parts--) {
    const kind = fields.u8();
    if (kind > 1 && !(kind === 3 && takesContext) && !(kind === 4 && takesCaller)) throw fields.malformed(`part kind ${kind} is not assigned or not agreed`);
    fields.zero(fields.u8());
    const parameter = fields.u16(), bytes = fields.take(fields.u32());
    if (kind === 1) raw.push({ parameter, bytes });
    else if (kind === 3) {
      if (context || parameter) throw fields.malformed(context ? 'two parts are the context' : 'the context has a parameter index');
      context = readContext(bytes);
    } else if (kind === 4) {
      if (caller || parameter || bytes.length > MOST_CALLER) {
        throw fields.malformed(caller ? 'two parts are the caller' : parameter ? 'the caller has a parameter index' : `the caller has ${bytes.length} bytes`);
      }
      caller = bytes;
    } else if (values || parameter) throw fields.malformed(values ? 'two parts are JSON' : 'the JSON part has a parameter index');
    else values = bytes;
  }
  fields.finish();
  return { operation, rawWished: wished === 1, credit, remaining: Number(remaining), traceparent, tracestate, values, raw, context, caller };
}

function readContext(part) {
  const fields = new Fields('CALL', part), hasCulture = fields.u8();
  if (hasCulture > 1) throw fields.malformed(`${hasCulture} is neither 0 (no culture) nor 1 (a culture)`);
  const culture = hasCulture ? fields.text() : null, uiCulture = hasCulture ? fields.text() : null;
  const pairs = () => Array.from({ length: fields.count(fields.u16(), 8) }, () => [fields.text(), fields.text()]);
  const context = { culture, uiCulture, baggage: pairs(), items: new Map(pairs()) };
  fields.finish();
  return context;
}

const readyPayload = (pid, names, { capabilities = 0, identity = '', hashes = [] } = {}) => Buffer.concat([
  u16(VERSION), u16(0), u32(capabilities), u32(MOST_PAYLOAD), i32(pid), text(identity), u32(names.length),
  ...names.flatMap((name, i) => [text(name), u64(hashes[i] ?? 0)]),
]);
const failedPayload = (phase, { type, message, stack }) => Buffer.concat([text(phase, 1024), text(type, 1024), text(message, 32_768), text(stack, 65_536)]);
const errorFailed = ({ type, message, stack }) => Buffer.concat([u8(1), text(type, 1024), text(message, 32_768), text(stack, 65_536)]);
const errorStatus = ({ status, content, headers }) => {
  const pairs = Object.entries(headers ?? {});
  return Buffer.concat([u8(2), u16(status), u8(content == null ? 0 : 1), text(content), u16(pairs.length), ...pairs.flatMap(([name, value]) => [text(name), text(value)])]);
};
const errorArguments = errors => Buffer.concat([
  u8(3), u16(Math.min(errors.length, 256)),
  ...errors.slice(0, 256).flatMap(({ name, reason, expected }) => [text(name, 256), text('frame'), text(reason), text(expected, 256)]),
]);
const errorTooLarge = ({ length, limit }) => Buffer.concat([u8(7), u64(length), u64(limit)]);
const ERROR_CANCELLED = u8(4), ERROR_DEADLINE = u8(5), ERROR_MEMORY = u8(6);
// What an ITEM or RESULT with HEAD begins with.
const responseHead = (status, headers) => {
  const pairs = Object.entries(headers);
  if (status && !(Number.isInteger(status) && status >= 200 && status <= 599)) throw new RangeError(`the status of the response is ${status}; give 200 to 599`);
  const wrong = pairs.find(([name, value]) => !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || /[\r\n\0]/.test(String(value)));
  if (wrong) throw new TypeError(`the header '${wrong[0]}' of the response has a name or a value that HTTP does not allow`);
  const fields = Buffer.concat([u16(status || 0), u16(pairs.length), ...pairs.flatMap(([name, value]) => [text(name), text(value)])]);
  if (fields.length > 65_536) throw new RangeError(`the headers of the response have ${fields.length} bytes; at most 65536 can be sent`);
  return Buffer.concat([u32(fields.length), fields]);
};
const logPayload = ({ level, eventId = 0, dropped = 0, eventName = '', category, message, exception = '' }) => Buffer.concat([
  u8(level), u8(0), u16(0), i32(eventId), u32(dropped), text(eventName, 1024), text(category, 1024), text(message, 16_384), text(exception, 16_384),
]);
const progressPayload = (fraction, what) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(fraction);
  return Buffer.concat([bytes, text(what, 200)]);
};
const byePayload = (reason, message = '') => Buffer.concat([u8(reason), text(message, 32_768)]);
const GOODBYE = { drained: 1, hostBroke: 2, outOfMemory: 3, startFailed: 4 };

// ---- What both threads share: one lock, held for a few instructions, decides which calls may start.

const LOCK = 0, LOG_BYTES = 1, REPORT_BYTES = 2; // in `words`
const READ = 0, STARTED_THROUGH = 1, REPORTED = 2; // in `ids`

class Shared {
  constructor(buffer = new SharedArrayBuffer(40 + MOST_PROGRESS)) {
    this.buffer = buffer;
    this.words = new Int32Array(buffer, 0, 4);
    this.ids = new BigInt64Array(buffer, 16, 3);
    this.report = new Uint8Array(buffer, 40); // The latest report of progress that is not sent: REPORT_BYTES of it, of the call REPORTED.
  }

  locked(work) {
    while (Atomics.compareExchange(this.words, LOCK, 0, 1) !== 0) Atomics.wait(this.words, LOCK, 1);
    try {
      return work();
    } finally {
      Atomics.store(this.words, LOCK, 0);
      Atomics.notify(this.words, LOCK, 1);
    }
  }
}

// ---- The control thread: reads the control channel while calls run. It runs no user code and never waits for the host.

class ControlThread {
  #shared;
  #main;
  #channel;
  #reader = new FrameReader(CONTROL_DOWN, MOST_DESCRIPTION);
  #hasHello = false;
  #ready = false;
  #draining = false;
  #leaving = false;
  #pause = null;
  #showsStack = false;
  #inspector = null;

  constructor({ buffer, port }) {
    this.#shared = new Shared(buffer);
    this.#main = port;
    this.#channel = new Socket({ fd: CONTROL, readable: true, writable: true, allowHalfOpen: true });
    this.#channel.on('data', chunk => this.#read(chunk));
    this.#channel.on('end', () => this.#hostGone());
    this.#channel.on('error', () => this.#hostGone());
    this.#main.on('message', message => this.#onMessage(message));
  }

  // What the main thread wants to send.
  #onMessage({ bytes, isReady, showsStack, isLog, isReport, isLast, exit }) {
    if (isReport) return this.#report(isLast);
    if (isReady) this.#ready = true;
    if (showsStack) this.#showsStack = true;
    const sent = () => { if (isLog) Atomics.sub(this.#shared.words, LOG_BYTES, bytes.length); };
    if (exit !== undefined) this.#leave(Buffer.from(bytes), exit);
    else this.#channel.write(bytes, sent);
  }

  // Sends the report that waits, and in the pause after it none; the last one of a call at once, or never.
  #report(isLast) {
    if (this.#pause !== null && !isLast) return;
    clearTimeout(this.#pause);
    this.#pause = null;
    const { words, ids, report } = this.#shared;
    const isSlow = this.#channel.writableLength > MOST_LOG; // The host does not read: the report waits, and a later one may take its place.
    const waits = this.#shared.locked(() => {
      const length = words[REPORT_BYTES];
      if (length > 0 && !isSlow) this.#channel.write(frame(PROGRESS, ids[REPORTED], Buffer.from(report.subarray(0, length))));
      if (!isSlow || isLast) Atomics.store(words, REPORT_BYTES, 0); // After it was written: the main thread waits for this before it ends the call.
      return length > 0;
    });
    Atomics.notify(words, REPORT_BYTES);
    if (waits) this.#pause = setTimeout(() => { this.#pause = null; this.#report(false); }, PROGRESS_MILLISECONDS);
  }

  #send(bytes) {
    if (this.#channel.writableLength > MOST_CONTROL) this.#hostGone(); // A host that sends PINGs and does not read the answers counts as gone.
    else this.#channel.write(bytes);
  }

  #read(chunk) {
    try {
      this.#reader.feed(chunk);
      for (let next; (next = this.#reader.next()) !== null;) this.#onFrame(next);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#leave(frame(BYE, 0n, byePayload(GOODBYE.hostBroke, error.message)), EXIT.hostBroke);
    }
  }

  #onFrame({ type, callId, payload }) {
    const [name] = RULES.get(type), fields = new Fields(name, payload);
    if (type === PING) return this.#send(frame(PONG, 0n, payload));
    if (type === HELLO) {
      if (this.#hasHello) throw new Broken('UnexpectedFrame', 'HELLO twice');
      this.#hasHello = true;
      return this.#main.postMessage({ hello: readHello(payload) });
    }
    if (!this.#ready) throw new Broken('UnexpectedFrame', `${name} before READY`);
    switch (type) {
      case CANCEL: return this.#cancel(callId);
      case CREDIT: {
        const bytes = fields.u32();
        if (bytes === 0) throw fields.malformed('no bytes are granted');
        return this.#main.postMessage({ credit: callId, bytes });
      }
      case DRAIN: return this.#drain(callId);
      case STACK:
        fields.finish();
        if (this.#showsStack) return this.#showStack(callId);
      // falls through
      default: throw new Broken('UnexpectedFrame', `${name} was not agreed on`);
    }
  }

  // The inspector interrupts the main thread, whatever it runs. It is not there before, and is gone afterwards.
  #showStack(callId) {
    if (this.#inspector !== null || callId !== Atomics.load(this.#shared.ids, STARTED_THROUGH)) return;
    const { Session } = require('node:inspector');
    const session = this.#inspector = new Session();
    session.connectToMainThread();
    session.post('Runtime.evaluate', { expression: `(${stackOfMain})()`, returnByValue: true }, (error, answer) => {
      session.disconnect();
      this.#inspector = null;
      const stack = answer?.result?.value;
      if (typeof stack === 'string') this.#send(frame(STACK, callId, whole(Buffer.from(stack), MOST_STACK)));
    });
  }

  #cancel(callId) {
    const distance = callId - Atomics.load(this.#shared.ids, READ);
    if (distance > MOST_AHEAD && !this.#draining) throw new Broken('UnexpectedFrame', `CANCEL of call ${callId}, ${distance} calls after the last one read`);
    this.#main.postMessage({ cancel: callId });
  }

  #drain(last) {
    const read = Atomics.load(this.#shared.ids, READ);
    if (this.#draining) throw new Broken('UnexpectedFrame', 'DRAIN twice');
    if (last < read) throw new Broken('UnexpectedFrame', `DRAIN says that ${last} is the last call, but call ${read} was read already`);
    this.#draining = true;

    // The main thread reads this message before it starts another call: it was posted under the lock.
    const first = this.#shared.locked(() => {
      this.#main.postMessage({ drain: last });
      return this.#shared.ids[STARTED_THROUGH] + 1n;
    });
    this.#send(frame(RETURNED, first, u64(last)));
  }

  // Sends the last frame; waits a short time until the host has read it and the main thread has ended the process.
  #leave(bytes, exit) {
    if (this.#leaving) return;
    this.#leaving = true;
    const end = () => {
      this.#main.postMessage({ exit });
      if (exit !== EXIT.drained) setTimeout(kill, 250); // Synchronous code may never return.
    };
    const timeout = setTimeout(end, exit === EXIT.drained ? 5000 : 1000);
    this.#channel.write(bytes, () => { clearTimeout(timeout); end(); });
  }

  #hostGone() {
    if (!this.#leaving) kill();
  }
}

// Runs on the main thread, above the code that was interrupted: as text, because it is sent there.
const stackOfMain = `() => {
  const most = Error.stackTraceLimit;
  Error.stackTraceLimit = 200;
  const frames = String(new Error().stack).split('\\n').slice(1).filter(line => !/^ +at (?:stackOf \\(|)<anonymous>(?::\\d+)+\\)?$/.test(line));
  Error.stackTraceLimit = most;
  return frames.length > 0 ? frames.join('\\n') : 'No JavaScript runs: the call waits. What is open: ' + process.getActiveResourcesInfo().join(', ');
}`;

// The first bytes, without a part of a character at their end.
function whole(bytes, most) {
  let length = Math.min(bytes.length, most);
  while (length < bytes.length && length > 0 && (bytes[length] & 0xc0) === 0x80) length--;
  return bytes.subarray(0, length);
}

// process.exit ends a thread and not the process, and the main thread may never be free.
const kill = () => process.kill(process.pid, 'SIGKILL');

// ---- What a program uses.

// Thrown by call.throwIfCancelled, and the reason of call.signal. Do not catch it.
class Cancelled extends Error {
  name = 'AbortError';
}

// Completes a call with an HTTP status that the operation chooses, 300 to 599.
class StatusError extends Error {
  constructor(status, content = null, headers = {}) {
    super(`${status} ${content ?? ''}`.trimEnd());
    if (!Number.isInteger(status) || status < 300 || status > 599) throw new RangeError(`status is ${status}; give 300 to 599`);
    Object.assign(this, { status, content, headers });
  }
}

// What the caller sends has failed before its end: thrown where content, files or items are read. What was read is incomplete.
class RequestAborted extends Error {
  name = 'RequestAborted';
}

class BadArguments extends Error {
  constructor(errors) {
    super(errors.map(({ name, reason }) => `${name}: ${reason}`).join('; '));
    this.errors = errors;
  }
}

const isBytes = value => value instanceof Uint8Array || value instanceof ArrayBuffer;

// What JSON cannot hold as a number is its name.
const UNWRITTEN = new Set(['NaN', 'Infinity', '-Infinity']);

const KINDS = {
  bytes: ['bytes', () => false], // They are sent beside the JSON.
  text: ['text', value => typeof value === 'string'],
  int: ['a whole number', Number.isSafeInteger],
  number: ['a number', value => typeof value === 'number', value => UNWRITTEN.has(value) ? Number(value) : value],
  bool: ['true or false', value => typeof value === 'boolean'],
  json: ['a value', () => true],
  // These come while the call runs.
  content: ['content', () => false],
  file: ['a file', () => false],
  files: ['files', () => false],
  items: ['items', () => false],
};
const STREAMED = ['content', 'file', 'files', 'items'];

class Target {
  constructor(name, takes, run) {
    this.name = name;
    this.run = run;
    this.parameters = Object.entries(takes).map(([parameter, kind]) => {
      const optional = kind.endsWith('?'), rule = KINDS[optional ? kind.slice(0, -1) : kind];
      if (!rule) throw new TypeError(`${name}: ${parameter} is '${kind}'; give ${Object.keys(KINDS).join(', ')}, with a question mark where it may be absent`);
      const plain = optional ? kind.slice(0, -1) : kind;
      return { name: parameter, streamed: STREAMED.includes(plain) ? plain : null, isBytes: kind.startsWith('bytes'), isAny: kind.startsWith('json'), optional, expected: rule[0], fits: rule[1], read: rule[2] ?? (value => value) };
    });
    const streamed = this.parameters.filter(one => one.streamed !== null);
    if (streamed.length > 1) throw new TypeError(`${name}: ${streamed.map(one => one.name).join(' and ')} are streamed; a call has one such parameter`);
    this.streamed = streamed[0] ?? null;
    this.isGenerator = /^(Async)?GeneratorFunction$/.test(run.constructor.name); // Its code has not run when it is returned.
  }

  // The argument that comes while the call runs; of a file, its description comes before.
  async open(given, request) {
    const { name, streamed, optional, expected } = this.streamed;
    if (streamed === 'content') given[name] = new Content(() => request.piece());
    else if (streamed === 'items') given[name] = request.items(name);
    else {
      const files = new Files(request);
      given[name] = streamed === 'files' ? files : (await files.next()).value;
      if (given[name] === undefined && !optional) throw new BadArguments([{ name, reason: 'missing', expected }]);
    }
    return given;
  }

  // The arguments by name; all errors together are BadArguments. An optional parameter that is absent or null is undefined.
  bind({ values, raw }, isStreamed = false) {
    const errors = [], given = Object.create(null);
    const error = (name, reason, expected) => errors.push({ name, reason, expected });
    for (const [name, value] of Object.entries(this.#members(values, error))) {
      const parameter = this.parameters.find(one => one.name.toLowerCase() === name.toLowerCase());
      if (!parameter) continue; // An argument without a parameter is ignored.
      if (parameter.name in given) error(parameter.name, 'duplicate', 'one value, in one place');
      else if (value === null && !parameter.isAny) given[parameter.name] = parameter.optional ? undefined : error(parameter.name, 'null', parameter.expected);
      else given[parameter.name] = parameter.fits(parameter.read(value)) ? parameter.read(value) : error(parameter.name, 'invalid', parameter.expected);
    }
    for (const { parameter: index, bytes } of raw) {
      const parameter = this.parameters[index];
      if (parameter.name in given) error(parameter.name, 'duplicate', 'one value, in one place');
      else given[parameter.name] = parameter.isBytes || parameter.isAny ? bytes : error(parameter.name, 'invalid', parameter.expected);
    }
    for (const parameter of this.parameters) {
      if (!(parameter.name in given) && !parameter.optional && !(isStreamed && parameter.streamed)) error(parameter.name, 'missing', parameter.expected);
    }
    if (errors.length) throw new BadArguments(errors);
    return given;
  }

  #members(values, error) {
    if (values === null) return {};
    let parsed;
    try {
      parsed = JSON.parse(values.toString('utf8'));
    } catch (failure) {
      error('$', 'malformed', `JSON; ${failure.message}`);
      return {};
    }
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
    error('$', 'invalid', 'a JSON object with a member per argument');
    return {};
  }
}

// The items of one call. They arrive while it runs; what may arrive ahead is bounded by the credit, which is granted as they are taken.
class Request {
  #call;
  #write;
  #arrived = []; // At most the credit, and an item.
  #credit = 0;
  #last = 0;
  #owed = 0;
  #ended = false;
  #aborted = null;
  #over = false;
  #wake = null;

  constructor(call, write) {
    this.#call = call;
    this.#write = write;
    call.signal.addEventListener('abort', () => this.#wake?.());
  }

  receive({ type, callId, flags, payload }) {
    if (callId !== this.#call.id || this.#ended || this.#aborted !== null || (type !== ITEM && type !== END && type !== ABORT)) {
      throw new Broken('UnexpectedFrame', `${RULES.get(type)[0]} of call ${callId} while call ${this.#call.id} takes items`);
    }
    if (type === END) this.#ended = true;
    else if (type === ABORT) this.#aborted = this.#reason(payload);
    else if (this.#credit <= 0) throw new Broken('CreditOverflow', `ITEM of call ${callId} without credit`);
    else {
      this.#credit -= HEADER + payload.length;
      this.#arrived.push({ isRaw: (flags & RAW) !== 0, payload });
    }
    this.#wake?.();
  }

  // The next item; null after the last one.
  async next() {
    if (this.#wake !== null) throw new Error('the request is read in two places at a time');
    for (;;) {
      if (this.#over) throw new Error('the call has ended; its content cannot be read any more');
      this.#call.throwIfCancelled();
      this.#owed += this.#last;
      this.#last = 0;
      if (this.#arrived.length > 0) {
        const item = this.#arrived.shift();
        this.#last = HEADER + item.payload.length;
        return item;
      }
      if (this.#aborted !== null) throw new RequestAborted(`The caller's data ended before it was complete: ${this.#aborted}`);
      if (this.#ended) return null;
      this.#grant();
      await new Promise(resolve => { this.#wake = resolve; });
      this.#wake = null;
    }
  }

  // The next bytes of a request that is bytes.
  async piece() {
    for (;;) {
      const item = await this.next();
      if (item !== null && !item.isRaw) throw this.malformed('content is not raw');
      if (item === null || item.payload.length > 0) return item?.payload ?? null;
    }
  }

  async *items(name) {
    for (let index = 0, item; (item = await this.next()) !== null; index++) {
      let value = item.payload;
      try {
        if (!item.isRaw) value = JSON.parse(item.payload.toString('utf8'));
      } catch (failure) {
        throw new BadArguments([{ name: `${name}[${index}]`, reason: 'malformed', expected: `JSON; ${failure.message}` }]);
      }
      yield value;
    }
  }

  // The call ends: nothing is granted after its outcome, and no read waits.
  end() {
    this.#over = true;
    this.#wake?.();
  }

  malformed(detail) { return this.#call.broken(new Broken('MalformedPayload', `ITEM of call ${this.#call.id}: ${detail}`)); }

  #grant() {
    const count = this.#credit || this.#owed ? this.#owed : FIRST_CREDIT;
    if (count < LEAST_CREDIT) return;
    this.#credit += count;
    this.#owed = 0;
    this.#write(frame(CREDIT, this.#call.id, u32(count)));
  }

  #reason(payload) {
    const fields = new Fields('ABORT', payload);
    fields.u8();
    const reason = fields.text();
    fields.finish();
    return reason;
  }
}

// Bytes of any length that the caller sends: read once, as fast as they are wanted.
class Content extends Readable {
  constructor(next) {
    super({ highWaterMark: MOST_PIECE });
    this.next = next;
    this.on('error', () => {}); // Where no code reads, no code needs to know; the process must not end for it.
  }

  _read() { this.next(this).then(piece => this.push(piece), error => this.destroy(error)); }
}

// A file that the caller sends: what is known of it, and its bytes. Of several files each is read, or not, before the next is asked for.
class File extends Content {
  constructor(next, { name, fileName, contentType, length, headers }) {
    super(next);
    this.name = name ?? '';
    this.fileName = fileName ?? null;
    this.contentType = contentType ?? null;
    this.length = length ?? null;
    this.headers = headers ?? {};
  }
}

// A request that is files: a description, its bytes, the next description.
class Files {
  #request;
  #current = null;
  #described = null;
  #ended = false;
  #turn = Promise.resolve();

  constructor(request) { this.#request = request; }

  [Symbol.asyncIterator]() { return this; }

  async next() {
    if (this.#current !== null && !this.#current.readableEnded) this.#current.destroy();
    return this.#inTurn(async () => {
      while (this.#described === null && !this.#ended) await this.#take();
      if (this.#described === null) return { done: true, value: undefined };
      this.#current = new File(file => this.#piece(file), this.#described);
      this.#described = null;
      return { done: false, value: this.#current };
    });
  }

  async return() {
    this.#current?.destroy();
    return { done: true, value: undefined };
  }

  #piece(file) {
    return this.#inTurn(async () => {
      if (file !== this.#current) throw new Error(`${file.fileName ?? file.name} was passed by: the next file was asked for`);
      for (let piece; this.#described === null && !this.#ended;) if ((piece = await this.#take()) !== null && piece.length > 0) return piece;
      return null;
    });
  }

  async #take() {
    const item = await this.#request.next();
    if (item === null) this.#ended = true;
    else if (item.isRaw && this.#current === null) throw this.#request.malformed('bytes before the first description of a file');
    else if (item.isRaw) return item.payload;
    else this.#described = this.#read(item.payload);
    return null;
  }

  #read(payload) {
    let described = null;
    try {
      described = JSON.parse(payload.toString('utf8'));
    } catch {
      // Named below.
    }
    if (typeof described !== 'object' || described === null) throw this.#request.malformed('the description of a file is no JSON object');
    return described;
  }

  // A stream reads ahead: one takes items at a time.
  #inTurn(work) {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

// The caller. Claims are { type, value, valueType, issuer }.
class User {
  constructor(encoded) { this.identities = JSON.parse(encoded.toString('utf8')).identities; }

  get claims() { return this.identities.flatMap(one => one.claims ?? []); }
  get isAuthenticated() { return this.identities.some(one => Boolean(one.authenticationType)); }

  get name() {
    for (const { claims = [], nameType } of this.identities) {
      const named = claims.find(claim => claim.type === nameType);
      if (named) return named.value;
    }
    return null;
  }

  // The value of the first claim of this type; null for none.
  find(type) { return this.claims.find(claim => claim.type === type)?.value ?? null; }
  isInRole(role) { return this.identities.some(({ claims = [], roleType }) => claims.some(claim => claim.type === roleType && claim.value === role)); }
}

// The job that a call is an attempt of.
class Job {
  #report;

  constructor(items, report) {
    this.id = items.get('weir.job.id');
    this.attempt = Number(items.get('weir.job.attempt') ?? 1); // How often it was started, this time included.
    this.fence = BigInt(items.get('weir.job.fence') ?? 0); // Grows with each start, for conditional writes of your own.
    this.scheduledFor = items.get('weir.job.due') ?? null; // When it was due, as text of ISO 8601.
    this.key = items.get('weir.job.key') ?? null;
    this.submitter = items.get('weir.job.submitter') ?? null;
    this.#report = report;
  }

  // Tells those who watch the job how far it is: 0 to 1, and what it does, of which 200 characters are kept. It never waits for the
  // host. The first report is sent at once and then at most ten a second, the latest each time; what is sent together with the end
  // of the call may be dropped, and what comes after it is.
  report(fraction, text = null) {
    this.#report(Math.min(1, Math.max(0, Number(fraction) || 0)), text);
  }
}

class Call {
  #controller = new AbortController();
  #drainPort;
  #deadline;
  #timer = null;
  #wake = null;
  #caller;
  #user = null;
  #response = null;
  late = false;
  request = null; // What comes while the call runs.

  constructor(id, target, fields, drainPort, report) {
    this.id = id;
    this.operation = target.name;
    this.traceparent = fields.traceparent;
    this.tracestate = fields.tracestate;
    // The caller's cultures, as in BCP 47, null where they are this worker's own; the baggage of the trace; items of the call's context that are text.
    Object.assign(this, fields.context ?? { culture: null, uiCulture: null, baggage: [], items: new Map() });
    this.job = this.items.has('weir.job.id') ? new Job(this.items, (fraction, what) => report(id, fraction, what)) : null;
    this.credit = fields.credit;
    this.#caller = fields.caller;
    this.#drainPort = drainPort;
    this.#deadline = fields.remaining < 0 ? null : performance.now() + fields.remaining;
    // A timer waits at most 24.8 days; a later deadline needs none.
    if (this.#deadline !== null && fields.remaining < 2 ** 31) this.#await(fields.remaining);
  }

  // A timer counts whole milliseconds of another clock, and may fire early.
  #await(milliseconds) {
    this.#timer = setTimeout(() => {
      this.expire();
      if (!this.late) this.#await(Math.ceil(this.remaining));
    }, milliseconds);
  }

  get signal() { return this.#controller.signal; }

  // Who calls; null for a call from code without a caller, and where the pool does not send callers.
  get user() { return this.#user ??= this.#caller === null ? null : new User(this.#caller); }

  // Status and headers of the response, to be set before its first byte: before the function returns, or yields.
  get response() { return this.#response ??= { status: null, headers: {} }; }

  // What was chosen of the response and was not taken yet; null for nothing.
  get chosenResponse() { return this.#response !== null && (this.#response.status || Object.keys(this.#response.headers).length > 0) ? this.#response : null; }

  takeResponse() {
    const response = this.chosenResponse;
    this.#response = null;
    return response;
  }

  // Whether the host does not need the result any more. Code that continues is killed with this process after CancelGrace.
  get cancelled() {
    this.#drainPort();
    this.expire();
    return this.signal.aborted;
  }

  // Milliseconds to the deadline; null without one.
  get remaining() { return this.#deadline === null ? null : Math.max(0, this.#deadline - performance.now()); }

  throwIfCancelled() {
    if (this.cancelled) throw new Cancelled('the call was cancelled');
  }

  // Compares with the clock as well: a timer of a busy thread is late.
  expire() {
    if (this.#deadline === null || performance.now() < this.#deadline) return;
    this.late = true;
    this.cancel();
  }

  cancel() {
    this.#controller.abort(new Cancelled('the call was cancelled'));
    this.#wake?.();
  }

  grant(bytes) {
    if (this.credit + bytes > MOST_CREDIT) throw new Broken('CreditOverflow', `${this.credit} and ${bytes} bytes of credit are more than ${MOST_CREDIT}`);
    this.credit += bytes;
    this.#wake?.();
  }

  async takeCredit(length) {
    for (;;) {
      this.throwIfCancelled(); // It handles the messages that arrived: one may grant credit.
      if (this.credit > 0) break;
      await new Promise(resolve => { this.#wake = resolve; });
    }
    this.credit -= HEADER + length;
  }

  end() { clearTimeout(this.#timer); }
}

const targets = [];
let session = null;

// The pool's shared data of this name, as a Buffer. Node cannot map a file: this is a copy in this process, made at the first use and
// kept. `readSharedData` reads a part, and copies only that.
const copies = new Map();
function sharedData(name) {
  if (!copies.has(name)) {
    const { length } = session?.shared(name) ?? noSharedData(name);
    if (length > constants.MAX_LENGTH) throw new RangeError(`the shared data '${name}' has ${length} bytes, and a Buffer holds ${constants.MAX_LENGTH}; use readSharedData(name, position, length)`);
    copies.set(name, readSharedData(name, 0, length));
  }
  return copies.get(name);
}

// A part of the pool's shared data of this name, as a new Buffer: shorter where the data ends before.
function readSharedData(name, position, length) {
  const one = session?.shared(name) ?? noSharedData(name);
  const part = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, one.length - position)));
  one.descriptor ??= fs.openSync(one.path, 'r');
  for (let done = 0, count; done < part.length; done += count) {
    count = fs.readSync(one.descriptor, part, done, Math.min(part.length - done, 1 << 30), position + done);
    if (count === 0) throw new Error(`the shared data '${name}' has only ${position + done} bytes of ${one.length}`);
  }
  return part;
}

function noSharedData(name) { throw new Error(`the pool has no shared data '${name}'; name it in PoolOptions.SharedData of the host`); }

// Registers a function as 'Service/Operation'.
function operation(name, takes, run) {
  if (targets.some(one => one.name.toLowerCase() === name.toLowerCase())) throw new Error(`${name} is registered twice; names ignore case`);
  targets.push(new Target(name, takes, run));
}

// Serves calls until the host drains this worker; then the process exits with 0. `setup` gets { pool, configuration } before
// the first call; what it throws is reported to the host as the start error. `cleanup` runs when the last call has completed, if
// the host drains the worker and does not kill it.
function serve({ setup, cleanup } = {}) {
  const at = process.argv.length - 2, host = process.argv[at] === '--host' ? Number(process.argv[at + 1]) : NaN;
  if (!Number.isInteger(host)) {
    console.error("This is a worker; a Weir host starts it with '--host <pid>' after its own arguments.");
    process.exit(EXIT.usage);
  }
  process.argv.length = at;
  if (process.ppid !== host) process.exit(EXIT.channelEnded);

  // Ctrl+C in a terminal and the stop signal of a service manager are for the host, which then drains its workers.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  session = new Session(targets, setup, cleanup);
}

// Writes records to the host's log, with the id of the running call. Printed output appears there as well.
const log = (level, message, options = {}) => session?.log(level, message, options);
['trace', 'debug', 'info', 'warn', 'error', 'critical'].forEach((name, level) => { log[name] = (message, options) => log(level, message, options); });

// ---- The main thread: reads, runs, answers.

class Session {
  #targets;
  #setup;
  #cleanup;
  #shared = new Shared();
  #control;
  #channel;
  #reader = new FrameReader(DATA_DOWN);
  #hello = null;
  #chosen = 0; // Capabilities.
  #running = null;
  #drainingThrough = null;
  #cancelledEarly = new Set();
  #droppedLogs = 0;
  #pumping = false;
  #leaving = false;

  constructor(targets, setup, cleanup) {
    this.#targets = targets;
    this.#setup = setup;
    this.#cleanup = cleanup;
    const { port1, port2 } = new MessageChannel();
    const thread = new Worker(__filename, { name: 'weir-control', workerData: { weir: { buffer: this.#shared.buffer, port: port2 } }, transferList: [port2], execArgv: [] });
    thread.on('error', error => { console.error(error); process.exit(EXIT.channelEnded); });
    this.#control = port1;
    this.#control.on('message', message => this.#guard(() => this.#onMessage(message)));
    this.#channel = new Socket({ fd: DATA, readable: true, writable: true, allowHalfOpen: true });
    this.#channel.pause();
    this.#channel.on('data', chunk => this.#guard(() => {
      this.#reader.feed(chunk);
      // The host prefetches few calls. If it sends too much, its bytes wait in the buffers of the channel.
      if (this.#running && this.#reader.unread > MOST_PAYLOAD) this.#channel.pause();
      this.#pump();
    }));
    this.#channel.on('end', () => this.#hostGone());
    this.#channel.on('error', () => this.#hostGone());
  }

  log(level, message, { category = 'node', eventId = 0, eventName = '', error = null } = {}) {
    if (this.#hello === null || level < this.#hello.logLevel) return;
    if (Atomics.load(this.#shared.words, LOG_BYTES) > MOST_LOG) return void this.#droppedLogs++;
    const payload = logPayload({ level, eventId, eventName, category, message, exception: error ? describe(error).stack : '', dropped: this.#droppedLogs });
    const bytes = frame(LOG, this.#running?.id ?? 0n, payload);
    this.#droppedLogs = 0;
    Atomics.add(this.#shared.words, LOG_BYTES, bytes.length);
    this.#control.postMessage({ bytes, isLog: true });
  }

  #guard(work) {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#control.postMessage({ bytes: frame(BYE, 0n, byePayload(GOODBYE.hostBroke, error.message)), exit: EXIT.hostBroke });
    }
  }

  shared(name) { return this.#hello?.shared?.find(one => one.name === name); }

  #hostGone() {
    if (!this.#leaving) kill();
  }

  // -- messages of the control thread

  #onMessage({ hello, cancel, credit, bytes, drain, exit }) {
    if (hello) this.#start(hello);
    else if (cancel) this.#cancel(cancel);
    else if (credit) { if (this.#running?.id === credit) this.#running.grant(bytes); }
    else if (drain !== undefined) this.#drain(drain);
    else if (exit !== undefined) process.exit(exit);
  }

  // Handles the messages that arrived, without returning to the event loop: used by synchronous code and by every start of a call.
  #drainPort = () => {
    for (let received; (received = receiveMessageOnPort(this.#control));) this.#guard(() => this.#onMessage(received.message));
  };

  #cancel(callId) {
    if (this.#running?.id === callId) this.#running.cancel();
    else if (callId > this.#shared.ids[READ] && this.#drainingThrough === null) this.#cancelledEarly.add(callId);
  }

  #drain(last) {
    this.#drainingThrough = last;
    setImmediate(() => this.#leaveWhenIdle()); // Not under the lock: cleanup is user code.
  }

  // -- start and end

  async #start(hello) {
    this.#hello = hello;
    let phase = 'agree version';
    try {
      if (hello.leastVersion > VERSION || hello.mostVersion < VERSION) {
        throw new Error(`the host supports versions ${hello.leastVersion} to ${hello.mostVersion} of the protocol, this worker ${VERSION}`);
      }
      phase = 'build services';
      await this.#setup?.({ pool: hello.pool, configuration: hello.configuration });
    } catch (error) {
      this.#control.postMessage({ bytes: frame(READY, 0n, failedPayload(phase, describe(error)), FAILED), isReady: true });
      this.#leave(GOODBYE.startFailed, phase, EXIT.startFailed);
      return;
    }
    this.#chosen = hello.capabilities & (CAN_ALWAYS | (this.#targets.some(one => one.streamed !== null) ? CAN_TAKE_ITEMS : 0));
    const bytes = frame(READY, 0n, readyPayload(process.pid, this.#targets.map(one => one.name), { capabilities: this.#chosen }));
    this.#control.postMessage({ bytes, isReady: true, showsStack: (this.#chosen & CAN_SHOW_STACK) !== 0 });
    this.#channel.resume();
  }

  async #leaveWhenIdle() {
    if (this.#drainingThrough === null || this.#running !== null || this.#leaving) return;
    this.#leaving = true;
    try {
      await this.#cleanup?.();
    } catch (error) {
      console.error(error);
    }
    this.#leave(GOODBYE.drained, '', EXIT.drained);
  }

  // BYE counts only after the end of the data channel.
  #leave(reason, message, exit) {
    this.#leaving = true;
    this.#channel.end(() => this.#control.postMessage({ bytes: frame(BYE, 0n, byePayload(reason, message)), exit }));
  }

  // -- calls

  // A synchronous call is complete when #run returns. The next call starts in this loop, so that the stack does not grow.
  #pump() {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let next; this.#running === null || this.#running.request !== null;) {
        if (this.#leaving || (next = this.#reader.next()) === null) break;
        if (this.#running !== null) {
          this.#running.request.receive(next);
          continue;
        }
        if (next.type !== CALL) {
          // What was on its way to a call that has ended is dropped.
          if ((this.#chosen & CAN_TAKE_ITEMS) !== 0 && next.type !== CREDIT && next.callId <= this.#shared.ids[READ]) continue;
          throw new Broken('UnexpectedFrame', `${RULES.get(next.type)[0]} of call ${next.callId} was not agreed on`);
        }
        const started = this.#take(next);
        if (started) this.#run(started.call, started.target, started.fields);
      }
    } finally {
      this.#pumping = false;
    }
    if (this.#running === null && this.#channel.isPaused()) this.#channel.resume();
  }

  // Claims the call under the lock; null when the call was returned to the host.
  #take({ callId, payload }) {
    const fields = readCall(payload, (this.#chosen & CAN_TAKE_CONTEXT) !== 0, (this.#chosen & CAN_KNOW_CALLER) !== 0), target = this.#targets[fields.operation];
    if (!target) throw new Broken('MalformedPayload', `CALL ${callId} is for operation ${fields.operation} of ${this.#targets.length}`);
    if (fields.raw.some(one => one.parameter >= target.parameters.length)) throw new Broken('MalformedPayload', `CALL ${callId} has a raw part for a parameter that ${target.name} does not have`);
    const { ids } = this.#shared;
    if (callId !== ids[READ] + 1n) throw new Broken('SequenceGap', `call ${callId} follows call ${ids[READ]}`);
    const starts = this.#shared.locked(() => {
      this.#drainPort(); // Before the call counts as read: its CANCEL may be among the messages.
      ids[READ] = callId;
      if (this.#drainingThrough !== null) return false;
      ids[STARTED_THROUGH] = callId;
      return true;
    });
    const wasCancelled = this.#cancelledEarly.delete(callId);
    if (!starts) {
      if (this.#drainingThrough !== null && callId > this.#drainingThrough) throw new Broken('UnexpectedFrame', `call ${callId} after DRAIN said that ${this.#drainingThrough} is the last`);
      return null;
    }
    const call = new Call(callId, target, fields, this.#drainPort, this.#report);
    if (target.streamed !== null && (this.#chosen & CAN_TAKE_ITEMS) !== 0) {
      call.request = new Request(call, bytes => this.#write(bytes));
      call.broken = error => { this.#guard(() => { throw error; }); return error; };
    }
    if (wasCancelled) call.cancel();
    this.#running = call;
    return { call, target, fields };
  }

  // Leaves a report for the control thread, in place of one that was not sent yet: that thread sends it also while synchronous code runs.
  #report = (callId, fraction, what) => {
    if (this.#running?.id !== callId || (this.#chosen & CAN_REPORT_PROGRESS) === 0) return;
    const payload = progressPayload(fraction, what), { words, ids, report } = this.#shared;
    const isFirst = this.#shared.locked(() => {
      const before = words[REPORT_BYTES];
      ids[REPORTED] = callId;
      report.set(payload);
      words[REPORT_BYTES] = payload.length;
      return before === 0;
    });
    if (isFirst) this.#control.postMessage({ isReport: true });
  };

  // Has the last report sent before the outcome. The control thread is quick; where it is not, the report may come too late.
  #endReports() {
    const { words } = this.#shared, length = Atomics.load(words, REPORT_BYTES);
    if (length === 0) return;
    this.#control.postMessage({ isReport: true, isLast: true });
    Atomics.wait(words, REPORT_BYTES, length, 1000);
  }

  async #run(call, target, fields) {
    // Sent before any user code runs: if the worker fails, the host knows by STARTED which call had started.
    this.#write(header(STARTED, call.id, 0));
    if (this.#channel.writableLength > 0) await this.#written();
    let answer;
    try {
      call.throwIfCancelled();
      const given = target.bind(fields, call.request !== null);
      const result = target.run(call.request === null ? given : await target.open(given, call.request), call);
      // A value is sent at once; only a promise is awaited.
      const value = typeof result?.then === 'function' ? await result : result;
      if (fields.credit === 0) answer = this.#encoded(RESULT, call, this.#single(call, value), fields.rawWished);
      else answer = await (fields.rawWished ? this.#sendContent(call, value, target) : this.#sendItems(call, value));
      if (call.chosenResponse !== null) answer = this.#headed(call, answer);
    } catch (error) {
      answer = this.#failure(call, error);
    }
    call.expire();
    if (call.late) answer = [ERROR, ERROR_DEADLINE, 0];
    call.end();
    call.request?.end();
    if (call.job !== null) this.#endReports();
    const [type, payload, flags] = answer;
    this.#write(header(type, call.id, payload.length, flags), payload);
    if (this.#channel.writableLength > 0) await this.#written();
    this.#running = null;
    this.#leaveWhenIdle();
    this.#guard(() => this.#pump());
  }

  #single(call, value) {
    if (typeof value?.next === 'function' && (Symbol.iterator in value || Symbol.asyncIterator in value)) {
      throw new TypeError(`${call.operation} yields items, but the host's contract has one value; make it an IAsyncEnumerable there, or return an array`);
    }
    return value;
  }

  async #sendItems(call, items) {
    if (typeof items !== 'object' || items === null || !(Symbol.iterator in items || Symbol.asyncIterator in items)) {
      throw new TypeError(`${call.operation} returned no items, but the host's contract is a stream`);
    }
    for await (const item of items) {
      call.throwIfCancelled();
      const [, payload] = this.#encoded(ITEM, call, item, false);
      await this.#sendItem(call, payload, 0);
    }
    return [RESULT, Buffer.alloc(0), NO_VALUE];
  }

  async #sendItem(call, payload, flags) {
    if (call.credit > 0) call.credit -= HEADER + payload.length;
    else await call.takeCredit(payload.length);
    const [, sent, with_] = call.chosenResponse === null ? [ITEM, payload, flags] : this.#headed(call, [ITEM, payload, flags]);
    this.#write(header(ITEM, call.id, sent.length, with_), sent);
    if (this.#channel.writableLength > 0) await this.#written();
  }

  // Status and headers that the operation chose, in front of what is sent first.
  #headed(call, [type, payload, flags]) {
    const { status, headers } = call.takeResponse();
    if ((this.#chosen & CAN_SEND_HEADS) === 0) throw new Error(`${call.operation} chose a status or headers of its response, and the host takes none from its workers`);
    return [type, Buffer.concat([responseHead(status, headers), payload]), flags | HEAD];
  }

  // What a Readable or an iterator gives, in pieces of 64 KB.
  async #sendContent(call, content, target) {
    const isWhole = isBytes(content);
    if (!isWhole && (typeof content !== 'object' || content === null || !(Symbol.iterator in content || Symbol.asyncIterator in content))) {
      throw new TypeError(`${call.operation} returned no content, but the host's contract is a Stream; return a Buffer, a Readable, or an iterator of Buffers`);
    }
    if (isWhole && (this.#chosen & CAN_SEND_HEADS) !== 0 && declaredLength(call) === undefined) call.response.headers['Content-Length'] = content.byteLength;
    let declared = declaredLength(call), sent = 0;
    const stop = () => { if (!isWhole) content.destroy?.(call.signal.reason); };
    call.signal.addEventListener('abort', stop);
    if (typeof content.on === 'function') content.on('error', () => {}); // It is thrown by the loop below.
    try {
      // Status and headers arrive before the first byte exists. The code of a generator has not run yet.
      if (!isWhole && !target.isGenerator) await this.#sendItem(call, Buffer.alloc(0), RAW);
      for await (const piece of isWhole ? [content] : content) {
        if (!isBytes(piece)) throw new TypeError(`${call.operation} gives a ${typeof piece} where the host's contract is a Stream; give Buffers`);
        declared = declaredLength(call) ?? declared;
        const bytes = piece instanceof ArrayBuffer ? Buffer.from(piece) : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
        for (let start = 0; start < bytes.length; start += MOST_PIECE) {
          call.throwIfCancelled();
          const part = bytes.subarray(start, start + MOST_PIECE);
          sent += part.length;
          if (sent > declared) break;
          await this.#sendItem(call, part, RAW);
        }
        if (sent > declared) break;
      }
    } finally {
      call.signal.removeEventListener('abort', stop);
      stop();
    }
    declared = declaredLength(call) ?? declared;
    if (sent !== (declared ?? sent)) throw new RangeError(`${call.operation} gave ${sent} bytes${sent > declared ? ' or more' : ''}, and its Content-Length says ${declared}`);
    return [RESULT, Buffer.alloc(0), NO_VALUE];
  }

  #encoded(type, call, value, rawWished) {
    const [payload, flags] = encode(value, rawWished);
    if (payload.length > this.#hello.mostPayload) throw new TooLong(payload.length, this.#hello.mostPayload);
    return [type, payload, flags];
  }

  #failure(call, error) {
    const isAbort = error instanceof Cancelled || error?.name === 'AbortError';
    if ((isAbort && call.cancelled) || error instanceof RequestAborted) return [ERROR, ERROR_CANCELLED, 0];
    if (error instanceof BadArguments) return [ERROR, errorArguments(error.errors), 0];
    if (error instanceof TooLong) return [ERROR, errorTooLarge(error), 0];
    if (error instanceof StatusError) {
      const payload = errorStatus(error);
      return [ERROR, payload.length <= MOST_DESCRIPTION ? payload : errorTooLarge({ length: payload.length, limit: MOST_DESCRIPTION }), 0];
    }
    return [ERROR, errorFailed(describe(error)), 0];
  }

  // -- the data channel: when the host is gone a write fails, and the end of the channel reports it

  #write(...parts) {
    this.#channel.cork();
    for (const part of parts) if (part.length) this.#channel.write(part);
    this.#channel.uncork();
  }

  #written() {
    return new Promise(resolve => this.#channel.write(Buffer.alloc(0), resolve));
  }
}

// The Content-Length of a response that was not sent yet; undefined for none.
function declaredLength(call) {
  const header = Object.entries(call.chosenResponse?.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-length');
  return header === undefined ? undefined : Number(header[1]);
}

function encode(value, rawWished) {
  if (rawWished && isBytes(value)) return [Buffer.from(value), RAW];
  if (rawWished && typeof value === 'string') return [Buffer.from(value, 'utf8'), RAW];
  const json = JSON.stringify(value, function (key, plain) {
    return isBytes(this[key]) ? Buffer.from(this[key]).toString('base64') : plain; // Buffer has its own JSON form.
  });
  return [Buffer.from(json ?? 'null', 'utf8'), 0];
}

function describe(error) {
  try {
    if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: '' };
    const type = error.constructor?.name || error.name;
    const cause = error.cause === undefined ? '' : `\ncaused by: ${describe(error.cause).stack || error.cause}`;
    return { type, message: String(error.message), stack: `${error.stack ?? ''}${cause}` };
  } catch {
    return { type: 'Error', message: 'The thrown value cannot be converted to text.', stack: '' };
  }
}

if (!isMainThread && workerData?.weir) new ControlThread(workerData.weir);

module.exports = {
  operation, serve, log, sharedData, readSharedData, StatusError, Cancelled, RequestAborted,
  // For tests of the layouts.
  protocol: {
    FrameReader, Fields, Broken, RULES, User, frame, u64, readHello, readCall, readyPayload, failedPayload, errorFailed, errorStatus, errorArguments, errorTooLarge,
    progressPayload, responseHead, ERROR_CANCELLED, ERROR_DEADLINE, ERROR_MEMORY, encode, logPayload, byePayload, NO_VALUE, RAW, FAILED, HEAD, DATA_DOWN, DATA_UP, CONTROL_DOWN, CONTROL_UP,
  },
};
