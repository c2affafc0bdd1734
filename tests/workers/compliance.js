'use strict';
// What a worker may be asked in WorkerCompliance, in JavaScript.

const { spawn } = require('node:child_process');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { operation, serve, log, StatusError } = require('../../workers/node/weir-worker.js');

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
