// What runs in the workers: document 003's task, and the task of the chaos run.
import { createHash, randomFillSync } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

export const hash = ({ data }) => createHash('sha512').update(data).digest('base64');

export function load({ data }) {
  const buffer = Buffer.from(data);
  randomFillSync(buffer);
  return hash({ data: buffer });
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
