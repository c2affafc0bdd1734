// A pool of Node's as a contender: node pool.mjs piscina WORKERS TASKS-A-WORKER | workerpool WORKERS thread|process
import { existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reading, send, serve } from './control.mjs';

const [kind, count, option] = process.argv.slice(2);
const workers = Number(count);
const here = name => fileURLToPath(new URL(name, import.meta.url));
const names = { Load: 'load', Nothing: 'nothing', Hash: 'hash' };
const answerLength = { Load: 88, Nothing: 0, Hash: 88 };

// Threads can be given a buffer instead of a copy of it, which pays for long ones.
const longTransfer = 64 * 1024;
const transferred = ({ data }) => (data?.length >= longTransfer ? [data.buffer] : []);

async function open() {
  if (kind === 'piscina') {
    const { Piscina } = await import('piscina');
    const pool = new Piscina({ filename: here('tasks.mjs'), minThreads: workers, maxThreads: workers, concurrentTasksPerWorker: Number(option) });
    return { run: (name, task) => pool.run(task, { name, transferList: transferred(task) }), close: () => pool.destroy() };
  }
  const { default: workerpool } = await import('workerpool');
  // The channel of a process speaks JSON unless it is told otherwise: a buffer would be a list of numbers.
  const forkOpts = { serialization: 'advanced' };
  const pool = workerpool.pool(here('workerpool-worker.mjs'), { minWorkers: workers, maxWorkers: workers, workerType: option, forkOpts });
  const options = option === 'thread' ? task => ({ transfer: transferred(task) }) : () => undefined;
  return { run: (name, task) => pool.exec(name, [task], options(task)), close: () => pool.terminate() };
}

/** Keeps a window of calls in flight as long as it goes on; tells how many there were. */
async function inFlight(window, goesOn, call) {
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (goesOn(next)) {
      await call(next++);
      done++;
    }
  };
  await Promise.all(Array.from({ length: window }, lane));
  return done;
}

const pool = await open();
const seconds = began => Number(process.hrtime.bigint() - began) / 1e9;

/** A task that answers something else was not done. */
async function task(kind, bytes) {
  const answer = await pool.run(names[kind], { data: Buffer.alloc(Number(bytes)) });
  if (answer?.length !== answerLength[kind]) throw new Error(`a task answered ${answer}`);
}

await serve({
  async answer({ bytes }) {
    const data = Buffer.from(Array.from({ length: Number(bytes) }, (_, i) => i % 256));
    send('ok', { answer: await pool.run('hash', { data }) });
  },

  async tasks({ kind, bytes, count }) {
    const times = [];
    const began = process.hrtime.bigint();
    for (let i = 0; i < Number(count); i++) {
      const before = process.hrtime.bigint();
      await task(kind, bytes);
      times.push(Number(process.hrtime.bigint() - before) / 1e3);
    }
    const total = seconds(began);
    times.sort((a, b) => a - b);
    reading('tasks/s', times.length / total, '1/s');
    reading('p50', times[times.length >> 1], 'µs');
    reading('p99', times[Math.floor(times.length * 0.99)], 'µs');
    send('ok');
  },

  // Until so many were begun ('count'), or for so long ('seconds').
  async pool({ kind, bytes, window, ...limit }) {
    const most = Number(limit.count ?? Infinity);
    const longest = Number(limit.seconds ?? Infinity);
    const began = process.hrtime.bigint();
    const done = await inFlight(Number(window), begun => begun === 0 || (begun < most && seconds(began) < longest), () => task(kind, bytes));
    reading('tasks/s', done / seconds(began), '1/s');
    send('ok');
  },

  // What was called and every ending as the caller saw it; the lab compares it with what the workers wrote.
  async chaos({ folder, count, window, seconds: longest }) {
    const log = openSync(join(folder, 'host'), 'w');
    const enough = join(folder, 'enough');
    const began = process.hrtime.bigint();
    const goesOn = number => seconds(began) < Number(longest) && (number < Number(count) || !existsSync(enough));
    await inFlight(Number(window), goesOn, async number => {
      writeSync(log, `made ${number}\n`);
      const ending = await pool.run('witnessed', { folder, number }).then(() => 'ok', () => 'failed');
      writeSync(log, `${ending} ${number}\n`);
    });
    send('ok');
  },
});
await pool.close();
