import { afterAll, beforeAll, expect, test } from "bun:test";
import { splitName } from "../../src/http/operation/facts";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { fieldsOf } from "../support/app/described";
import { takesQuery } from "../support/app/operations";
import { paymentSecrets } from "../support/app/payments";
import { cases } from "../support/random/cases";

/** A message is this server's own text: what a caller or a visitor wrote stands in fields that are known for it. */
const planted = "zebra";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp({ ...paymentSecrets, REGISTRATION: "open" });
  shortenDemo(app);
  shop = await app.makeProject("shop");
  const properties = { zebra_path: planted };
  await app.track(shop, { event: planted, user_id: planted, session_id: planted, properties });
  await app.post("/experiments", {
    ...{ project: "shop", name: "hero", variants: ["control", "b"], goal_event: planted },
  });
});
afterAll(() => app.close());

const filter = { field: "event", op: "eq", value: planted };
const filterLists = [
  [{ ...filter, field: planted }],
  [{ ...filter, field: `properties.${planted} ${planted}` }],
  [{ ...filter, field: `session.${planted}` }],
  [{ ...filter, op: planted }],
  [{ ...filter, field: "timestamp" }],
  [{ ...filter, [planted]: planted }],
  [{ did: planted, [planted]: 1 }],
  [{ any: [{ field: planted }] }],
];
const texts = [
  planted,
  ` ${planted}`,
  planted.repeat(2_000),
  `${planted},${planted}`,
  `${planted}:${planted}`,
  `sum:${planted}`,
  `sum:properties.${planted}-`,
  `properties.${planted}!`,
  `session.${planted}`,
  `2026-01-${planted}`,
  `2${planted}`,
  `Europe/${planted}`,
  `https://${planted}.example/${planted}`,
  `http://[${planted}`,
  `ftp://${planted}`,
  `${planted}@example.com`,
  ...filterLists.map((list) => JSON.stringify(list)),
];
const values: readonly unknown[] = [
  ...texts,
  ...texts.map((text) => [text]),
  ...filterLists,
  [planted, planted],
  { [planted]: planted },
  [{ [planted]: planted }],
  [[planted]],
  [{ event: planted, filters: [{ field: planted }] }, planted],
  [{ event: planted, [planted]: 1 }, planted],
  { event: planted, filters: [{ field: planted }] },
  { date_from: planted, date_to: planted },
  [{ metrics: [planted], group_by: [planted] }],
  [{ filters: [{ field: planted }] }],
  [{ term: planted.repeat(99), definition: planted, event_name: planted }],
  [{ title: planted, occurred_at: planted }],
  [{ project: planted, role: planted.repeat(99) }],
];

/** Fields whose refusals say the most; all others take turns with the values. */
const told: ReadonlySet<string> = new Set([
  ...["filters", "metrics", "group_by", "order_by", "goal", "compare", "queries"],
  ...["steps", "dimensions", "breakdown", "tz", "glossary", "annotations", "variants"],
]);

const asShop = { body: { name: "shop" } };

test("no message, header or line of the log repeats what was sent or stored", async () => {
  const found = new Set<string>();
  let refusals = 0;
  const ask = async (name: string, path: string, body?: Json) => {
    const { method } = splitName(name);
    const sent = body === undefined ? {} : { body };
    const answer = await app.send(method, path, { key: app.key, ...sent });
    if (answer.headers.get("content-type")?.includes("event-stream") === true) {
      return answer.body?.cancel();
    }
    const text = await answer.text();
    const headers = [...answer.headers].map(([header, value]) => `${header}: ${value}`).join();
    if (headers.includes(planted)) found.add(`${name} ${headers}`);
    if (answer.status < 400 || !text.startsWith("{")) return undefined;
    const { message } = JSON.parse(text) as { message?: string };
    refusals += 1;
    if (message?.includes(planted) === true) found.add(`${name} ${message.slice(0, 300)}`);
    return undefined;
  };
  for (const operation of app.operations) {
    const { name, doc } = operation;
    const { method, path } = splitName(name);
    if (method === "DELETE" || /^\/(auth|billing\/webhook)|api-key|revoke-key/.test(path)) continue;
    const base = { ...doc.example?.input } as Json;
    const fields = fieldsOf(operation);
    const known = {
      ...(fields.includes("project") && { project: "shop" }),
      ...(fields.includes("token") && { token: shop.token }),
    };
    const inputs = [
      { ...base, ...known, [planted]: planted },
      ...fields.flatMap((field, at) =>
        (takesQuery(name) ? texts : values)
          .filter(
            (_, turn) =>
              (turn + at) % cases(told.has(field) ? 5 : 24, told.has(field) ? 1 : 3) === 0,
          )
          .map((value) => ({ ...base, ...known, [field]: value })),
      ),
    ];
    const parts = path.includes("{") ? [shop.id, planted] : [""];
    for (const part of parts) {
      for (const input of part === planted ? inputs.slice(0, 1) : inputs) {
        const url = path.replace(/\{\w+\}/, part);
        if (takesQuery(name)) {
          const query = new URLSearchParams(
            Object.entries(input).map(([field, value]): [string, string] => [field, String(value)]),
          );
          await ask(name, `${url}?${query}`);
        } else await ask(name, url, input);
        // Other requests name the project, and the file of an export bears its name.
        if (name === "PATCH /projects/{id}")
          await app.send("PATCH", url, { key: app.key, ...asShop });
      }
    }
  }
  expect([...found]).toEqual([]);
  expect(refusals).toBeGreaterThan(cases(250, 2_000));
  expect(app.logged.filter((line) => line.includes(planted))).toEqual([]);
}, 180_000);
