// Document 000: parses lines of JSON while they arrive, with what Node brings.
import { reading, send, serve } from './control.mjs';

async function* lines(url) {
  const response = await fetch(url, { headers: { accept: 'application/x-ndjson' } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    for (const line of parts) if (line) yield JSON.parse(line);
  }
}

const all = ({ url, count }) => lines(`${url}samples/All?count=${count}&ms=0`);
const sent = ({ url, count, delay }) => lines(`${url}samples/Sent?count=${count}&delay=${delay}`);

await serve({
  async answer(values) {
    const found = [];
    if (values.what === 'all')
      for await (const item of all({ ...values, count: 100 })) found.push(`Sample { Id = ${item.id}, Name = ${item.name}, Value = ${item.value} }`);
    else
      for await (const item of sent({ ...values, count: 3, delay: 1 })) found.push(item.id);
    send('ok', { answer: found.join(' ') });
  },

  async run(values) {
    const count = Number(values.count);
    if (values.what === 'all') {
      const cpu = process.cpuUsage();
      const began = process.hrtime.bigint();
      let first = 0n;
      let read = 0;
      for await (const item of all(values)) {
        first ||= process.hrtime.bigint();
        if (item.id !== read++) throw new Error(`item ${item.id} came as number ${read - 1}`);
      }
      const time = Number(process.hrtime.bigint() - began) / 1e9;
      if (read !== count) throw new Error(`${read} of ${count} items came`);
      const used = process.cpuUsage(cpu);
      reading('objects/s', count / time, '1/s');
      reading('processor time', (used.user + used.system) * 1000 / count, 'ns');
      reading('first object', Number(first - began) / 1e6, 'ms');
    } else {
      const ages = [];
      for await (const item of sent(values)) ages.push((Number(process.hrtime.bigint()) - item.sentAt) / 1e6);
      ages.sort((a, b) => a - b);
      reading('age p50', ages[Math.floor(ages.length / 2)], 'ms');
      reading('age p99', ages[Math.floor(ages.length * 0.99)], 'ms');
    }
    send('ok');
  },
});
process.exit(0);
