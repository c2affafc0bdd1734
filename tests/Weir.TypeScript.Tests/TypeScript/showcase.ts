// Uses the showcase as a program does: results, streams from everywhere, uploads to workers, failures.
import { createClient, WeirProblem, type Forecast } from "./client.js";

declare const process: { readonly argv: readonly string[] };

function check(condition: boolean, what: string): void {
  if (!condition) {
    throw new Error(what);
  }
}

export async function show(baseUrl: string): Promise<string> {
  const { hello, perf, weather, hasher, neighbour, sleep } = createClient({ baseUrl });
  check((await hello.world()).length > 0, "hello");
  const echoed = await perf.echo({ name: "Ada", x: 2, y: 3, e: "Grape" });
  check(echoed.name === "Ada" && echoed.sum === 5, `echo: ${JSON.stringify(echoed)}`);
  check((await weather.nextArray({ days: 3, delay: 0 })).length === 3, "array");

  // The first item is here while the others are not made yet; the three ways to make them give the same.
  const streams: readonly AsyncIterable<Forecast>[] = [weather.next({ days: 5, delay: 10 }), weather.nextBlocking({ days: 5, delay: 10 }), weather.nextIsolated({ days: 5, delay: 10 })];
  const dates: string[] = [];
  for (const stream of streams) {
    const items: string[] = [];
    for await (const forecast of stream) {
      items.push(forecast.date);
    }

    dates.push(items.join());
  }

  check(dates[0]!.split(",").length === 5 && dates.every((one) => one === dates[0]), `streams: ${dates.join(" | ")}`);
  const before = BigInt((await weather.stopped()).stoppedEarly);
  for await (const forecast of weather.next({ days: 1000, delay: 20 })) {
    check(forecast.summary.length > 0, "summary");
    break;
  }

  for (let attempt = 0; BigInt((await weather.stopped()).stoppedEarly) === before; attempt++) {
    check(attempt < 200, "the producer did not stop");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }

  // A worker process: bytes in, lines in both directions, a crash that ends one call.
  const hash = await hasher.hash({ data: new Blob(["abc"]) });
  check(hash.startsWith("3a81oZNherrMQXNJriBBMRLm+k6JqX6i"), hash);
  check((await hasher.hashLines({ lines: ["abc", "def"] }).toArray()).length === 2, "lines");
  const crash = await neighbour.crash({ kind: "Segv" }).catch((error: unknown) => error);
  check(crash instanceof WeirProblem && crash.status === 502 && crash.code === "WEIR2011", `crash: ${String(crash)}`);
  const late = await sleep.aio({ ms: 60_000 }, { signal: AbortSignal.timeout(100) }).catch((error: unknown) => error);
  check(late instanceof Error && late.name === "TimeoutError", `late: ${String(late)}`);
  return "done";
}

if (typeof process !== "undefined") {
  console.log(await show(process.argv[2] ?? ""));
}
