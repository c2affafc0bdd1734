// A client, and services of other versions: what is between them changes what the client says of its own contract, or what the service answers.
import { ContractChanged, createClient, WeirProblem, type Client } from "./client.js";

declare const process: { readonly argv: readonly string[] };

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) {
    throw new Error(`expected ${right}, was ${left}`);
  }
}

async function changed(run: () => Promise<unknown>): Promise<ContractChanged> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ContractChanged) {
      return error;
    }

    throw error;
  }

  throw new Error("no ContractChanged was thrown");
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;
const baseUrl = process.argv[2]!;
const accepts: string[] = [];

function connect(between: (url: string, init: RequestInit, send: Fetch) => Promise<Response>): Client {
  return createClient({
    baseUrl,
    fetch: (url, init) => {
      accepts.push((init.headers as Record<string, string>)["accept"]!);
      return between(url, init, (to, what) => fetch(to, what));
    },
  });
}

// The client's own contract gets another hash, so that the service is another version without a difference that matters.
function disguised(init: RequestInit): RequestInit {
  const headers = init.headers as Record<string, string>;
  const [media, known = ""] = headers["accept"]!.split(";signature=");
  return { ...init, headers: { ...headers, accept: `${media};signature=${["0123456789abcdef", ...known.split(".").slice(1)].join(".")}` } };
}

// The contract of the service, as its answer has it.
async function contractOf(path: string, verb: string): Promise<Record<string, unknown>> {
  const response = await fetch(baseUrl + path, { method: verb, headers: { accept: "*/*;signature=none" } });
  equal(response.status, 412);
  return ((await response.json()) as { contract: Record<string, unknown> }).contract;
}

function refusal(contract: unknown): Response {
  return new Response(JSON.stringify({ status: 412, code: "WEIR2023", contract }), { status: 412, headers: { "content-type": "application/problem+json" } });
}

// Every request says what the client knows, in a header that a page may send to another origin without asking.
const own = connect((url, init, send) => send(url, init));
equal(await own.echo.next(), "dark-green");
equal(/^application\/json;signature=[0-9a-f]{16}$/.test(accepts[0]!), true);

// A difference that does not matter is compared once for each version. The disguise needs a service that has another hash than the client.
const contract = await contractOf("/v1/Echo/Next", "GET");
const real = (contract["operations"] as { signature: string }[])[0]!.signature;
const both = connect(async (url, init, send) => {
  const response = await send(url, disguised(init));
  if (response.status !== 412) {
    return response;
  }

  const text = (await response.text()).replace(`"signature":"${real}"`, '"signature":"00000000000000aa"');
  return new Response(text, { status: 412, headers: response.headers });
});
accepts.length = 0;
await changed(() => both.echo.next());
equal(accepts.length, 6);
equal(accepts.at(-1)!.endsWith(".00000000000000aa"), true);

let isOther = true;
const twice = connect(async (url, init, send) => {
  const known = (init.headers as Record<string, string>)["accept"]!.split(";signature=")[1]!.split(".");
  isOther = !isOther;
  if (!isOther || known.includes("00000000000000bb")) {
    return send(url, init);
  }

  return refusal(JSON.parse(JSON.stringify(contract).replace(real, "00000000000000bb")));
});
accepts.length = 0;
for (let call = 0; call < 10; call++) {
  equal(await twice.echo.next(), "dark-green");
}

equal(accepts.length, 11);

// What matters is an error that names it, and no other data is returned.
async function changes(path: string, verb: string, replaced: string, replacement: string, run: (client: Client) => Promise<unknown>): Promise<readonly string[]> {
  const text = JSON.stringify(await contractOf(path, verb));
  equal(text.includes(replaced), true);
  const client = connect(async () => refusal(JSON.parse(text.replace(replaced, replacement))));
  const error = await changed(() => run(client));
  equal(error.hasRun, false);
  return error.changes;
}

const next = (replaced: string, replacement: string): Promise<readonly string[]> => changes("/v1/Echo/Next", "GET", replaced, replacement, (client) => client.echo.next());
equal(await next('"dark-green"', '"green"'), ["the parameter 'color': Color has no 'dark-green' any more"]);
equal(await next('"kind":"value"', '"kind":"stream"'), ["its result is 'stream', and was 'value'"]);
equal(await next('"kind":"value"', '"kind":"value","mediaType":"image/png"'), ["its result is image/png, and was bytes of no declared media type"]);
equal(await next('"path":"/Echo/Next"', '"path":"/Echo/Then"'), ["GET /Echo/Next is not served any more"]);
equal(await next('"optional":true', '"optional":false'), ["the parameter 'color' must be sent, and was optional"]);
equal(await next('"in":"value"', '"in":"header"'), ["the parameter 'color' comes from 'header', and came from 'value'"]);
equal(await next('"operations":[', '"operations":"","more":['), ["the service describes it in a way that this client does not understand (contract.operations.find is not a function)"]);
const configure = (replaced: string, replacement: string): Promise<readonly string[]> =>
  changes("/v1/Echo/Configure", "POST", replaced, replacement, (client) => client.echo.configure({ settings: { name: "n" } }));
equal((await configure('"name":"name"', '"name":"title"')).includes("the result: 'name' of Settings is not there any more"), true);
equal((await configure('"name":"size","type":"int32"', '"name":"size","type":"int64"')).includes("the result: 'size' of Settings is int64, and was int32"), true);

// A stream is refused in the same way, and one that continues.
const stream = connect(async () => refusal({ operations: [], types: {} }));
equal((await changed(() => stream.echo.imitations().toArray())).changes, ["it is not there any more"]);

// A cache may have kept the answer of another version; the service is asked what that was.
const cached = connect(async (url, init, send) => {
  const response = await send(url, init);
  if (response.status === 412) {
    return refusal(JSON.parse(JSON.stringify(await response.json().then((one: { contract: unknown }) => one.contract)).replace(real, "00000000000000cc").replace('"kind":"value"', '"kind":"text"')));
  }

  return new Response(await response.text(), { status: 200, headers: { "Weir-Signature": "00000000000000cc" } });
});
const kept = await changed(() => cached.echo.next());
equal([kept.hasRun, kept.changes], [true, ["its result is 'text', and was 'value'"]]);

// Another 412 is the operation's own.
const refusing = connect(async () => new Response("", { status: 412 }));
equal(await refusing.echo.next().then(() => false, (error: unknown) => error instanceof WeirProblem && error.status === 412), true);
console.log("done");
