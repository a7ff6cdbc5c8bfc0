import { afterAll, beforeAll, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool } from "../support/app/mcp";

/** Warnings about the properties that a question measures or groups by. */
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const dayMs = 24 * 60 * 60 * 1000;
  const sold = (amount: unknown, user_id = "ann", timestamp = noonMs - 1) => ({
    ...{ event: "sale", user_id, timestamp, properties: { amount, plan: "pro" } },
  });
  await app.track(shop, sold(49), sold("49"), sold("-1.5e3"), sold("1e999"), sold("49 EUR"));
  await app.track(shop, sold("7", "bob"), sold(null), sold(true), sold(["49"]), sold("049"));
  // A compared period is cut at noon.
  await app.track(shop, sold("8", "ann", noonMs + 60_000), sold("9", "ann", noonMs - 9 * dayMs));
});
afterAll(() => app.close());

interface Warning {
  readonly code: string;
  readonly message: string;
  readonly property?: string;
  readonly events?: number;
}
const ask = async (body: object) => {
  const { warnings = [] } = await app.post("/query", { project: "shop", ...body });
  return warnings as readonly Warning[];
};
const amount = "properties.amount";
const texts = (events: number) => ({ code: "text_numbers", property: "amount", events });

test("each measure but distinct says how many events have numbers as texts", async () => {
  for (const measure of ["sum", "avg", "min", "max", "p50", "p75", "p95"]) {
    expect(await ask({ metrics: [`${measure}:${amount}`] })).toMatchObject([texts(5)]);
  }
  expect(await ask({ metrics: [`distinct:${amount}`, "event_count"] })).toEqual([]);
  expect(await ask({ metrics: [`sum:${amount}`, `avg:${amount}`] })).toHaveLength(1);
});

test("the message says what to do, of one event and of several", async () => {
  const [several] = await ask({ metrics: [`sum:${amount}`] });
  expect(several.message).toBe(
    '5 events have "amount" as a text that looks like a number, and sum, avg, min, max and percentiles leave texts ' +
      "out. Send the value as a JSON number, without quotes.",
  );
  const [one] = await ask({ metrics: [`sum:${amount}`], user_id: "bob" });
  expect(one.message).toStartWith('1 event has "amount" as a text');
});

test("events are those for which the filters hold, of the person, and of the dates", async () => {
  const sum = { metrics: [`sum:${amount}`] };
  const small = { field: amount, op: "in", value: ["7", "8", "9"] };
  expect(await ask({ ...sum, filters: [small] })).toMatchObject([texts(2)]);
  expect(await ask({ ...sum, filters: [small], user_id: "bob" })).toMatchObject([texts(1)]);
  expect(await ask({ ...sum, date_from: "30d" })).toMatchObject([texts(6)]);
  expect(await ask({ ...sum, filters: [{ field: amount, op: "eq", value: "49 EUR" }] })).toEqual(
    [],
  );
});

test("of two periods the current one counts, up to where it is cut", async () => {
  const sum = { metrics: [`sum:${amount}`], compare: "previous" };
  expect(await ask(sum)).toMatchObject([texts(4)]);
  const notPro = { field: "properties.plan", op: "neq", value: "free" };
  const noCountry = { field: "country", op: "neq", value: "DE" };
  expect(await ask({ ...sum, filters: [notPro, noCountry] })).toMatchObject([
    { code: "missing_left_out", field: "country", events: 10 },
  ]);
});

test("each question of several has its own warnings, and an agent sees them", async () => {
  const queries = [{ metrics: [`sum:${amount}`] }, { metrics: ["event_count"] }];
  const { results } = await app.post("/query", { project: "shop", queries });
  expect((results as { warnings?: unknown }[]).map(({ warnings }) => warnings)).toMatchObject([
    [texts(5)],
    undefined,
  ] as object[]);
  const called = await callTool(app, "query", { project: "shop", metrics: [`sum:${amount}`] });
  expect(JSON.stringify(called.structuredContent)).toContain("as a text that looks like a number");
});

test("a property that nobody sends is named, whatever it is asked for", async () => {
  const unknown = [{ code: "unknown_property", property: "amont" }];
  const amont = "properties.amont";
  expect(await ask({ metrics: [`sum:${amont}`, `distinct:${amont}`] })).toMatchObject(unknown);
  expect(await ask({ group_by: [amont], compare: "previous" })).toMatchObject(unknown);
  // It has no number, but it is sent.
  expect(await ask({ metrics: ["sum:properties.plan"], group_by: ["properties.plan"] })).toEqual(
    [],
  );
  // Of one person, too, what others send is known.
  expect(await ask({ metrics: [`distinct:${amount}`], user_id: "nobody" })).toEqual([]);
  const breakdown = await app.get("/breakdown?project=shop&property=amont");
  expect(breakdown.warnings).toMatchObject(unknown);
  expect((await app.get("/breakdown?project=shop&property=plan")).warnings).toBeUndefined();
  const funnel = { project: "shop", steps: ["sale", "sale"], since: "7d" };
  const { warnings } = await app.post("/funnel", { ...funnel, breakdown: "amont" });
  expect(String(warnings)).toContain('No event has the property "amont" in this period. ');
  const known = await app.post("/funnel", { ...funnel, breakdown: "plan" });
  expect(JSON.stringify(known.warnings)).not.toContain("No event has");
  const changes = "/changes?project=shop&metric=events&since=2d&dimensions=";
  expect((await app.get(`${changes}${amont}`)).warnings).toMatchObject(unknown);
  expect((await app.get(`${changes}properties.plan`)).warnings).toBeUndefined();
});
