import { describe, expect, test } from "bun:test";
import { ApiError, type ErrorExtras } from "./errors";
import { countModes, metricNames, namedGroups, selectionOf } from "./metric";

function refusal(work: () => unknown): ErrorExtras & { code: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...error.extras };
    throw error;
  }
  throw new Error("It was not refused.");
}

test("nothing asked for means the number of events", () => {
  expect(selectionOf({})).toEqual({
    metrics: ["event_count"],
    groupBy: [],
    countMode: "session_then_user",
    orderBy: "event_count",
    order: "desc",
  });
  expect(selectionOf({ metrics: [], group_by: [] })).toEqual(selectionOf({}));
  expect(selectionOf({ metrics: null, order: null, order_by: null })).toEqual(selectionOf({}));
});

test("repeats are removed, order is kept", () => {
  const selection = selectionOf({ metrics: ["session_count", "unique_users", "session_count"] });
  expect(selection.metrics).toEqual(["session_count", "unique_users"]);
});

test("unknown words are refused with those that are known", () => {
  expect(refusal(() => selectionOf({ metrics: ["weather"] }))).toEqual({
    code: "INVALID_METRIC",
    allowed: metricNames,
  });
  expect(refusal(() => selectionOf({ group_by: ["a b"] }))).toEqual({
    code: "INVALID_GROUP_BY",
    allowed: namedGroups,
  });
  expect(refusal(() => selectionOf({ count_mode: "distinct" }))).toEqual({
    code: "INVALID_COUNT_MODE",
    allowed: countModes,
  });
  expect(refusal(() => selectionOf({ metrics: ["__proto__"] })).code).toBe("INVALID_METRIC");
});

describe("order_by", () => {
  test("defaults to the date, else to the first metric", () => {
    expect(selectionOf({ group_by: ["event", "date"] }).orderBy).toBe("date");
    expect(selectionOf({ metrics: ["bounce_rate"], group_by: ["event"] }).orderBy).toBe(
      "bounce_rate",
    );
  });
  test("is a selected metric or group", () => {
    expect(selectionOf({ group_by: ["event"], order_by: "event" }).orderBy).toBe("event");
    for (const order_by of ["unique_users", "date", "properties.n", "bounce_rate", "nonsense"]) {
      const ask = () => selectionOf({ metrics: ["event_count"], group_by: ["country"], order_by });
      const allowed = ["event_count", "country"];
      expect(refusal(ask)).toEqual({ code: "MISSING_FIELDS", field: "order_by", allowed });
    }
  });
  test("that is nearly one is refused with the one that was meant", () => {
    for (const [order_by, meant] of [
      ["evnt_count", "event_count"],
      ["properties.pln", "properties.plan"],
      ["events", "event_count"],
    ] as const) {
      const ask = () => selectionOf({ group_by: ["properties.plan"], order_by });
      const allowed = ["event_count", "properties.plan"];
      const field = { field: "order_by", allowed, suggested_field: meant };
      expect(refusal(ask)).toEqual({ code: "MISSING_FIELDS", ...field });
    }
    for (const [asked, meant] of [
      [{ order: "dsc" }, "desc"],
      [{ count_mode: "Raw" }, "raw"],
    ] as const) {
      expect(() => selectionOf(asked)).toThrow(` Did you mean "${meant}"?`);
    }
  });
  test("order is asc or desc", () => {
    expect(selectionOf({ order: "asc" }).order).toBe("asc");
    expect(refusal(() => selectionOf({ order: "up" }))).toEqual({
      code: "MISSING_FIELDS",
      field: "order",
      allowed: ["asc", "desc"],
    });
  });
});

test("a metric by its name elsewhere is refused with the one that was meant", () => {
  for (const [asked, meant] of [
    ...[["visitors", "unique_users"] as const, ["users", "unique_users"] as const],
    ...[["pageviews", "page_views"] as const, ["views", "page_views"] as const],
    ...[["sessions", "session_count"] as const, ["visits", "session_count"] as const],
    ...[["events", "event_count"] as const, ["count", "event_count"] as const],
    ...[["duration", "avg_duration"] as const, ["Visitors", "unique_users"] as const],
    ...[["visit duration", "avg_duration"] as const, ["visitor", "unique_users"] as const],
    // Words of our own, misspelt, are meant before those.
    ...[["event_cont", "event_count"] as const, ["sesion_count", "session_count"] as const],
  ]) {
    const told = refusal(() => selectionOf({ metrics: [asked] }));
    expect([asked, told.code, told.suggested_field]).toEqual([asked, "INVALID_METRIC", meant]);
  }
  expect(refusal(() => selectionOf({ metrics: ["weather"] }))).not.toHaveProperty(
    "suggested_field",
  );
  // Order is by what was selected: a name of something else means nothing.
  const byUsers = () => selectionOf({ metrics: ["page_views"], order_by: "visitors" });
  expect(refusal(byUsers)).not.toHaveProperty("suggested_field");
});

describe("group_by", () => {
  test("is of properties too, each once, at most four", () => {
    const asked = ["properties.plan", "event", "properties.plan", "properties.n", "country"];
    const four = ["properties.plan", "event", "properties.n", "country"] as const;
    expect(selectionOf({ group_by: asked }).groupBy).toEqual([...four]);
    const five = [...four, "date"];
    expect(refusal(() => selectionOf({ group_by: five })).code).toBe("INVALID_GROUP_BY");
  });
  test("refuses what is no field, and says what was probably meant", () => {
    const suggested = (name: string) =>
      refusal(() => selectionOf({ group_by: [name] })).suggested_field;
    expect([suggested("plan"), suggested("contry"), suggested("a b")]).toEqual([
      ...["properties.plan", "country", undefined],
    ]);
    expect(refusal(() => selectionOf({ group_by: ["event", "properties.a b"] }))).toEqual({
      code: "INVALID_PROPERTY_KEY",
      field: "group_by[1]",
    });
  });
});
