// Document 002 with undici: node --expose-gc --min-semi-space-size=64 --max-semi-space-size=64 fanout.mjs
// The young generation is so large that nothing is collected while an iteration is counted.
import { Agent, request } from 'undici';
import { reading, send, serve } from './control.mjs';

const connect = { rejectUnauthorized: false }; // the lab's certificate is its own
const agents = [0, 1].map(pipelining => new Agent({ connect, pipelining, keepAliveTimeout: 60_000 })); // 0: a connection for each request

async function body(url, dispatcher) {
  const response = await request(url, { dispatcher });
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  return response.body.text();
}

const fetchAll = ({ url, count, keepalive }) =>
  Promise.all(Array.from({ length: Number(count) }, () => body(url, agents[Number(keepalive)])));

await serve({
  async answer(values) {
    send('ok', { answer: (await fetchAll(values)).join(',') });
  },

  async run(values) {
    const iterations = Number(values.iterations);
    const began = process.hrtime.bigint();
    for (let i = 0; i < iterations; i++) await fetchAll(values);
    const time = Number(process.hrtime.bigint() - began) / 1e9 / iterations;
    reading('time', time, 's');
    reading('iterations/s', 1 / time, '1/s');

    gc();
    const before = process.memoryUsage().heapUsed;
    const bodies = await fetchAll(values);
    reading('allocated', process.memoryUsage().heapUsed - before, 'B');
    gc();
    reading('retained', Math.max(0, process.memoryUsage().heapUsed - before), 'B');
    if (bodies.length !== Number(values.count)) throw new Error(`${bodies.length} of ${values.count} requests were answered`);
    send('ok');
  },
});
process.exit(0);
