// The contender's side of the lab's lines: @verb key=value, values percent-encoded.
import { createInterface } from 'node:readline';

export function send(verb, values = {}) {
  const words = Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  process.stdout.write('@' + [verb, ...words].join(' ') + '\n');
}

export function reading(metric, value, unit) {
  send('reading', { metric, value, unit });
}

/** Answers until the input ends; what a handler throws becomes an error line. */
export async function serve(handlers, ready = {}) {
  send('ready', { runtime: `Node ${process.versions.node}`, ...ready });
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.startsWith('@')) continue;
    const [verb, ...words] = line.slice(1).split(' ');
    const values = Object.fromEntries(words.map(word => {
      const at = word.indexOf('=');
      return [word.slice(0, at), decodeURIComponent(word.slice(at + 1))];
    }));
    try {
      await handlers[verb](values);
    } catch (error) {
      send('error', { message: `${error.name}: ${error.message}` });
    }
  }
}
