import { afterAll, beforeAll, expect, test } from "bun:test";
import { splitName } from "../../src/http/operation/facts";
import { type TestApp, type TestProject, testApp } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { fieldsOf } from "../support/app/described";
import { takesQuery } from "../support/app/operations";
import { paymentSecrets } from "../support/app/payments";
import { cases } from "../support/random/cases";
import { randomFrom, randomSeed } from "../support/random/random";

let app: TestApp;
let project: TestProject;
beforeAll(async () => {
  app = await testApp(paymentSecrets);
  shortenDemo(app);
  project = await app.makeProject("shop");
  await app.track(project, {
    event: "visit",
    session_id: "s",
    user_id: "u",
    properties: { plan: 1 },
  });
});
afterAll(() => app.close());

/** What no field expects, and what some do. */
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  "",
  " ",
  "0",
  "7d",
  "99999999999d",
  "2026-01-31",
  "2026-13-45",
  "visit",
  "shop",
  "\u0000",
  "\ud800",
  "😀".repeat(300),
  "x".repeat(70_000),
  "__proto__",
  "constructor",
  "'; drop table event; --",
  "properties.plan",
  "properties.__proto__",
  "*",
  "%",
  "proj_x",
  "https://a.example",
  [],
  {},
  [null],
  ["event_count"],
  ["event"],
  [[[[]]]],
  [{}],
  { __proto__: { a: 1 } },
  { field: "event", op: "eq", value: {} },
  [{ field: "event", op: "eq", value: "visit" }],
  [{ field: "timestamp", op: "gt", value: "x" }],
  [{ field: "properties.plan", op: "lte", value: -0 }],
  ["visit", { event: "visit", filters: [{}] }],
];

const unknownNames = ["colour", "Limit", "date_from", "groupBy", "__proto__", "", "\u0000"];

const seed = randomSeed();
const random = randomFrom(seed);

test(`whatever is sent, no operation fails or breaks its own words (seed ${seed})`, async () => {
  const asked = app.operations
    .map((operation) => ({ ...splitName(operation.name), fields: fieldsOf(operation) }))
    .filter(({ method, path }) => method !== "DELETE" && !/^\/auth\/|key|^\/docs/.test(path));
  expect(asked.filter(({ fields }) => fields.length > 0).length).toBeGreaterThan(10);

  for (let call = 0; call < cases(400, 3_000); call++) {
    const { method, path, fields } = random.pick(asked);
    const input: Record<string, unknown> = {};
    for (const field of fields) if (random.chance(0.4)) input[field] = random.pick(values);
    const known = { project: "shop", token: project.token };
    for (const [field, value] of Object.entries(known)) {
      if (random.chance(0.8) && fields.includes(field)) input[field] = value;
    }
    if (random.chance(0.02)) input[random.pick(unknownNames)] = random.pick(values);
    const isQuery = takesQuery(`${method} ${path}`);
    const part = encodeURIComponent(String(random.pick([project.id, "shop", "x", "😀", "%00"])));
    const url = `${path.replace(/\{\w+\}/, part)}${isQuery ? queryOf(input) : ""}`;
    const body = random.chance(0.05) ? random.pick(["", "[", "null", "1"]) : input;
    const sent = isQuery ? {} : { body };
    const said = `call ${call}: ${method} ${url} ${JSON.stringify(sent)}`.slice(0, 1_000);
    try {
      const answer = await app.send(method, url, { key: app.key, ...sent });
      // An address that may be one is asked, and there is no internet here.
      const isScanned =
        method === "POST" && path.endsWith("/website-scans") && answer.status === 502;
      if (isScanned) expect(await answer.json()).toMatchObject({ error: "SCAN_FAILED" });
      else expect(answer.status).toBeLessThan(500);
    } catch (cause) {
      throw new Error(said, { cause });
    }
  }
  expect(app.logged.filter((line) => line.includes('"fault"'))).toEqual([]);
});

function queryOf(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    query.set(name, typeof value === "string" ? value : String(JSON.stringify(value)));
  }
  return `?${query}`;
}
