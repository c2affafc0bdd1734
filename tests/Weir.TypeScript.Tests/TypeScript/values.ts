// Receives values of every type and sends them back, both at once; the service compares them.
import { createClient } from "./client.js";

declare const process: { readonly argv: readonly string[] };

const [, , baseUrl = "", count = ""] = process.argv;
const { echo } = createClient({ baseUrl });
console.log(await echo.check({ values: echo.values({ count: Number(count) }) }));
