// Jobs against scripted answers: what is sent, what is repeated, and what every answer becomes.
import {
  createClient, StreamInterrupted, UnexpectedResponse, WeirProblem, type Client, type ClientOptions, type Page, type Report, type WeirJob, type WeirJobInfo, type WeirJobState, type WeirJobStream,
} from "./client.js";

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

// Pauses pass twenty times as fast.
const { setTimeout: start } = globalThis;
globalThis.setTimeout = ((run: () => void, time: number) => start(run, time / 20)) as typeof setTimeout;

type Answer = (init: RequestInit) => Response | Promise<Response>;

const id = "01999999-0000-7000-8000-000000000001";
const self = `/$jobs/${id}`;
const job = (state: WeirJobState, more: object = {}): object => ({
  id, kind: "Reports/Build", state, reason: null, stopping: null, attempt: 1, attempts: 1, submitted: "2026-01-01T00:00:00Z", due: "2026-01-01T00:00:00Z", started: null, ended: null, expires: null,
  progress: null, items: 0, key: null, priority: "normal", parent: null, problem: null, links: { self, result: `${self}/result`, items: null, cancel: `${self}/cancel` }, ...more,
});
const answer = (status: number, body: object | string | null, headers: Record<string, string> = {}): Answer => () =>
  new Response(typeof body === "object" && body !== null ? JSON.stringify(body) : body, { status, headers: { "content-type": "application/json", ...headers } });
const accepted = (state: WeirJobState = "ready", headers: Record<string, string> = {}): Answer => answer(202, job(state), { "Preference-Applied": "respond-async", ...headers });
const waited = (state: WeirJobState): Answer => answer(200, job(state), { "Preference-Applied": "wait=60" });
const problem = (status: number, code?: string): Answer => answer(status, { status, ...(code === undefined ? {} : { code }) }, { "content-type": "application/problem+json" });
const cut: Answer = () => {
  throw new TypeError("fetch failed");
};

// The next requests are answered so; what they were is kept.
let asked: { readonly verb: string; readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];

function script(answers: readonly Answer[], options: ClientOptions = {}): Client {
  const left = [...answers];
  asked = [];
  return createClient({
    baseUrl: "https://shop.example/v1/",
    ...options,
    fetch: async (url, init) => {
      asked.push({ verb: init.method!, url, headers: init.headers as Record<string, string> });
      const next = left.shift();
      if (next === undefined) {
        throw new Error(`${init.method} ${url} was not expected`);
      }

      return next(init);
    },
  });
}

const args = { tenant: "acme", year: 2026 };
const reportJson = '{"tenant":"acme","year":2026,"total":9007199254740993}';
const requests = (): string[] => asked.map((one) => `${one.verb} ${one.url} ${one.headers["prefer"] ?? ""}`.trim());
const resource = `https://shop.example${self}`;

// A submission: the request of the call, and two headers. The result is decoded by the operation's type.
let client = script([accepted(), waited("succeeded"), answer(200, reportJson)], { headers: { authorization: "Bearer x" } });
const built: WeirJob<Report> = await client.reports.jobs.build(args);
equal([built.id, built.isExisting, built.info?.state], [id, false, "ready"]);
equal(await built.result(), { tenant: "acme", year: 2026, total: "9007199254740993" });
equal(requests(), ["POST https://shop.example/v1/Reports/Build respond-async", `GET ${resource} wait=60`, `GET ${resource}/result`]);
equal(asked.map((one) => one.headers["authorization"]), ["Bearer x", "Bearer x", "Bearer x"]);
equal([/^[0-9a-f]{32}$/.test(asked[0]!.headers["idempotency-key"]!), /;signature=[0-9a-f]{16}$/.test(asked[0]!.headers["accept"]!)], [true, true]);

// An answer that is lost is asked for again with the same key: before it arrives, within its body, by something in between, and where the service does not know.
const half = (status: number): Answer => () => new Response(new ReadableStream<Uint8Array>({
  start(controller): void {
    controller.enqueue(new TextEncoder().encode('{"id":'));
    controller.error(new TypeError("terminated"));
  },
}), { status });
client = script([cut, half(202), problem(502), problem(503, "WEIR2041"), accepted("running", { "Idempotent-Replayed": "true" })]);
equal((await client.reports.jobs.build(args)).isExisting, false);
equal([asked.length, new Set(asked.map((one) => one.headers["idempotency-key"])).size], [5, 1]);
client = script([accepted("running", { "Idempotent-Replayed": "true" })]);
equal((await client.reports.jobs.build(args, { idempotencyKey: "k", headers: { "x-own": "1" }, deadline: 5 })).isExisting, true);
equal(["idempotency-key", "x-own", "Weir-Deadline-Ms"].map((name) => asked[0]!.headers[name]), ["k", "1", "5"]);
client = script([cut, cut, cut], { resumeAttempts: 2 });
equal((await fails(TypeError, () => client.reports.jobs.build(args))).message, "fetch failed");
equal(asked.length, 3);

// What the service has decided is not repeated; neither is a stream, which can be sent once, nor what cannot be sent at all.
for (const [status, code] of [[400, "WEIR2001"], [403, "WEIR2046"], [413, "WEIR2017"], [422, "WEIR2042"], [500, "WEIR2007"], [502, "WEIR2011"], [503, "WEIR2043"], [503, "WEIR2044"]] as const) {
  client = script([problem(status, code)]);
  equal((await fails(WeirProblem, () => client.reports.jobs.build(args))).code, code);
}

client = script([cut]);
await fails(TypeError, () => client.reports.jobs.reverse({ bytes: new ReadableStream<Uint8Array>() }));
equal(asked.length, 1);
for (const key of ["", "a b", 'a"', "\\", "ä", "x".repeat(201)]) {
  client = script([]);
  await fails(TypeError, () => client.reports.jobs.build(args, { idempotencyKey: key }));
}

// A service that makes no job has run the call.
for (const none of [answer(200, reportJson), answer(204, null)]) {
  client = script([none]);
  const ran = await fails(UnexpectedResponse, () => client.reports.jobs.build(args));
  equal(/Reports\/Build .* has run the call and answered with 20[04], and made no job of it/.test(ran.message), true);
}

for (const wrong of ["", "{", "[]", "null", '{"id":"x"}', JSON.stringify(job("ready", { links: { self: "https://other.example/x" } })), JSON.stringify(job("ready", { links: { self: "//other.example/x" } })), JSON.stringify(job("ready", { links: { self: "/\t/other.example/x" } }))]) {
  client = script([answer(202, wrong)]);
  await fails(UnexpectedResponse, () => client.reports.jobs.build(args));
}

// Where a job is: what the service says, or jobsPath.
for (const [options, submitted, found] of [
  [{}, resource, `https://shop.example/v1${self}`],
  [{ baseUrl: "https://shop.example" }, resource, resource],
  [{ baseUrl: "" }, self, self],
  [{ jobsPath: "/../work/" }, `https://shop.example/v1/../work/${id}`, `https://shop.example/v1/../work/${id}`],
  [{ jobsPath: "https://shop.example/work" }, `https://shop.example/work/${id}`, `https://shop.example/work/${id}`],
] as const) {
  client = script([accepted(), waited("ready"), waited("ready")], options);
  await (await client.reports.jobs.build(args)).get();
  await client.reports.jobs.get("build", id).get();
  equal([asked[1]!.url, asked[2]!.url], [submitted, found]);
}

// A job of an earlier page, typed by its operation; a wrong name does not compile.
client = script([answer(404, { status: 404, code: "WEIR2045" }, { "content-type": "application/problem+json" }), problem(404), problem(503, "WEIR2043"), answer(200, job("running", { progress: { fraction: 0.4, text: "page 4" } }))]);
const found: WeirJob<Report> = client.reports.jobs.get("build", id);
const streamed: WeirJobStream<Page> = client.reports.jobs.get("pages", id);
const none: WeirJob<void> = client.reports.jobs.get("charge", id);
const bytes: WeirJob<Uint8Array | null> = client.reports.jobs.get("print", id);
const parts: WeirJobStream<Uint8Array> = client.reports.jobs.get("parts", id);
equal([found.info ?? null, found.isExisting, [streamed, none, bytes, parts].map((one) => one.id).every((one) => one === id)], [null, false, true]);
equal(await found.get(), null);
equal((await fails(WeirProblem, () => found.get())).status, 404);
equal((await fails(WeirProblem, () => found.get())).code, "WEIR2043");
const info: WeirJobInfo | null = await found.get();
equal([info?.progress, found.info?.progress?.text], [{ fraction: 0.4, text: "page 4" }, "page 4"]);
// @ts-expect-error
await fails(TypeError, async () => client.reports.jobs.get("bild", id));
// @ts-expect-error
await fails(TypeError, async () => client.reports.jobs.get("charged", id));
// @ts-expect-error
equal(typeof streamed.result, "function");
await fails(TypeError, async () => client.reports.jobs.get("build", "a/b"));
await fails(TypeError, async () => client.reports.jobs.get("build", ""));

// Operations whose names the members of a client have.
client = script([answer(200, '"jobs"'), accepted(), accepted()]);
equal(await client.reports.jobs2(), "jobs");
await client.reports.jobs.jobs();
await client.reports.jobs.get2();
equal(asked.map((one) => one.url.slice(-4)), ["Jobs", "Jobs", "/Get"]);

// A job is submitted with a verb that may change something.
client = script([accepted(), answer(204, null)]);
await client.reports.jobs.charge({ amount: 1 });
await client.reports.charge({ amount: 1 });
equal(asked.map((one) => one.verb), ["POST", "GET"]);

// A wait survives what is lost: it asks whether the service is there, and then waits for a shorter time, because something in between may cut long silences.
client = script([accepted(), waited("ready"), cut, cut, answer(200, job("running")), problem(500), answer(200, job("running")), waited("failed")]);
const waiting = await client.reports.jobs.build(args);
equal((await waiting.wait()).state, "failed");
equal(asked.slice(1).map((one) => one.headers["prefer"] ?? ""), ["wait=60", "wait=60", "", "", "wait=30", "", "wait=15"]);
client = script([cut, problem(502), cut], { resumeAttempts: 2 });
await fails(TypeError, () => client.reports.jobs.get("build", id).wait());
equal(asked.length, 3);
client = script([problem(410, "WEIR2047")]);
equal((await fails(WeirProblem, () => client.reports.jobs.get("build", id).wait())).code, "WEIR2047");

// It ends by its time and by its signal; a service that says nothing has not answered.
client = script([waited("running"), waited("running")]);
equal((await client.reports.jobs.get("build", id).wait({ seconds: 0 })).state, "running");
equal(requests(), [`GET https://shop.example/v1${self}`]);
const silent: Answer = (init) => new Promise((_, reject) => init.signal!.addEventListener("abort", () => reject(init.signal!.reason)));
client = script([silent]);
equal((await fails(Error, () => client.reports.jobs.get("build", id).wait({ signal: AbortSignal.timeout(50) }))).name, "TimeoutError");
client = script(Array<Answer>(100).fill(waited("running")));
equal((await fails(Error, () => client.reports.jobs.get("build", id).wait({ signal: AbortSignal.timeout(500) }))).name, "TimeoutError");
equal(asked.length <= 12, true);
client = script([silent, answer(200, job("succeeded"))], { idleTimeout: 20 });
equal((await client.reports.jobs.get("build", id).wait({ seconds: 0 })).state, "succeeded");

// Cancelling is idempotent.
client = script([cut, problem(504), answer(202, job("running", { stopping: "cancel" }))]);
equal([(await client.reports.jobs.get("build", id).cancel()).stopping, asked[2]!.verb, asked[2]!.url], ["cancel", "POST", `https://shop.example/v1${self}/cancel`]);

// Results: as those of direct calls, with their failures. A problem of the operation is not repeated, whatever its status is; one of the way to it is.
const ended = (result: Answer, ...more: Answer[]): Client => script([waited("succeeded"), result, ...more]);
equal(await ended(answer(204, null)).reports.jobs.get("charge", id).result() ?? "nothing", "nothing");
equal(Array.from(await ended(() => new Response(new Uint8Array([3, 2]))).reports.jobs.get("reverse", id).result()), [3, 2]);
equal(await ended(answer(200, "null")).reports.jobs.get("print", id).result(), null);
for (const refused of [{ code: "WEIR2018", thrown: "Shop.SoldOut" }, { thrown: "Shop.SoldOut" }]) {
  equal((await fails(WeirProblem, () => ended(answer(503, refused, { "content-type": "application/problem+json" })).reports.jobs.get("fail", id).result())).thrown, "Shop.SoldOut");
}

equal((await fails(WeirProblem, () => ended(problem(409, "WEIR2040")).reports.jobs.get("build", id).result())).code, "WEIR2040");
equal((await fails(WeirProblem, () => ended(problem(502, "WEIR2011")).reports.jobs.get("build", id).result())).code, "WEIR2011");
await fails(UnexpectedResponse, () => ended(answer(200, "null")).reports.jobs.get("build", id).result());
const report = await ended(cut, problem(502), problem(503, "WEIR2009"), half(200), answer(200, reportJson)).reports.jobs.get("build", id).result();
equal(report.total, "9007199254740993");

// A job that an operator has begun again is waited for; a status that the operation has chosen is not taken for that.
client = ended(answer(202, job("running")), waited("succeeded"), answer(202, reportJson));
equal((await client.reports.jobs.get("build", id).result()).year, 2026);
client = ended(answer(202, job("running", { id: "another", year: 2027 })));
equal((await client.reports.jobs.get("build", id).result()).year, 2027);

// Items: from any index on, continued by the name of the stream, with an end that is proved.
const lines = (text: string, headers: Record<string, string> = {}): Answer => () => new Response(text, { headers: { "content-type": "application/x-ndjson", ...headers } });
const page = (index: number): string => `{"number":${index},"total":9007199254740993}\n`;
const lastIds = (): (string | null)[] => asked.map((one) => one.headers["Last-Event-ID"] ?? null);
const items = async (stream: AsyncIterable<Page>): Promise<string[]> => {
  const numbers: string[] = [];
  for await (const one of stream) {
    numbers.push(one.number);
  }

  return numbers;
};
client = script([cut, problem(503), lines(page(0) + page(1), { "Weir-Stream": `${id}-2` }), lines('{"$weir":{"retry":1,"index":2}}\n', { "Weir-Stream": `${id}-2` }), lines('{"$weir":{"problem":{"status":503,"code":"WEIR2043"},"index":2}}\n'), cut, lines(`${page(2)}{"$weir":{"ok":true,"count":3}}\n`)]);
equal(await items(client.reports.jobs.get("pages", id).items()), ["0", "1", "2"]);
equal(lastIds(), [null, null, null, `${id}-2.1`, `${id}-2.1`, `${id}-2.1`, `${id}-2.1`]);
client = script([lines(page(7)), lines(`${page(8)}{"$weir":{"ok":true,"count":9}}\n`)]);
equal(await items(client.reports.jobs.get("pages", id).items(7)), ["7", "8"]);
equal(lastIds(), [`${id}.6`, `${id}.7`]);
client = script([lines('"AP8="\n"Af8="\n'), lines('"Av8="\n{"$weir":{"ok":true,"count":3}}\n')]);
equal((await client.reports.jobs.get("parts", id).items().toArray()).map((one) => Array.from(one)), [[0, 255], [1, 255], [2, 255]]);

// An end that is missing is no end, a count that is wrong is no proof, and what failed is a problem.
client = script([lines(page(0)), lines("\n"), lines(`{"$weir":{"ok":true,"count":5}}\n`)], { resumeAttempts: 2 });
equal((await fails(StreamInterrupted, () => client.reports.jobs.get("pages", id).items().toArray())).nextIndex, 1);
client = script([lines(`${page(0)}{"$weir":{"problem":{"status":502,"code":"WEIR2011"},"index":1}}\n`)]);
equal((await fails(WeirProblem, () => client.reports.jobs.get("pages", id).items().toArray())).code, "WEIR2011");
client = script([problem(404, "WEIR2045")]);
equal((await fails(WeirProblem, () => client.reports.jobs.get("pages", id).items().toArray())).code, "WEIR2045");
client = script([lines(page(0)), problem(410, "WEIR2047")]);
equal((await fails(StreamInterrupted, () => client.reports.jobs.get("pages", id).items().toArray())).nextIndex, 1);
for (const from of [-1, 0.5, NaN]) {
  await fails(TypeError, async () => client.reports.jobs.get("pages", id).items(from));
}

// The signal of a stream ends it, and nothing is asked again.
client = script([silent]);
equal((await fails(Error, () => client.reports.jobs.get("pages", id).items(0, { signal: AbortSignal.timeout(50) }).toArray())).name, "TimeoutError");
equal(asked.length, 1);
console.log("done");
