'use strict';
// What a worker may be asked in WorkerCompliance, in JavaScript.

const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { Readable } = require('node:stream');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { operation, serve, log, sharedData, StatusError } = require('../../workers/node/weir-worker.js');

let configuration = {};
let lateAnswers = 0;

operation('Compliance/Add', { a: 'int', b: 'int' }, ({ a, b }) => a + b);
operation('Compliance/Later', { text: 'text' }, async ({ text }) => { await turn(); return text; });
operation('Compliance/Echo', { text: 'text' }, ({ text }) => text);
operation('Compliance/Maybe', { text: 'text?' }, ({ text }) => text);
operation('Compliance/Reverse', { prefix: 'text', data: 'bytes' }, ({ prefix, data }) => Buffer.concat([Buffer.from(prefix), Buffer.from(data).reverse()]));
operation('Compliance/Sum', { numbers: 'json', start: 'int?' }, ({ numbers, start = 10 }) => numbers.reduce((sum, one) => sum + one, start));
operation('Compliance/Nothing', {}, () => {});
operation('Compliance/Fail', { message: 'text' }, ({ message }) => { throw new RangeError(message); });
operation('Compliance/Refuse', { status: 'int' }, ({ status }) => { throw new StatusError(status, 'refused', { 'X-Reason': 'test' }); });
operation('Compliance/Huge', { length: 'int' }, ({ length }) => 'x'.repeat(length));
operation('Compliance/Count', { n: 'int' }, function* ({ n }) { for (let i = 0; i < n; i++) yield i; });
operation('Compliance/CountLater', { n: 'int' }, async function* ({ n }) { for (let i = 0; i < n; i++) { await turn(); yield i; } });
operation('Compliance/CountAndFail', { n: 'int' }, function* ({ n }) { for (let i = 0; i < n; i++) yield i; throw new RangeError(`after ${n}`); });
operation('Compliance/Wait', {}, (_, call) => sleep(600_000, null, { signal: call.signal }));
operation('Compliance/WaitLater', {}, (_, call) => sleep(600_000, null, { signal: call.signal }));
operation('Compliance/Spin', {}, (_, call) => { for (;;) call.throwIfCancelled(); });
operation('Compliance/Ignore', { milliseconds: 'int' }, ({ milliseconds }) => {
  console.log('ignoring');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return 'done';
});
operation('Compliance/Remaining', {}, (_, call) => call.remaining === null ? -1 : Math.floor(call.remaining));
operation('Compliance/Report', { times: 'int' }, ({ times }, { job }) => {
  if (job === null) return 'direct';
  for (let i = 1; i <= times; i++) job.report(i / times, `${i} of ${times}`);
  if (times < 0) job.report(-2 * times, 'x'.repeat(1000));
  return `${job.id.slice(0, 4)} ${job.attempt} ${job.fence} ${job.key}`;
});
operation('Compliance/ReportAndSpin', {}, (_, call) => {
  call.job.report(0.25, 'begins');
  call.job.report(0.5, 'spins');
  for (;;) call.throwIfCancelled();
});
operation('Compliance/Print', { text: 'text' }, ({ text }) => {
  console.log(text);
  console.error(text);
  log.warn(`logged ${text}`, { category: 'compliance' });
});
operation('Compliance/Exit', { code: 'int' }, ({ code }) => process.exit(code));
operation('Compliance/Exhaust', {}, () => process.abort()); // As Node itself does: there is nothing to catch.
operation('Compliance/Spawn', {}, () => spawn('sleep', ['1000'], { stdio: 'ignore' }).pid);
operation('Compliance/Configured', {}, () => configuration.word);
operation('Compliance/Late', { id: 'int', waits: 'bool' }, async ({ id, waits }, call) => {
  if (waits) await sleep(20_000, null, { signal: call.signal }).catch(() => { lateAnswers++; });
  return id;
});
operation('Compliance/LateCount', {}, () => lateAnswers);

// Content and files.

async function digest(pieces, most = Infinity) {
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(0, most - length);
    length += part.length;
    hash.update(part);
    if (length === most) break;
  }
  return `${length} ${hash.digest('hex')}`;
}

async function described(file) {
  return [file.name, file.fileName, file.contentType ?? 'None', file.length ?? 'None', file.headers['X-Part'] ?? 'None', await digest(file)].join('|');
}

const pattern = Buffer.from(Array.from({ length: 65536 }, (_, i) => i % 256));

operation('Compliance/Upload', { label: 'text', content: 'content' }, async ({ label, content }) => `${label} ${await digest(content)}`);
operation('Compliance/UploadLater', { label: 'text', content: 'content' }, async ({ label, content }) => {
  await turn();
  const pieces = [];
  await new Promise((resolve, reject) => content.on('data', piece => pieces.push(piece)).on('end', resolve).on('error', reject));
  return `${label} ${await digest(pieces)}`;
});
operation('Compliance/UploadPart', { length: 'int', content: 'content' }, ({ length, content }) => digest(content, length));
operation('Compliance/UploadNone', { content: 'content' }, () => 'none');
operation('Compliance/Download', { length: 'int' }, ({ length }, call) => {
  Object.assign(call.response.headers, { 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename=a.png' });
  return Readable.from((function* () { for (let left = length; left > 0; left -= 65536) yield pattern.subarray(0, left); })());
});
operation('Compliance/DownloadFile', { length: 'int' }, ({ length }, call) => {
  call.response.headers.ETag = '"v1"';
  return Buffer.alloc(length, pattern);
});
operation('Compliance/DownloadAndFail', { length: 'int' }, function* ({ length }) { yield Buffer.alloc(length, 'x'); throw new RangeError('after the first bytes'); });
operation('Compliance/DownloadDeclared', { declared: 'int', sent: 'int' }, ({ declared, sent }, call) => {
  call.response.status = 203;
  call.response.headers['Content-Length'] = declared;
  return [Buffer.alloc(sent, 'y')];
});
operation('Compliance/DownloadEndless', {}, function* () {
  try {
    for (;;) yield Buffer.alloc(65536, 'z');
  } finally {
    console.log('closed');
  }
});
operation('Compliance/EchoContent', { content: 'content' }, ({ content }) => content);
operation('Compliance/EchoContentLater', { content: 'content' }, async function* ({ content }) { for await (const piece of content) { await turn(); yield piece; } });
operation('Compliance/TakeFile', { label: 'text', file: 'file?' }, async ({ label, file }) => file === undefined ? 'none' : `${label} ${await described(file)}`);
operation('Compliance/TakeFiles', { files: 'files' }, async ({ files }) => {
  const all = [];
  for await (const file of files) all.push(await described(file));
  return all;
});
operation('Compliance/TakeFilesLater', { files: 'files' }, async ({ files }) => {
  const all = [];
  for (let next; !(next = await files.next()).done;) { await turn(); all.push(await described(next.value)); }
  return all;
});
operation('Compliance/SkipFiles', { files: 'files' }, async ({ files }) => {
  const names = [];
  for await (const file of files) { names.push(file.fileName); file.read(); }
  return names.join(' ');
});
operation('Compliance/SumItems', { numbers: 'items' }, async ({ numbers }) => {
  let sum = 0;
  for await (const one of numbers) sum += one;
  return sum;
});
operation('Compliance/WhoCalls', {}, (_, { user }) => user === null ? 'no caller' : [user.name, user.find('tenant'), user.isInRole('admin'), user.isAuthenticated].join('|'));
operation('Compliance/ReadShared', { name: 'text' }, ({ name }) => digest([sharedData(name)]));

serve({
  setup(startup) {
    if (startup.configuration.start === 'throw') throw new Error('no database');
    if (startup.configuration.start === 'exit') process.exit(5);
    if (startup.configuration.start === 'linger') {
      console.log('building services');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
    configuration = startup.configuration;
  },
  cleanup: () => console.log('cleaned up'),
});
