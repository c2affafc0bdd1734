// Calls every kind of operation. What a line expects is compared as JSON.
import { createClient, StreamInterrupted, WeirProblem, type Client, type Color, type Settings, type StreamState } from "./client.js";

declare const process: { readonly argv: readonly string[] };

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) {
    throw new Error(`expected ${right}, was ${left}`);
  }
}

async function fails<E extends Error>(type: new (...args: never[]) => E, run: () => Promise<unknown>): Promise<E> {
  try {
    await run();
  } catch (error) {
    if (error instanceof type) {
      return error;
    }

    throw error;
  }

  throw new Error(`no ${type.name} was thrown`);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await condition()) {
      return;
    }

    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  throw new Error("it did not happen within 10 s");
}

export async function use(baseUrl: string, isBrowser: boolean): Promise<void> {
  const client: Client = createClient({ baseUrl, headers: async () => ({ "x-client": "test" }) });
  const { echo } = client;

  // Path, query, headers.
  equal(await echo.route({ text: "a b ä?", number: 9007199254740993n, rest: "x/y z", words: ["1", "2"], amount: "1.50" }), "a b ä?|9007199254740993|x/y z|1,2|1.50");
  for (const text of ["", ".", "..", "a/b"]) {
    await fails(TypeError, () => echo.route({ text, number: 1, rest: "x", words: [], amount: "1" }));
  }

  await fails(TypeError, () => echo.route({ text: "a", number: 1, rest: "x/../y", words: [], amount: "1" }));
  for (const name of ["a,b", "", " a", "a ", "é", "水", "a\nb", '"a']) {
    await fails(TypeError, () => echo.headers({ number: 1, names: ["x", name] }));
  }

  equal(await echo.headers({ number: "18446744073709551615", names: ["a", "b"] }), "18446744073709551615|a,b");
  equal(await echo.next(), "dark-green");
  equal(await echo.next({ color: "Blue" }), null);
  equal([await echo.page(), await echo.page({ size: undefined, sort: null }), await echo.page({ size: 5, sort: "name" })], ["20|", "20|", "5|name"]);

  // A query has no null: where leaving a parameter out means another value, it is no value of its type.
  // @ts-expect-error
  await echo.page({ size: null });
  const unknown: Color = "Violet";
  const refused = await fails(WeirProblem, () => echo.next({ color: unknown }));
  equal([refused.status, refused.code, refused.bindingErrors[0]?.name], [400, "WEIR2001", "color"]);
  await echo.remove({ id: 7, force: true });
  equal(await echo.removed(), "7 True");

  // Bodies.
  const sent = { name: "n" };
  const settings: Settings = await echo.configure({ settings: sent });
  equal(settings, { name: "n", size: 3, total: 6 });
  const first = (await echo.values({ count: 1 }).toArray())[0]!;
  equal(await echo.one({ value: first }), first);
  const other = { ...first.scalars, long: 5n, decimal: "1.10" };
  for (const double of [NaN, Infinity]) {
    const refused = await fails(TypeError, () => echo.both({ first: first.scalars, second: { ...first.scalars, double }, numbers: [] }));
    equal(refused.message, `'second' cannot be sent as JSON: ${double} is no number in JSON`);
  }

  equal(await echo.both({ first: first.scalars, second: other, numbers: [1, "2"] }), [{ ...other, long: "5" }, first.scalars]);
  equal(await echo.figures({ figures: [{ $type: "circle", id: "c", radius: 5n }, { $type: "dot", id: "d", radius: 1.5 }, { $type: "square", id: "s", side: "9007199254740993" }] }), [
    { $type: "circle", radius: "5", id: "c" },
    { $type: "dot", radius: 1.5, id: "d" },
    { $type: "square", side: "9007199254740993", id: "s" },
  ]);
  equal(await echo.labelled(), { number: "9007199254740993", id: "l" });
  equal(Array.from(await echo.reverse({ bytes: new Uint8Array([1, 2, 3]) })), [3, 2, 1]);
  equal(await echo.reverse({ bytes: new Blob(["ab"]) }).then((bytes) => new TextDecoder().decode(bytes)), "ba");
  equal(await echo.length({ body: new Uint8Array(100_000).buffer }), "100000");
  equal(await echo.check({ values: [] }), 0);
  equal(await echo.check({ values: [first] }), 1);
  if (!isBrowser) {
    const body = new ReadableStream<Uint8Array>({
      start(controller): void {
        controller.enqueue(new Uint8Array(10));
        controller.enqueue(new Uint8Array(5));
        controller.close();
      },
    });
    equal(await echo.length({ body }), "15");
  }

  for (const name of ['a"b', "a\r\nb", "a\\"]) {
    await fails(TypeError, () => echo.upload({ file: { data: new Blob([]), name }, more: [], title: "t" }));
  }

  equal(await echo.upload({ file: { data: new Blob(["content"]), name: "水 é.txt" }, more: [], title: "t" }), "t: 水 é.txt 'content' and 0 more");
  equal(await echo.upload({ file: { data: new Blob(["content"]), name: "a.txt" }, more: [new Blob(["x"]), new Blob(["y"])], title: "t" }), "t: a.txt 'content' and 2 more");

  // Results.
  const parts: number[] = [];
  for await (const part of echo.download({ parts: 3 })) {
    parts.push(...part);
  }

  equal(parts, [0, 1, 2]);
  equal(await (await echo.raw()).text(), "raw");
  equal(await (await echo.http({ found: true })).json(), "yes");
  equal((await fails(WeirProblem, () => echo.http({ found: false }))).status, 404);

  // Failures.
  const declared = await fails(WeirProblem, () => echo.fail({ how: "declared" }));
  equal([declared.status, declared.detail, declared.thrown], [410, "no more", "Weir.TypeScript.Tests.Application.SoldOutException"]);
  equal((await fails(WeirProblem, () => echo.fail({ how: "otherwise" }))).status, 500);
  const all = await fails(WeirProblem, () => echo.both({ first: "no" as never, second: first.scalars, numbers: [] }));
  equal([all.status, all.bindingErrors.length > 0], [400, true]);

  // Streams.
  const states: string[] = [];
  const onState = (state: StreamState): void => void states.push(state.kind);
  const late: number[] = [];
  const problem = await fails(WeirProblem, async () => {
    for await (const item of echo.failLate({ after: 3 }, { onState })) {
      late.push(item);
    }
  });
  equal([late, problem.status, states], [[0, 1, 2], 409, ["connecting", "live", "ended"]]);
  const cut: number[] = [];
  const interrupted = await fails(StreamInterrupted, async () => {
    for await (const item of echo.cut({ after: 4 })) {
      cut.push(item);
    }
  });
  equal([cut, interrupted.nextIndex], [[0, 1, 2, 3], 4]);
  equal(await echo.values({ count: 0 }).toArray(), []);
  equal(await echo.imitations().toArray(), [{ $weir: { ok: true, count: 1 } }, { other: 1 }]);

  // A resumable stream continues after each cut with the next item, from wherever it began.
  const resumed: string[] = [];
  const attempts: string[] = [];
  for await (const item of echo.lines({ from: 3 }, { onState: (state) => void attempts.push(state.kind) })) {
    resumed.push(item);
  }

  equal(resumed, Array.from({ length: 97 }, (_, index) => `line ${index + 3}`));
  equal(attempts.filter((one) => one === "resuming").length, 4);

  // Before the first item there is nothing to continue behind; a gateway that fails for a while is no reason to stop; neither is a worker that was lost.
  const asked: (string | undefined)[] = [];
  const answers = [
    () => new Response('{"$weir":{"retry":1,"index":0}}\n'),
    () => new Response("down", { status: 502 }),
    () => new Response('"line 0"\n{"$weir":{"problem":{"status":502,"code":"WEIR2011","title":"lost"},"index":1}}\n'),
    () => new Response('"line 1"\n{"$weir":{"ok":true,"count":2}}\n'),
  ];
  const answered = createClient({
    baseUrl,
    fetch: async (_, init) => {
      asked.push((init?.headers as Record<string, string>)["Last-Event-ID"]);
      return answers.shift()!();
    },
  });
  equal(await answered.echo.lines().toArray(), ["line 0", "line 1"]);
  equal(asked.map((id) => id ?? null), [null, null, null, "0"]);

  // A service that accepts a connection and says nothing is given up.
  const silent = createClient({
    baseUrl,
    idleTimeout: 50,
    resumeAttempts: 1,
    fetch: async (_, init) => asked.length++ === 4
      ? new Response('{"$weir":{"retry":1,"index":0}}\n')
      : new Promise<Response>((_, reject) => init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))),
  });
  equal((await fails(StreamInterrupted, () => silent.echo.lines().toArray())).nextIndex, 0);

  // A stream that the host keeps, over a connection that is cut in the middle of up to three responses.
  let cuts = 3;
  const cutting = createClient({
    baseUrl,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const reader = response.body?.getReader();
      let reads = 0;
      return new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller): Promise<void> {
            const part = await reader?.read();
            if (part === undefined || part.done) {
              controller.close();
            } else if (cuts > 0 && ++reads > 2) {
              cuts--;
              await reader?.cancel();
              controller.error(new Error("cut"));
            } else {
              controller.enqueue(part.value);
            }
          },
        }),
        { status: response.status, headers: response.headers },
      );
    },
  });
  const kept: number[] = [];
  for await (const item of cutting.echo.kept()) {
    kept.push(item);
  }

  // What the host has kept may come in one part: the first response at least was cut.
  equal([kept, cuts < 3], [Array.from({ length: 100 }, (_, index) => index), true]);

  // Leaving ends the work of the service: by the end of an iteration, or by a signal.
  const stopped = await echo.stopped();
  for await (const item of echo.endless()) {
    if (item === 3) {
      break;
    }
  }

  await until(async () => (await echo.stopped()) === stopped + 1);
  const aborted = new AbortController();
  const waiting = fails(Error, () => echo.wait({ signal: aborted.signal }));
  setTimeout(() => aborted.abort(), 100);
  equal((await waiting).name, "AbortError");
  await until(async () => (await echo.stopped()) === stopped + 2);
  const left = new AbortController();
  const iterating = fails(Error, async () => {
    for await (const item of echo.endless({ signal: left.signal })) {
      if (item === 2) {
        left.abort();
      }
    }
  });
  equal((await iterating).name, "AbortError");
  await until(async () => (await echo.stopped()) === stopped + 3);
  const due = await fails(WeirProblem, () => echo.wait({ deadline: 100 }));
  equal(due.status, 504);
}

if (typeof process !== "undefined") {
  await use(process.argv[2] ?? "", false);
  console.log("done");
}
