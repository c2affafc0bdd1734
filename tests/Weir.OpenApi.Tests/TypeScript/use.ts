import type { components, operations, paths } from "./schema.ts";

type Pizza = components["schemas"]["Pizza"];

const pizza: Pizza = {
  name: "Margherita",
  size: "very-large",
  price: 9.5,
  toppings: "Cheese, Ham",
  notes: [],
};

const order: operations["Kitchen_Order"]["requestBody"]["content"]["application/json"] = { x: 1, y: 2, fast: true, factor: 1.5, text: "none" };

const found: paths["/pizzas/{id}"]["get"]["responses"][200]["content"]["application/json"] = pizza;

const all: operations["Kitchen_All"]["responses"][200]["content"]["application/json"] = [found];

const item: operations["Kitchen_All"]["responses"][200]["content"]["application/x-ndjson"] = all[0]!;

const query: operations["Kitchen_Find"]["parameters"] = { path: { id: 1 }, query: { size: "Small" } };

// @ts-expect-error: a number is not text.
const wrong: Pizza["price"] = "9.5";

// @ts-expect-error: an enum has no other names.
const unknown: Pizza["size"] = "huge";

export { all, found, item, order, pizza, query, unknown, wrong };
