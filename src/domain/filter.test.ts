import { describe, expect, test } from "bun:test";
import { filtersOf } from "../../test/support/engine/filters";
import { ApiError, type ErrorExtras } from "./errors";
import { checkPropertyKey, conditionOf, type FilterRequest, filterOps } from "./filter";

const one = (filter: FilterRequest) => conditionOf(filter, "filters[0]");

function refusal(work: () => unknown): ErrorExtras & { code: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...error.extras };
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("conditionOf", () => {
  test("passes known fields and compares by text", () => {
    expect(one({ field: "event", op: "eq", value: "visit" })).toEqual({
      field: "event",
      op: "eq",
      value: "visit",
    });
    expect(one({ field: "properties.n", op: "gt", value: 12.5 }).value).toBe("12.5");
    expect(one({ field: "properties.b", op: "eq", value: true }).value).toBe("true");
    expect(one({ field: "properties.o", op: "eq", value: { a: [1, "x"] } }).value).toBe(
      '{"a":[1,"x"]}',
    );
    expect(one({ field: "properties.z", op: "eq", value: "" }).value).toBe("");
  });
  test.each([
    [{ op: "eq", value: "a" }],
    [{ field: "event", value: "a" }],
    [{ field: "event", op: "eq" }],
    [{ field: null, op: "eq", value: "a" }],
    [{ field: "event", op: "eq", value: null }],
  ])("%p lacks a part", (filter) => {
    expect(refusal(() => one(filter))).toEqual({
      code: "INVALID_FILTER_FIELD",
      suggested_field: null,
    });
  });
  test("a bare property name is refused with its spelling", () => {
    expect(refusal(() => one({ field: "plan", op: "eq", value: "a" }))).toEqual({
      code: "INVALID_FILTER_FIELD",
      suggested_field: "properties.plan",
    });
    expect(refusal(() => one({ field: "a b", op: "eq", value: "a" })).suggested_field).toBeNull();
  });
  test.each([
    ["did", "did"],
    ["did_not", "did_not"],
    ["Did", "did"],
    ["session_did", "session_did"],
    ["session_did_not", "session_did_not"],
    ["session.did", "session_did"],
    ["user.did_not", "did_not"],
  ])("%s as a field or an operator is refused with the item that was meant", (word, meant) => {
    const suggested_item = { [meant]: "<event>" };
    expect(refusal(() => one({ field: word, op: "eq", value: "signup" }))).toEqual({
      ...{ code: "INVALID_FILTER_FIELD", suggested_field: null, suggested_item },
    });
    expect(refusal(() => one({ field: "event", op: word, value: "signup" }))).toMatchObject({
      ...{ code: "INVALID_FILTER_OP", suggested_item },
    });
    expect(filtersOf([{ [meant]: "signup" }])).toHaveLength(1);
  });
  test.each(["hour", "week", "month", "weekday", "hour_of_day"])(
    "%s is a group and no field: no property is suggested in its place",
    (field) => {
      const ask = () => one({ field, op: "eq", value: "1" });
      expect(refusal(ask)).toEqual({ code: "INVALID_FILTER_FIELD", suggested_field: null });
      expect(ask).toThrow("can be in group_by alone");
      expect(one({ field: `properties.${field}`, op: "eq", value: "1" })).toBeDefined();
    },
  );
  test("did within a key or a word is no such item", () => {
    expect(one({ field: "properties.did", op: "eq", value: "a" }).field).toBe("properties.did");
    const candid = refusal(() => one({ field: "candid", op: "eq", value: "a" }));
    expect(candid).toEqual({
      ...{ code: "INVALID_FILTER_FIELD", suggested_field: "properties.candid" },
    });
  });
  test.each([["__proto__"], ["constructor"], ["toString"]])("%s is an ordinary key", (key) => {
    expect(one({ field: `properties.${key}`, op: "eq", value: "a" }).field).toBe(
      `properties.${key}`,
    );
    const asField = refusal(() => one({ field: key, op: "eq", value: "a" }));
    expect(asField.suggested_field).toBe(`properties.${key}`);
  });
  test.each([[""], ["a b"], ["a.b"], ["ключ"], ["a".repeat(129)], ["a\0"]])(
    "%p is no property key",
    (key) => {
      const ask = () => one({ field: `properties.${key}`, op: "eq", value: "a" });
      expect(refusal(ask).code).toBe("INVALID_PROPERTY_KEY");
    },
  );
  test.each([["like"], ["EQ"], ["Prefix"], ["not in"], [""], ["constructor"]])(
    "the operator %p is unknown",
    (op) => {
      expect(refusal(() => one({ field: "event", op, value: "a" }))).toEqual({
        code: "INVALID_FILTER_OP",
        allowed: filterOps,
      });
    },
  );
  test.each([
    ["=", "eq"],
    ["equals", "eq"],
    ["!=", "neq"],
    [">=", "gte"],
    ["starts_with", "prefix"],
    ["LIKE", "contains"],
    ["nin", "not_in"],
    ["is_set", "not_null"],
    ["isnull", "is_null"],
  ])("who asks for %p is told of %s", (op, meant) => {
    expect(() => one({ field: "event", op, value: "a" })).toThrow(` Did you mean "${meant}"?`);
  });
  test("values have a bound", () => {
    expect(one({ field: "event", op: "eq", value: "😀".repeat(8_192) }).op).toBe("eq");
    const ask = () => one({ field: "event", op: "eq", value: "a".repeat(8_193) });
    expect(refusal(ask)).toEqual({ code: "MISSING_FIELDS", field: "filters[0].value" });
  });
});

describe("timestamp values", () => {
  const value = (sent: unknown) => one({ field: "timestamp", op: "gte", value: sent }).value;

  test("are ms, a digit string or an ISO date-time", () => {
    expect(value(1_767_225_600_000)).toBe("1767225600000");
    expect(value("1767225600000")).toBe("1767225600000");
    expect(value("2026-01-01T00:00:00Z")).toBe("1767225600000");
    expect(value("2026-01-01T01:00:00.5+01:00")).toBe("1767225600500");
  });
  test.each([
    ["2026-01-01"],
    ["yesterday"],
    [""],
    [1.5],
    [true],
    [{}],
    ["-5"],
    ["2026-02-30T00:00Z"],
  ])("%p is refused", (sent) => {
    expect(refusal(() => value(sent)).code).toBe("INVALID_BODY");
  });
});

test("in and not_in take a list of at most 100", () => {
  const filter = { field: "country", op: "in", value: ["DE", 7] };
  expect(conditionOf(filter, "f").value).toEqual(["DE", "7"]);
  for (const op of ["in", "not_in"]) {
    const of = (count: number) => ({ ...filter, op, value: Array(count).fill("DE") });
    expect(conditionOf(of(100), "f").value).toHaveLength(100);
    expect(refusal(() => conditionOf(of(101), "f")).field).toBe("f.value");
  }
  expect(refusal(() => conditionOf({ ...filter, value: "DE" }, "f")).field).toBe("f.value");
  const withNull = { ...filter, value: ["DE", null] };
  expect(refusal(() => conditionOf(withNull, "f")).field).toBe("f.value[1]");
});

test("is_null and not_null take no value", () => {
  const filter = { field: "country", op: "is_null" };
  expect(one(filter)).toEqual({ field: "country", op: "is_null", value: "" });
  expect(refusal(() => one({ ...filter, value: "DE" })).field).toBe("filters[0].value");
});

test("a property key has 1 to 128 characters", () => {
  expect(checkPropertyKey("a".repeat(128), "property")).toHaveLength(128);
  expect(refusal(() => checkPropertyKey("", "property"))).toEqual({
    code: "INVALID_PROPERTY_KEY",
    field: "property",
  });
});
