// Answers of hostile and broken services: each ends in an error of the client, soon and in bounded memory.
import { createClient, StreamInterrupted, UnexpectedResponse, WeirProblem, type ClientOptions } from "./client.js";

function check(condition: boolean, what: string): void {
  if (!condition) {
    throw new Error(what);
  }
}

async function errorOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return `no error, but ${JSON.stringify(await run())}`;
  } catch (error) {
    return error;
  }
}

let requests = 0;
const answering = (answer: () => Response, options: ClientOptions = {}) =>
  createClient({ ...options, fetch: async () => (requests++, answer()) });

// A body that repeats a part without an end, or is silent behind it.
const endless = (first: string, part: string | undefined): Response => {
  const encoder = new TextEncoder();
  let isFirst = true;
  return new Response(new ReadableStream<Uint8Array>({
    pull(controller): Promise<void> | void {
      if (isFirst || part !== undefined) {
        controller.enqueue(encoder.encode(isFirst ? first : part));
        isFirst = false;
        return undefined;
      }

      return new Promise(() => undefined);
    },
  }));
};

// The last line of a stream.
for (const last of [
  '{"$weir":{"ok":false,"count":1}}', '{"$weir":{"ok":1,"count":1}}', '{"$weir":{"count":1}}', '{"$weir":{"ok":true}}', '{"$weir":{"ok":true,"count":"1"}}', '{"$weir":{"ok":true,"count":2}}',
  '{"$weir":{"ok":true,"count":1,"retry":1}}', '{"$weir":{"ok":true,"count":1,"problem":{}}}', '{"$weir":{}}', '{"$weir":{},"$weir":null}', '{"$weir":null}', '{"$weir":', '{"$weir":{"ok":true,"count":1}',
  '{"$weir":{"problem":null}}', '{"$weir":{"problem":5}}', '{"$weir":{"retry":-5}}', '{"$weir":{"retry":"1"}}', '{"$weir":{"item":1234', "x", "", "1 2",
]) {
  const error = await errorOf(() => answering(() => new Response(`0\n${last}\n`)).echo.cut({ after: 1 }).toArray());
  check(error instanceof UnexpectedResponse || error instanceof StreamInterrupted, `${last}: ${String(error)}`);
}

// A cut at each byte of a stream is never its end.
const whole = '0\n1\n{"$weir":{"ok":true,"count":2}}\n';
for (let cut = 0; cut < whole.length; cut++) {
  const error = await errorOf(() => answering(() => new Response(whole.slice(0, cut))).echo.cut({ after: 1 }).toArray());
  check(error instanceof StreamInterrupted, `cut at ${cut}: ${String(error)}`);
}

check((await answering(() => new Response(whole)).echo.cut({ after: 1 }).toArray()).length === 2, "whole");

// A service that asks for another connection at once, or in a time that a timer cannot have, with an item each time.
for (const retry of ["0", "1e-9"]) {
  requests = 0;
  const looping = answering(() => new Response(`"x"\n{"$weir":{"retry":${retry}}}\n`));
  const stopped = await errorOf(() => looping.echo.lines(undefined, { signal: AbortSignal.timeout(1000) }).toArray());
  check(stopped instanceof Error && stopped.name === "TimeoutError" && requests <= 12, `${requests} requests, ${String(stopped)}`);
}

for (const retry of ["2147483648", "1e300"]) {
  requests = 0;
  const late = answering(() => new Response(`"x"\n{"$weir":{"retry":${retry}}}\n`));
  await errorOf(() => late.echo.lines(undefined, { signal: AbortSignal.timeout(500) }).toArray());
  check(requests === 1, `${requests} requests`);
}

// Results.
for (const body of ["", "{", "[1,", "null", "x"]) {
  const error = await errorOf(() => answering(() => new Response(body)).echo.removed());
  check(error instanceof UnexpectedResponse, `${body}: ${String(error)}`);
}

check((await errorOf(() => answering(() => new Response(null, { status: 204 })).echo.removed())) instanceof UnexpectedResponse, "204");
const silent = await errorOf(() => answering(() => endless('"', undefined), { idleTimeout: 50 }).echo.removed());
check(silent instanceof UnexpectedResponse && silent.message.includes("idleTimeout"), String(silent));
const large = await errorOf(() => answering(() => endless('"', "x".repeat(10_000)), { maxResultBytes: 100_000 }).echo.removed());
check(large instanceof UnexpectedResponse && large.message.includes("maxResultBytes"), String(large));
const bytes = await errorOf(() => answering(() => endless('"', "x".repeat(10_000)), { maxResultBytes: 100_000 }).echo.reverse({ bytes: new Uint8Array(1) }));
check(bytes instanceof UnexpectedResponse && bytes.message.includes("maxResultBytes"), String(bytes));
const item = await errorOf(() => answering(() => endless('"', "x".repeat(10_000)), { maxItemBytes: 100_000 }).echo.cut({ after: 1 }).toArray());
check(item instanceof UnexpectedResponse && item.message.includes("maxItemBytes"), String(item));

// Problems: the status of HTTP, and no more than is needed.
const json = { "content-type": "application/problem+json" };
const lying = await errorOf(() => answering(() => new Response('{"status":200,"bindingErrors":[null,1]}', { status: 409, headers: json })).echo.removed());
check(lying instanceof WeirProblem && lying.status === 409 && lying.bindingErrors.length === 0, String(lying));
const flood = await errorOf(() => answering(() => new Response(endless("{", "x".repeat(10_000)).body, { status: 500, headers: json })).echo.removed());
check(flood instanceof WeirProblem && flood.status === 500, String(flood));
const still = await errorOf(() => answering(() => new Response(endless("{", undefined).body, { status: 500, headers: json }), { idleTimeout: 50 }).echo.removed());
check(still instanceof WeirProblem && still.status === 500, String(still));
const broken = await errorOf(() => answering(() => new Response('{"code":"WEIR2023","contract":{"operations":[null]}}', { status: 412, headers: json })).echo.removed());
check(broken instanceof Error && broken.name === "ContractChanged", String(broken));
console.log("done");
