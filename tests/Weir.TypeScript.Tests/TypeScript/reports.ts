// Jobs of a running service.
import { createClient, WeirProblem, type ClientOptions, type Page } from "./client.js";

declare const process: { readonly argv: readonly string[] };

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) {
    throw new Error(`expected ${right}, was ${left}`);
  }
}

async function problemOf(run: () => Promise<unknown>): Promise<readonly [number, string | undefined, string | undefined]> {
  try {
    return [0, `no problem, but ${JSON.stringify(await run())}`, undefined];
  } catch (error) {
    if (error instanceof WeirProblem) {
      return [error.status, error.code, error.thrown];
    }

    throw error;
  }
}

const pages = (from: number, to: number): Page[] => Array.from({ length: to - from }, (_, index) => ({ number: String(from + index), total: String(9007199254740993n + BigInt(from + index)) }));
const report = { tenant: "acme", year: 2026, total: "9007199254740993" };

export async function use(options: ClientOptions): Promise<void> {
  const { reports } = createClient(options);

  // A value, and the same job by its key, by its id, and for another client.
  const built = await reports.jobs.build({ tenant: "acme", year: 2026 }, { idempotencyKey: "acme-2026" });
  equal([built.isExisting, built.info?.kind, built.info?.attempts], [false, "Reports/Build", built.info?.attempts]);
  equal(await built.result(), report);
  equal([built.info?.state, built.info?.progress], ["succeeded", { fraction: 0.5, text: "half of 2026" }]);
  equal(await built.result(), report);
  const again = await reports.jobs.build({ tenant: "acme", year: 2026 }, { idempotencyKey: "acme-2026" });
  equal([again.id, again.isExisting], [built.id, true]);
  equal(await problemOf(() => reports.jobs.build({ tenant: "acme", year: 2027 }, { idempotencyKey: "acme-2026" })), [422, "WEIR2042", undefined]);
  equal(await createClient(options).reports.jobs.get("build", built.id).result(), report);
  equal(await reports.build({ tenant: "acme", year: 2026 }), report);

  // Nothing, bytes, and nothing where bytes may be.
  const before = await reports.charged();
  equal(await (await reports.jobs.charge({ amount: 3 })).result() ?? "nothing", "nothing");
  equal(await reports.charged(), before + 3);
  equal(Array.from(await (await reports.jobs.reverse({ bytes: new Uint8Array([1, 2, 3]) })).result()), [3, 2, 1]);
  equal(await (await reports.jobs.print({ text: "null" })).result().then((bytes) => new TextDecoder().decode(bytes!)), "null");
  equal(await (await reports.jobs.print()).result(), null);
  equal([await (await reports.jobs.jobs()).result(), await (await reports.jobs.get2()).result()], ["jobs", "get"]);

  // Failures are those of direct calls.
  for (const how of ["declared", "otherwise"]) {
    const failed = await reports.jobs.fail({ how });
    equal((await failed.wait()).state, "failed");
    const direct = await problemOf(() => reports.fail({ how }));
    equal(await problemOf(() => failed.result()), direct);
    equal([failed.info?.reason, failed.info?.problem?.["status"]], ["exception", direct[0]]);
  }

  equal(await problemOf(() => reports.jobs.build({ tenant: "acme", year: "x" as never })), [400, "WEIR2001", undefined]);

  // Items as they come, from the first and from any index, for several readers.
  const streamed = await reports.jobs.pages({ count: 40, delay: 10 });
  equal(await Promise.all([streamed.items().toArray(), streamed.items().toArray(), reports.jobs.get("pages", streamed.id).items().toArray()]), [pages(0, 40), pages(0, 40), pages(0, 40)]);
  equal(await streamed.items(30).toArray(), pages(30, 40));
  equal((await streamed.wait()).items, 40);
  equal((await (await reports.jobs.parts({ count: 3 })).items().toArray()).map((one) => Array.from(one)), [[0, 255], [1, 255], [2, 255]]);
  const late: number[] = [];
  const failing = await reports.jobs.failLate({ after: 3 });
  equal(await problemOf(async () => {
    for await (const item of failing.items()) {
      late.push(item);
    }
  }), [409, "WEIR2018", undefined]);
  equal(late, [0, 1, 2]);

  // Leaving ends the reading, not the job; cancelling ends the job.
  const long = await reports.jobs.pages({ count: 100_000, delay: 20 });
  for await (const page of long.items()) {
    if (page.number === "2") {
      break;
    }
  }

  equal((await long.wait({ seconds: 0 })).state, "running");
  await long.cancel();
  equal([(await long.wait()).state, (await long.cancel()).state], ["cancelled", "cancelled"]);
  equal((await problemOf(() => long.items().toArray()))[1], "WEIR2040");
  const stopped = await reports.jobs.build({ tenant: "acme", year: 1, delay: 60_000 });
  await stopped.cancel();
  equal((await problemOf(() => stopped.result())).slice(0, 2), [409, "WEIR2040"]);
  equal(await reports.jobs.get("build", "019a0000-0000-7000-8000-000000000000").get(), null);
}

// Every second answer is lost once the service has given it, and every other body is cut after its first part.
async function useWithCuts(baseUrl: string): Promise<void> {
  let requests = 0;
  let cuts = 0;
  const cutting: ClientOptions = {
    baseUrl,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (++requests % 2 === 1) {
        await response.body?.cancel();
        throw new TypeError("cut");
      }

      const reader = response.body?.getReader();
      let parts = 0;
      return new Response(response.status === 204 ? null : new ReadableStream<Uint8Array>({
        async pull(controller): Promise<void> {
          const part = await reader?.read();
          if (part === undefined || part.done) {
            controller.close();
          } else if (++parts > 1) {
            cuts++;
            await reader?.cancel();
            controller.error(new TypeError("cut"));
          } else {
            controller.enqueue(part.value);
          }
        },
      }), { status: response.status, headers: response.headers });
    },
  };
  const { reports } = createClient(cutting);
  const before = await createClient({ baseUrl }).reports.charged();
  for (let count = 0; count < 3; count++) {
    await (await reports.jobs.charge({ amount: 1 })).result();
  }

  equal(await createClient({ baseUrl }).reports.charged(), before + 3);
  equal(await (await reports.jobs.pages({ count: 150, delay: 20 })).items().toArray(), pages(0, 150));
  equal(cuts > 3, true);
}

// The body of each answer is cut at any byte.
async function useWithManyCuts(baseUrl: string, cuts: number): Promise<void> {
  let left = cuts;
  const { reports } = createClient({
    baseUrl,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!url.endsWith("/items") || left === 0) {
        return response;
      }

      left--;
      const reader = response.body!.getReader();
      let bytes = Math.floor(Math.random() * 80_000);
      return new Response(new ReadableStream<Uint8Array>({
        async pull(controller): Promise<void> {
          const part = await reader.read();
          if (part.done) {
            controller.close();
          } else if (part.value.length < bytes) {
            bytes -= part.value.length;
            controller.enqueue(part.value);
          } else {
            controller.enqueue(part.value.slice(0, bytes));
            await reader.cancel();
            bytes = 0;
            setTimeout(() => controller.error(new TypeError("cut")));
          }
        },
      }), { status: response.status, headers: response.headers });
    },
  });
  const count = cuts * 1_000;
  let next = 0;
  for await (const item of (await reports.jobs.pages({ count })).items()) {
    if (item.number !== String(next++)) {
      throw new Error(`item ${item.number} came as number ${next - 1}`);
    }
  }

  equal([next, left], [count, 0]);
}

// The host is replaced by another one while the items are read.
async function useAcrossHosts(baseUrl: string): Promise<void> {
  const { reports } = createClient({ baseUrl });
  const job = await reports.jobs.pages({ count: 150, delay: 20 });
  const [items, ended] = await Promise.all([job.items().toArray(), job.wait()]);
  equal(items, pages(0, 150));
  equal([ended.state, ended.attempt > 1], ["succeeded", true]);
}

if (typeof process !== "undefined") {
  const baseUrl = process.argv[2]!;
  await (process.argv[3] === "cuts" ? useWithCuts(baseUrl) : process.argv[3] === "many" ? useWithManyCuts(baseUrl, Number(process.argv[4])) : process.argv[3] === "hosts" ? useAcrossHosts(baseUrl) : use({ baseUrl }));
  console.log("done");
}
