// Job queues of Node on PostgreSQL as contenders: node jobs.mjs graphile|graphile-batched|pg-boss host=FOLDER database=NAME concurrency=N …
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reading, send, serve } from './control.mjs';

const [kind, ...words] = process.argv.slice(2);
const settings = Object.fromEntries(words.map(word => word.split(/=(.*)/s, 2)));
const concurrency = Number(settings.concurrency ?? 0);
const connectionString = `postgres://lab@localhost/${settings.database}?host=${encodeURIComponent(settings.host)}`;
process.env.NO_LOG_SUCCESS = '1';

const now = () => Number(process.hrtime.bigint()) / 1e6;
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// What ran: the runs of all, and the time of the first instruction of each that is waited for.
let runs = 0;
const started = new Map();

function runNow({ number }) {
  runs++;
  if (waiting.has(number)) started.set(number, now());
}

// Who waits for the end of the job of a number: as many as are in flight.
const waiting = new Map();

function ended(number) {
  waiting.get(number)?.();
}

let next = 0;

/** Submits a job, and waits for its end; returns when it was accepted and when its code began. */
async function submitAndWait(queue) {
  const number = next++;
  const end = new Promise(resolve => waiting.set(number, resolve));
  try {
    await queue.add({ number });
    const accepted = now();
    await end;
    return { accepted, started: started.get(number), number };
  } finally {
    waiting.delete(number);
    started.delete(number);
  }
}

async function openGraphile() {
  const { Logger, run } = await import(kind === 'graphile-batched' ? 'graphile-worker-batched' : 'graphile-worker');
  const worker = {};
  if (concurrency > 0) Object.assign(worker, { concurrentJobs: concurrency, maxPoolSize: 2 * concurrency });
  if (kind === 'graphile-batched') Object.assign(worker, { localQueue: { size: Number(settings.queue) }, completeJobBatchDelay: 0 });
  const runner = await run({
    connectionString,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { nothing: async payload => runNow(payload) },
    preset: { worker: { connectionString, ...worker } },
  });
  runner.events.on('job:complete', ({ job }) => ended(job.payload.number));
  return { add: payload => runner.addJob('nothing', payload), close: () => runner.stop() };
}

async function openPgBoss() {
  const { default: PgBoss } = await import('pg-boss');
  const boss = new PgBoss({ connectionString, ...(concurrency > 0 ? { max: 2 * concurrency, supervise: false, schedule: false } : {}) });
  boss.on('error', error => process.stderr.write(`${error.message}\n`));
  await boss.start();
  await boss.createQueue('nothing');
  const add = payload => boss.send('nothing', payload);
  if (concurrency === 0) {
    // Its worker does not tell when an end is stored: here it is the end of the code, which is in its favour.
    await boss.work('nothing', async jobs => {
      for (const { data } of jobs) {
        runNow(data);
        ended(data.number);
      }
    });
    return { add, close: () => boss.stop({ graceful: false }) };
  }

  // Its worker asks every half second at best; by its own fetch and complete it can be asked more often.
  let isOpen = true;
  const lane = async () => {
    while (isOpen) {
      const jobs = await boss.fetch('nothing', { batchSize: Number(settings.batch) });
      if (jobs.length === 0) {
        await sleep(Number(settings.poll));
        continue;
      }
      for (const job of jobs) runNow(job.data);
      await boss.complete('nothing', jobs.map(job => job.id));
      for (const job of jobs) ended(job.data.number);
    }
  };
  const lanes = Array.from({ length: concurrency }, lane);
  return {
    add,
    close: async () => {
      isOpen = false;
      await Promise.allSettled(lanes);
      await boss.stop({ graceful: false });
    },
  };
}

/** The median of so many syncs of 4 KB, in ms. */
function syncs(count) {
  const path = join(tmpdir(), `weir-lab-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: count }, () => {
    const began = now();
    writeSync(file, page);
    fdatasyncSync(file);
    return now() - began;
  });
  closeSync(file);
  unlinkSync(path);
  return median(times);
}

function median(times) {
  return times.sort((a, b) => a - b)[times.length >> 1];
}

const queue = await (kind === 'pg-boss' ? openPgBoss() : openGraphile());

await serve({
  async answer({ count }) {
    const before = runs;
    const jobs = await Promise.all(Array.from({ length: Number(count) }, () => submitAndWait(queue)));
    send('ok', { answer: `${jobs.length} jobs, ${runs - before} runs, ${new Set(jobs.map(job => job.number)).size} results` });
  },

  async run({ what, ...values }) {
    await (what === 'latency' ? latency(values) : throughput(values));
    send('ok');
  },

  // So many a second for so long, each by itself, whatever becomes of the earlier ones.
  async pressure({ rate, seconds }) {
    const began = now();
    const longest = Number(seconds) * 1e3;
    const waits = [];
    let submitted = 0;
    let done = 0;
    let failed = 0;
    let most = 0;
    for (let spent = 0; spent < longest; spent = now() - began) {
      for (; submitted < (spent / 1e3) * Number(rate); submitted++) {
        const at = now();
        const isLate = spent >= longest * 0.75;
        submitAndWait(queue).then(job => {
          done++;
          if (isLate) waits.push(job.started - at);
        }, () => failed++);
      }
      most = Math.max(most, submitted - done);
      await sleep(5);
    }
    await sleep(1000);
    reading('jobs', submitted, '');
    reading('backlog', submitted - done, '');
    reading('most open', most, '');
    reading('failed', failed, '');
    if (waits.length > 0) {
      reading('begun after p50', median(waits), 'ms');
      reading('begun after p99', waits[Math.floor(waits.length * 0.99)], 'ms');
    }
    send('ok');
  },
});
await queue.close();
process.exit(0);

async function throughput({ inflight, seconds }) {
  const before = syncs(25);
  const cpu = process.cpuUsage();
  const began = now();
  let jobs = 0;
  const lane = async () => {
    do {
      await submitAndWait(queue);
      jobs++;
    } while (now() - began < Number(seconds) * 1e3);
  };
  await Promise.all(Array.from({ length: Number(inflight) }, lane));
  const took = (now() - began) / 1e3;
  const used = process.cpuUsage(cpu);
  reading('jobs/s', jobs / took, '1/s');
  reading('fsync', (before + syncs(25)) / 2, 'ms');
  reading('CPU', (used.user + used.system) / jobs, 'µs');
}

async function latency({ count, pause }) {
  const latencies = [];
  const accepts = [];
  const disk = [];
  for (let i = 0; i < Number(count); i++) {
    disk.push(syncs(1));
    await sleep(Number(pause));
    const submitted = now();
    const job = await submitAndWait(queue);
    latencies.push(job.started - submitted);
    accepts.push(job.accepted - submitted);
  }
  reading('first instruction p50', median(latencies), 'ms');
  reading('first instruction p99', latencies[Math.floor(latencies.length * 0.99)], 'ms');
  reading('accepted p50', median(accepts), 'ms');
  reading('fsync', median(disk), 'ms');
}
