import { expect, test } from "bun:test";
import {
  event,
  lastDays,
  noonMs,
  projectId,
  storeOfColumns,
} from "../../../test/support/engine/examples";
import { ReadTest } from "../../../test/support/engine/read-test";
import { breakdownRead } from "./breakdown";

const on = new ReadTest();
const { given } = on;

const inputOf = (property: string, event: string | null = null, limit = 20) => ({
  projectId,
  days: lastDays,
  property,
  event,
  limit,
});
const breakdown = (...said: Parameters<typeof inputOf>) =>
  on.engine.read(breakdownRead, inputOf(...said));

test("an empty project has no values", async () => {
  given();
  expect(await breakdown("plan")).toEqual({
    property: "plan",
    event: null,
    values: [],
    total_events: 0,
    total_with_property: 0,
  });
});

test("counts events and visitors per value; null and missing are left out", async () => {
  given(
    event({ userId: "ann", properties: { plan: "pro" } }),
    event({ userId: "ann", properties: { plan: "pro" } }),
    event({ userId: "bob", properties: { plan: "free" } }),
    event({ properties: { plan: null } }),
    event({ properties: {} }),
    event(),
  );
  expect(await breakdown("plan")).toEqual({
    property: "plan",
    event: null,
    values: [
      { value: "pro", count: 2, unique_users: 1 },
      { value: "free", count: 1, unique_users: 1 },
    ],
    total_events: 6,
    total_with_property: 3,
  });
});

test("values are texts: a number and its digits are the same one", async () => {
  given(...[7, "7", true, { b: [1] }, ""].map((v) => event({ properties: { v } })));
  expect((await breakdown("v")).values).toEqual([
    { value: "7", count: 2, unique_users: 0 },
    { value: "", count: 1, unique_users: 0 },
    { value: "true", count: 1, unique_users: 0 },
    { value: '{"b":[1]}', count: 1, unique_users: 0 },
  ]);
});

test("country means that of the event, not a property", async () => {
  given(event({ country: "DE", properties: { country: "Utopia" } }), event());
  expect(await breakdown("country")).toMatchObject({
    values: [{ value: "DE", count: 1, unique_users: 0 }],
    total_events: 2,
    total_with_property: 1,
  });
});

test("of one event, totals are of that event", async () => {
  given(
    event({ name: "buy", properties: { plan: "pro" } }),
    event({ name: "buy" }),
    event({ name: "look", properties: { plan: "pro" } }),
  );
  expect(await breakdown("plan", "buy")).toEqual({
    property: "plan",
    event: "buy",
    values: [{ value: "pro", count: 1, unique_users: 0 }],
    total_events: 2,
    total_with_property: 1,
  });
});

test("of an event that nobody sent, a warning says so", async () => {
  given(event({ name: "buy", properties: { plan: "pro" } }));
  expect((await breakdown("plan", "by")).warnings?.[0]?.message).toContain('"by"');
  expect((await breakdown("plan", "buy")).warnings).toBeUndefined();
});

test("the limit cuts after ordering; totals are of all values", async () => {
  given(...["c", "b", "a", "c"].map((v) => event({ properties: { v } })));
  const { values, total_with_property } = await breakdown("v", null, 2);
  expect(values.map(({ value }) => value)).toEqual(["c", "a"]);
  expect(total_with_property).toBe(4);
});

test("hostile values come back as they were sent", async () => {
  const values = ["nul\0x", "\ud800", 'quote"', "</script>", "😀"];
  given(...values.map((v) => event({ properties: { v } })));
  expect((await breakdown("v")).values.map(({ value }) => value)).toEqual([
    "</script>",
    "nul\0x",
    'quote"',
    "\ud800",
    "😀",
  ]);
});

test.each(["__proto__", "constructor", "toString"])("%s is a key like any other", async (key) => {
  given(event({ properties: JSON.parse(`{"${key}":"x"}`) }), event({ properties: {} }));
  expect(await breakdown(key)).toMatchObject({
    values: [{ value: "x", count: 1, unique_users: 0 }],
    total_with_property: 1,
  });
});

test("opens the column of the property and that of users", async () => {
  on.engine = storeOfColumns((index) =>
    event({ timeMs: noonMs + index, properties: { plan: index % 3, other: index } }),
  );
  expect(await on.engine.columnsTouched(breakdownRead, inputOf("plan"))).toEqual([
    "property.plan",
    "visit.events",
    "visit.user",
  ]);
});
