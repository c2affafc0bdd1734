// piscina or workerpool as a contender: node pool.mjs piscina|workerpool
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reading, send, serve } from './control.mjs';

const workers = 2;
const here = name => fileURLToPath(new URL(name, import.meta.url));
const names = { Load: 'load', Nothing: 'nothing', Hash: 'hash' };

async function open(kind) {
  if (kind === 'piscina') {
    const { Piscina } = await import('piscina');
    const pool = new Piscina({ filename: here('tasks.mjs'), minThreads: workers, maxThreads: workers });
    return { run: (name, task) => pool.run(task, { name }), close: () => pool.destroy() };
  }
  const { default: workerpool } = await import('workerpool');
  const pool = workerpool.pool(here('workerpool-worker.mjs'), { minWorkers: workers, maxWorkers: workers, workerType: 'process' });
  return { run: (name, task) => pool.exec(name, [task]), close: () => pool.terminate() };
}

/** Keeps a window of calls in flight and tells each one's ending. */
async function inFlight(count, window, call, ended) {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const number = next++;
      try {
        await call(number);
        ended?.(number, true);
      } catch (error) {
        if (!ended) throw error;
        ended(number, false);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, count) }, lane));
}

const pool = await open(process.argv[2]);
const seconds = began => Number(process.hrtime.bigint() - began) / 1e9;

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
      await pool.run(names[kind], { data: Buffer.alloc(Number(bytes)) });
      times.push(Number(process.hrtime.bigint() - before) / 1e3);
    }
    const total = seconds(began);
    times.sort((a, b) => a - b);
    reading('tasks/s', times.length / total, '1/s');
    reading('p50', times[times.length >> 1], 'µs');
    reading('p99', times[Math.floor(times.length * 0.99)], 'µs');
    send('ok');
  },

  async pool({ kind, bytes, count, window }) {
    const began = process.hrtime.bigint();
    await inFlight(Number(count), Number(window), () => pool.run(names[kind], { data: Buffer.alloc(Number(bytes)) }));
    reading('tasks/s', Number(count) / seconds(began), '1/s');
    send('ok');
  },

  // Every call's ending as the caller saw it; the lab compares it with what the workers wrote.
  async chaos({ folder, count, window }) {
    const log = createWriteStream(join(folder, 'host'));
    await inFlight(Number(count), Number(window), number => pool.run('witnessed', { folder, number }),
      (number, ok) => log.write(`${ok ? 'ok' : 'failed'} ${number}\n`));
    await new Promise(resolve => log.end(resolve));
    send('ok');
  },
});
await pool.close();
