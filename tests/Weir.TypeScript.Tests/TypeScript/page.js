// What the modules of the dashboard's page make of data, without a page.

import { endOf, lives, points } from './charts.js';
import { bytes, count, duration, operationHref, percent, poolHref, symbolOf } from './elements.js';
import { indented, isJobId, jobHref } from './jobs.js';

/** @param {unknown} actual @param {unknown} expected */
function equal(actual, expected) {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) {
    throw new Error(`${one} is not ${other}`);
  }
}

// Values as text.
equal([0, 0.0000042, 0.0213, 0.1804, 1, 12.44, 252, 7_384, 100_000].map(duration), ['0 s', '4 µs', '21.3 ms', '180 ms', '1.0 s', '12.4 s', '4 min 12 s', '2 h 3 min', '1 d 3 h']);
equal(duration(undefined), '–');
equal([0, 1, 1_204, 0.25].map(count), ['0', '1', '1,204', '0.3']);
equal([512, 2_048, 3 * 2 ** 20, 1.5 * 2 ** 30].map(bytes), ['512 B', '2 KB', '3 MB', '1.5 GB']);
equal([percent(1, 3), percent(0, 0)], ['33 %', '–']);
equal(['failing', 'waiting', 'notice', 'busy'].map(symbolOf), ['✗', '!', 'i', '✓']);

// Arguments of a job on lines, with every digit of a number, and texts as they are.
equal(indented('{"a":[1,-2.50],"b":{ },"c":"x, {\\"y: [", "d":12345678901234567890}'), '{\n  "a": [\n    1,\n    -2.50\n  ],\n  "b": {},\n  "c": "x, {\\"y: [",\n  "d": 12345678901234567890\n}');
equal([isJobId('01a21fc8-b399-76a9-bfbc-d2c0f613e375'), isJobId('hashing-5120-7')], [true, false]);
equal(jobHref('a/b'), '#/job/a%2Fb');

// Names of people are parts of addresses.
equal(poolHref('a/b c'), '#/pool/a%2Fb%20c');
equal(operationHref('Reports/Build<1>'), '#/operation/Reports/Build%3C1%3E');

// The seconds of the last two minutes replace the tens of that time, and counts become rates.
const seconds = { step: 1, names: ['busy', 'succeeded'], points: [[100, 2, 5], [101, 3, 7]] };
const tens = { step: 10, names: ['busy', 'succeeded'], points: [[70, 1, 20], [90, 1, 30], [100, 3, 12]] };
equal(points([seconds, tens], ['succeeded']), [
  { t: 70, step: 10, values: { busy: 1, succeeded: 2 } },
  { t: 90, step: 10, values: { busy: 1, succeeded: 3 } },
  { t: 100, step: 1, values: { busy: 2, succeeded: 5 } },
  { t: 101, step: 1, values: { busy: 3, succeeded: 7 } },
]);
equal(points([undefined, undefined], []), []);

// One life for each process, whatever of it is still kept.
/** @typedef {import('./data.js').WorkerEvent} WorkerEvent */
const worker = { pool: 'hashing', generation: 0 };
/** @type {WorkerEvent[]} */
const events = [
  { ...worker, t: 1, event: 'started', pid: 11, serial: 2 },
  { ...worker, t: 2, event: 'ready', pid: 11, serial: 2 },
  { ...worker, t: 3, event: 'ended', pid: 10, serial: 1, end: 'idle' },
  { ...worker, t: 4, event: 'ended', pid: 11, serial: 2, end: 'failedInCall', report: 'hashing-11-2' },
  { ...worker, t: 5, event: 'started', pid: 12, serial: 3 },
];
const found = lives(events);
equal(found, [
  { serial: 1, pid: 10, ended: 3, end: 'idle' },
  { serial: 2, pid: 11, started: 1, ready: 2, ended: 4, end: 'failedInCall', report: 'hashing-11-2' },
  { serial: 3, pid: 12, started: 5 },
]);
equal(found.map(endOf), ['retired: idle', 'failed in a call', 'starting']);
console.log('done');
