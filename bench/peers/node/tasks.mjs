// What runs in the workers: document 003's task, and the task of the chaos run.
import { createHash, randomFillSync } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export const hash = ({ data }) => createHash('sha512').update(data).digest('base64');

// The platform fills from a cryptographic generator, which costs a call into native code: a microsecond, nearly what
// the hash of a kilobyte costs. Short buffers are filled by xoshiro128**, of the family of the generator of .NET;
// long ones by the platform, which is faster there than a loop.
const longFill = 16 * 1024;
const state = crypto.getRandomValues(new Uint32Array(4));

function fill(words) {
  let [a, b, c, d] = state;
  for (let i = 0; i < words.length; i++) {
    const x = Math.imul(b, 5);
    words[i] = Math.imul((x << 7) | (x >>> 25), 9);
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
  }
  state.set([a, b, c, d]);
}

/** Overwrites what it was given with random bytes and hashes it; lengths are multiples of four. */
export function load({ data }) {
  if (data.length >= longFill) {
    return hash({ data: randomFillSync(data) });
  }
  // A buffer may stand anywhere in its memory, words may not.
  const bytes = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
  fill(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2));
  return hash({ data: bytes });
}

export const nothing = () => '';

/** Writes down that it began and that it ended, each in one append to a file of its own process. */
export function witnessed({ folder, number }) {
  const file = join(folder, `worker-${process.pid}`);
  appendFileSync(file, `b ${number}\n`);
  const block = Buffer.alloc(8);
  block.writeBigUInt64LE(BigInt(number));
  const answer = hash({ data: Buffer.concat(Array(128).fill(block)) });
  appendFileSync(file, `e ${number}\n`);
  return answer;
}
