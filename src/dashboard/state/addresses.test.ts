import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/random/any-character";
import { cases } from "../../../test/support/random/cases";
import {
  groupsMax,
  listParams,
  measureNames,
  namedGroups,
  namedMetrics,
  questionIn,
  unreadableIn,
} from "../pages/explore/question";
import { decodeStep, encodeStep } from "../pages/funnels/steps";
import {
  type Condition,
  type Did,
  decode,
  didNames,
  encode,
  type Filter,
  isOfSession,
  ops,
  type Simple,
  takesList,
  takesNothing,
} from "./filters";
import { periodDaysMax, readPeriod } from "./period";

/** What a page reads of its address: the browser has written it as text and parsed it again. */
const afterAddress = (name: string, texts: readonly string[]): string[] => {
  const params = new URLSearchParams();
  for (const text of texts) params.append(name, text);
  return new URLSearchParams(`?${params}`).getAll(name);
};
const runs = { numRuns: cases(200, 5_000) };

/** Any text that a visitor can send: half characters, separators of the address and JSON among them. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom("", "|", "a|b~eq~c", "{", '{"any":[]}', "~", "a&b=c#d?e", "%41", "+ ", "\ud800"),
);
const anyKey = fc.stringMatching(/^\w{1,128}$/);
const anyField = fc.oneof(
  fc.constantFrom("event", "country", "session.source", "user_id"),
  anyKey.map((key) => `properties.${key}`),
);
const anyValue = fc.oneof(anyText, fc.integer(), fc.boolean());
const anyCondition: fc.Arbitrary<Condition> = fc
  .tuple(fc.constantFrom(...ops.map(([op]) => op)), anyField, anyValue, fc.array(anyValue))
  .map(([op, field, value, list]) =>
    takesNothing(op) ? { field, op } : { field, op, value: takesList(op) ? list : value },
  );
const anyDid = fc
  .tuple(
    ...([fc.constantFrom(...didNames), anyText, fc.boolean()] as const),
    fc.array(anyCondition, { maxLength: 2 }),
  )
  .map(
    ([word, text, isGoal, filters]): Did => ({
      [word]: isGoal && isOfSession(word) ? { goal: text } : text,
      ...(filters.length > 0 && { filters }),
    }),
  );
const anySimple: fc.Arbitrary<Simple> = fc.oneof(anyCondition, anyDid);
const anyFilter: fc.Arbitrary<Filter> = fc.oneof(
  anySimple,
  fc.array(anySimple, { minLength: 2, maxLength: 4 }).map((list) => ({ any: list })),
);

test("any filters come back from the address as they were", () => {
  fc.assert(
    fc.property(fc.array(anyFilter, { maxLength: 4 }), (filters) => {
      expect(afterAddress("filter", filters.map(encode)).map(decode)).toEqual(filters);
    }),
    runs,
  );
});

test("any steps of a funnel come back from the address as they were", () => {
  const anyStep = fc.record({ event: anyText, filters: fc.array(anyCondition, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 8 }), (steps) => {
      expect(afterAddress("step", steps.map(encodeStep)).map(decodeStep)).toEqual(steps);
    }),
    runs,
  );
});

test("a step of an older address is still read", () => {
  expect(decodeStep("page_view|properties.path~eq~/pricing")).toEqual({
    event: "page_view",
    filters: [{ field: "properties.path", op: "eq", value: "/pricing" }],
  });
  expect(decodeStep("signup")).toEqual({ event: "signup", filters: [] });
});

test("any question of Explore comes back from the address as it was", () => {
  const anyMetric = fc.oneof(
    fc.constantFrom(...namedMetrics),
    fc
      .tuple(fc.constantFrom(...Object.keys(measureNames)), anyKey)
      .map(([measure, key]) => `${measure}:properties.${key}`),
  );
  const anyGroup = fc.oneof(
    fc.constantFrom(...namedGroups),
    anyKey.map((key) => `properties.${key}`),
  );
  const metricLists = fc.uniqueArray(anyMetric, { minLength: 1, maxLength: 6 });
  const groupLists = fc.uniqueArray(anyGroup, { maxLength: groupsMax });
  fc.assert(
    fc.property(metricLists, groupLists, (metrics, groups) => {
      const { metrics: counted, by } = listParams(metrics, groups);
      const params = new URLSearchParams(`?${new URLSearchParams({ metrics: counted, by })}`);
      expect(questionIn(params)).toMatchObject({ metrics, groups });
      expect(unreadableIn(params)).toEqual([]);
    }),
    runs,
  );
});

test("a part of the address that means nothing is named, and is not half read", () => {
  for (const text of [
    "",
    "country~is~DE",
    "{",
    '{"field":"country"}',
    '{"any":[{"field":"country","op":"eq","value":"DE"},{"field":"x"}]}',
    '{"did":"a","filters":[{"field":"x"}]}',
    '{"session_did":"a","since":"7d"}',
    '{"session_did":{"event":"a"}}',
    '{"session_did":{"goal":1}}',
    '{"session_did":{"goal":"a","filters":[]}}',
    '{"did":{"goal":"a"}}',
    '{"field":"country","op":"in","value":"DE"}',
  ]) {
    expect([text, decode(text)]).toEqual([text, null]);
  }
  for (const text of ["a|b", '{"event":1,"filters":[]}', '{"event":"a","filters":[{}]}', "{"]) {
    expect([text, decodeStep(text)]).toEqual([text, null]);
  }
  const params = new URLSearchParams("?metrics=event_count,visitors&by=properties.a-b,date");
  expect(unreadableIn(params)).toEqual(["visitors", "properties.a-b"]);
  const long = "k".repeat(129);
  expect(unreadableIn(new URLSearchParams(`?by=properties.${long}`))).toHaveLength(1);
});

test("periods are dates of the calendar, in order, and at most as many as the API takes", () => {
  for (const key of [
    "2026-02-31..2026-03-05",
    "2026-03-05..2026-03-04",
    "2026-03-05",
    "2026-03-01..2026-03-02..2026-03-03",
    "0001-01-01..9999-12-31",
    "0001-01-01..0001-01-02",
    "0d",
    `${periodDaysMax + 1}d`,
    "2010-01-01..2020-01-01",
    "tomorrow",
    "",
  ]) {
    expect([key, readPeriod(key)]).toEqual([key, null]);
  }
  expect(readPeriod(`${periodDaysMax}d`)?.days).toBe(periodDaysMax);
  expect(readPeriod("2010-01-01..2019-12-29")?.days).toBe(periodDaysMax);
  expect(readPeriod("2010-01-01..2019-12-30")).toBeNull();
  expect(readPeriod("2024-02-29..2024-02-29")).toMatchObject({ days: 1, isOpen: false });
});

test("a period comes back from its own name", () => {
  const day = fc.integer({ min: 0, max: 20_000 });
  const dateOf = (at: number) => new Date(at * 86_400_000).toISOString().slice(0, 10);
  fc.assert(
    fc.property(day, fc.integer({ min: 1, max: periodDaysMax }), (from, days) => {
      const name = `${dateOf(from)}..${dateOf(from + days - 1)}`;
      const period = readPeriod(afterAddress("period", [name])[0] ?? "");
      expect(period).toMatchObject({ from: dateOf(from), to: dateOf(from + days - 1), days });
      expect(readPeriod(period?.key ?? "")).toEqual(period);
    }),
    runs,
  );
});
