// Names that JavaScript, TypeScript or the client need for themselves.
import { createClient, type Generics, type Members, type NamedPromise, type OuterOfIntInner, type Shape, type Tone, type Types } from "./client.js";

declare const process: { readonly argv: readonly string[] };

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) {
    throw new Error(`expected ${right}, was ${left}`);
  }
}

const { names } = createClient({ baseUrl: process.argv[2]! });

// What is left out is not what every object has by that name.
equal(await names.constructor2(), "-|-|-|-|");
equal(await names.constructor2({ constructor: "a", toString: "b", ["__proto__"]: "c", valueOf: "d", hasOwnProperty: ["e"] }), "a|b|c|d|1");
equal(await names.__proto__(), "-|-|-|");
equal(await names.__proto__({ constructor: "a", toString: "b", ["__proto__"]: "c", valueOf: 9007199254740993n }), "a|b|c|9007199254740993");
equal(await names.delete({ default: 1, enum: 2, arguments: 4, eval: 8, undefined: 16, await: 32 }), 63);
equal([await names.then2(), await names.toString2(), await names.ünïcode({ größe: "ß" })], ["then", "toString", "ß"]);

const members: Members = { constructor: "9007199254740993", ["__proto__"]: "9007199254740995", valueOf: "9007199254740997", then: "t", hasOwnProperty: "h", class: "c", größe: "ß" };
equal(await names.prototype({ value: members }), members);

const promise: NamedPromise = { x: 1 };
const types: Types = {
  promise, uint8Array: { x: 2 }, date: { x: 3 }, map: { x: 4 }, object: { x: 5 }, error: { x: 6 }, client: { x: 7 }, idleTimer: { x: 8 }, weirConnection: { x: 9 }, namedTypes: { x: 10 }, function: { x: 11 }, symbol: { x: 12 },
};
equal(await names.promise({ value: types }), types);

const inner: OuterOfIntInner = { value: 1 };
const generics: Generics = {
  a: inner, b: { value: "b" }, c: [inner], d: { value: null }, e: "Off", f: { first: 1, second: "s" }, g: { value: inner }, h: { value: { value: [1] } }, i: { value: ["a", null] }, j: { value: "9007199254740993" },
};
equal(await names.uint8Array({ value: generics }), generics);

const tones: Tone[] = ["a \"quoted\" \\ name,\u2028 with 'all'", "constructor", "__proto__", "default", "toString", "ünïcode"];
equal(await names.tones({ tones }), tones);
equal(await names.none({ value: null }), null);

for (const shape of [{ constructor: "__proto__", side: "9007199254740993", id: "9007199254740995" }, { constructor: "toString", side: 1.5, id: "9007199254740997" }] satisfies Shape[]) {
  equal(await names.switch({ value: shape }), shape);
}

// There is no null in bytes as they are: the service writes it in JSON.
for (const bytes of [names.bytes, names.memory]) {
  equal(await bytes.call(names), null);
  equal(new TextDecoder().decode((await bytes.call(names, { text: "null" }))!), "null");
  equal((await bytes.call(names, { text: "" }))!.length, 0);
}
equal(await names.noBytes().catch((error: unknown) => String(error)), "UnexpectedResponse: Names/NoBytes was not answered as its contract says: it sent null, and the contract says that it never does.");
// eslint-disable-next-line no-console
(globalThis as unknown as { console: { log(text: string): void } }).console.log("done");
