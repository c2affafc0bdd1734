'use strict';
// Reads and writes tests/vectors byte for byte: vectors.js FOLDER. What travels down is read, what travels up is written.

const { isDeepStrictEqual } = require('node:util');
const fs = require('node:fs');
const path = require('node:path');
const { StatusError, protocol: p } = require('../../workers/node/weir-worker.js');

const type = name => [...p.RULES].find(([, rule]) => rule[0] === name)[0];
const up = (name, id, payload, flags) => p.frame(type(name), id, payload, flags);
const written = (name, id, value, raw) => { const [payload, flags] = p.encode(value, raw); return up(name, id, payload, flags); };

const u32 = value => Buffer.from(Uint32Array.of(value).buffer);
const text = value => Buffer.concat([u32(value.length), Buffer.from(value)]);
const logDetails = () => Buffer.concat([
  text('took {Ms}'), Buffer.from([1, 0]), text('Ms'), Buffer.from([2]), text('5'), Buffer.from([1, 0]), text('order 7'), Buffer.from([1, 0]),
  text('Order'), Buffer.from([1]), text('7'), text('0af7651916cd43dd8448eb211c80319c'), text('b7ad6b7169203331'),
]);

const UP = {
  'started': () => up('STARTED', 2n),
  'item-json': () => written('ITEM', 2n, { a: 1 }, false),
  'item-raw': () => written('ITEM', 2n, Buffer.from([0xff, 0]), true),
  'item-head': () => up('ITEM', 2n, Buffer.concat([p.responseHead(206, { 'X-A': 'b' }), Buffer.from('{"a":1}')]), p.HEAD),
  'item-content': () => up('ITEM', 2n, Buffer.concat([p.responseHead(206, { 'Content-Length': '2' }), Buffer.from([0xff, 0])]), p.RAW | p.HEAD),
  'result-head': () => up('RESULT', 2n, p.responseHead(202, {}), p.NO_VALUE | p.HEAD),
  'result-json': () => written('RESULT', 2n, 'héllo', false),
  'result-raw': () => written('RESULT', 2n, 'héllo', true),
  'result-none': () => up('RESULT', 2n, undefined, p.NO_VALUE),
  'error-failed': () => up('ERROR', 2n, p.errorFailed({ type: 'System.InvalidOperationException', message: 'no', stack: 'at A.B()' })),
  'error-status': () => up('ERROR', 2n, p.errorStatus(new StatusError(409, 'taken', { 'Retry-After': '1' }))),
  'error-arguments': () => up('ERROR', 2n, p.errorArguments([{ name: 'days', reason: 'invalid', expected: 'a whole number' }])),
  'error-cancelled': () => up('ERROR', 2n, p.ERROR_CANCELLED),
  'error-deadline': () => up('ERROR', 2n, p.ERROR_DEADLINE),
  'error-memory': () => up('ERROR', 2n, p.ERROR_MEMORY),
  'error-too-large': () => up('ERROR', 2n, p.errorTooLarge({ length: 70_000_000, limit: 64 << 20 })),
  'ready': () => up('READY', 0n, p.readyPayload(4711, ['Hasher/Hash', 'Hasher/Nothing'], { capabilities: 16, identity: 'c1', hashes: [0x0123456789abcdefn, 2n] })),
  'ready-failed': () => up('READY', 0n, p.failedPayload('create App.Hasher', { type: 'System.InvalidOperationException', message: 'no key', stack: '' }), p.FAILED),
  'returned': () => up('RETURNED', 5n, p.u64(8)),
  'pong': () => up('PONG', 0n, p.u64(0x1122334455667788n)),
  'log': () => up('LOG', 2n, p.logPayload({ level: 3, eventId: 17, dropped: 3, eventName: 'Slow', category: 'App.Hasher', message: 'slow', exception: 'System.Exception: x' })),
  'log-details': () => up('LOG', 2n, Buffer.concat([p.logPayload({ level: 4, eventId: 1, dropped: 0, eventName: '', category: 'App.Hasher', message: 'took 5', exception: '' }), logDetails()])),
  'progress': () => up('PROGRESS', 2n, p.progressPayload(0.25, 'page 1 of 4')),
  'stack': () => up('STACK', 2n, Buffer.from('at a()\nat b()')),
  'bye': () => up('BYE', 0n, p.byePayload(1)),
};

const fields = frame => new p.Fields('', frame.payload);
const is = (frame, name, id) => frame.type === type(name) && frame.callId === id;
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
// The part is not agreed where the host did not offer its capability.
const refuses = (call, kind = 3) => {
  try {
    p.readCall(call);
    return false;
  } catch (error) {
    return error.message.includes(`part kind ${kind} is not assigned or not agreed`);
  }
};
const isCaller = user => user.isAuthenticated && user.name === 'ann' && isDeepStrictEqual(user.claims.map(claim => claim.type), ['name', 'age']) && user.find('age') === '7';
const DOWN = {
  'call-empty': f => is(f, 'CALL', 1n) && isDeepStrictEqual(p.readCall(f.payload), { operation: 0, rawWished: false, credit: 0, remaining: -1, traceparent: null, tracestate: null, values: null, raw: [], context: null, caller: null }),
  'call-full': f => is(f, 'CALL', 7n) && isDeepStrictEqual(p.readCall(f.payload), {
    operation: 258, rawWished: true, credit: 65536, remaining: 1500, traceparent, tracestate: 'k=v', values: Buffer.from('{"n":1}'), raw: [{ parameter: 1, bytes: Buffer.from([0, 1, 2]) }], context: null, caller: null,
  }),
  'call-context': f => refuses(f.payload) && isDeepStrictEqual(p.readCall(f.payload, true).context, { culture: 'de-DE', uiCulture: 'en', baggage: [['user', '7']], items: new Map([['tenant', 'a']]) }),
  'call-caller': f => is(f, 'CALL', 9n) && refuses(f.payload, 4) && isCaller(new p.User(p.readCall(f.payload, false, true).caller)),
  'item-file': f => is(f, 'ITEM', 3n) && f.flags === 0 && isDeepStrictEqual(JSON.parse(f.payload), { name: 'scan', fileName: 'a.tif', contentType: 'image/tiff', length: 123, headers: { 'Content-Type': 'image/tiff' } }),
  'stack-asked': f => is(f, 'STACK', 2n) && f.payload.length === 0,
  'hello-shared-data': f => isDeepStrictEqual(p.readHello(f.payload).shared.map(one => one.path), ['', '/tmp/words']),
  'hello': f => is(f, 'HELLO', 0n) && isDeepStrictEqual(p.readHello(f.payload), {
    leastVersion: 1, mostVersion: 2, capabilities: 24, mostPayload: 64 << 20, logLevel: 3, identity: 'c1', pool: 'hashing', configuration: { Key: 'secret' },
  }),
  'credit': f => is(f, 'CREDIT', 2n) && fields(f).u32() === 65536,
  'cancel': f => is(f, 'CANCEL', 2n) && fields(f).u8() === 1,
  'ping': f => is(f, 'PING', 0n) && fields(f).u64() === 0x1122334455667788n,
  'drain': f => is(f, 'DRAIN', 9n) && f.payload.length === 0,
  'space': f => is(f, 'SPACE', 0n) && f.payload.length === 0,
  'end': f => is(f, 'END', 3n),
  'abort': f => is(f, 'ABORT', 3n) && fields(f).u8() === 1,
};

function parse(bytes, routes) {
  const reader = new p.FrameReader(routes);
  for (let i = 0; i < bytes.length; i++) {
    reader.feed(bytes.subarray(i, i + 1)); // A frame may arrive in any pieces.
    const frame = reader.next();
    if ((frame === null) !== (i < bytes.length - 1)) throw new Error('a frame before its end, or none at it');
    if (frame) return frame;
  }
}

function isRight(name, golden) {
  if (UP[name]) return UP[name]().equals(golden) && parse(golden, p.DATA_UP | p.CONTROL_UP) !== undefined;
  return DOWN[name]?.(parse(golden, p.DATA_DOWN | p.CONTROL_DOWN)) ?? false;
}

const folder = process.argv[2], files = fs.readdirSync(folder).filter(file => file.endsWith('.hex'));
let wrong = 0;
for (const file of files) {
  const lines = fs.readFileSync(path.join(folder, file), 'utf8').split('\n').filter(line => !line.startsWith('#'));
  if (isRight(file.slice(0, -4), Buffer.from(lines.join('').replace(/\s/g, ''), 'hex'))) continue;
  console.error(`${file} is not as its golden file says`);
  wrong++;
}
console.log(`${files.length} vectors`);
process.exit(wrong);
