import { describe, expect, test } from "bun:test";
import type { Goal } from "../../data/goal-answers";
import { definitionOf, draftOf, placeOf, questionOf, wordsOf } from "./goal-draft";

const empty = draftOf(null);
const filters = [{ field: "country", op: "in", value: ["DE", "AT"] }];
const order: Goal = {
  ...{ id: "goal_1", name: "Order", event: "purchase", page: null },
  filters,
  value: { property: "amount", currency: "EUR" },
  once_per: "order_id",
};

describe("the draft of a goal", () => {
  test("has the fields of the goal", () => {
    const { value, once_per } = order;
    expect(definitionOf(draftOf(order))).toEqual({ event: "purchase", filters, value, once_per });
    const page = { ...order, event: null, page: "/thanks*", value: null, once_per: null };
    expect(definitionOf(draftOf(page))).toEqual({
      ...{ page: "/thanks*", filters, value: null, once_per: null },
    });
  });

  test("has no definition without an event or page, or without the value of a condition", () => {
    expect(definitionOf(empty)).toBeNull();
    expect(questionOf({ ...empty, match: " " })).toBeNull();
    const condition = { field: "country", op: "eq", values: [], text: "" };
    expect(definitionOf({ ...empty, match: "buy", filters: [condition] })).toBeNull();
    const written = { ...empty, match: "buy", filters: [{ ...condition, text: "DE" }] };
    expect(definitionOf(written)?.filters).toEqual([{ field: "country", op: "eq", value: "DE" }]);
  });

  test("writes a currency in capitals, and leaves empty fields out of a question", () => {
    const written = { ...empty, match: "buy", property: " amount ", currency: "eur" };
    const value = { property: "amount", currency: "EUR" };
    expect(definitionOf(written)).toEqual({ event: "buy", filters: [], value, once_per: null });
    expect(questionOf(written)).toEqual({ event: "buy", filters: [], value });
    expect(definitionOf({ ...written, currency: "" })?.value).toEqual({ ...value, currency: null });
  });
});

describe("a refusal", () => {
  const refused = (code: string, field?: string, message = "") => ({
    ...{ code, message, more: field === undefined ? {} : { field } },
  });
  test.each([
    ["GOAL_NAME_TAKEN", undefined, "name", /Another goal has this name/],
    ["MISSING_FIELDS", "name", "name", /1 to 64/],
    ["MISSING_FIELDS", "event", "match", /1 to 256/],
    ["MISSING_FIELDS", "goal.page", "match", /1 to 256/],
    ["MISSING_FIELDS", "value.currency", "currency", /three letters/],
    ["INVALID_PROPERTY_KEY", "value.property", "property", /name of a property/],
    ["INVALID_PROPERTY_KEY", "once_per", "oncePer", /name of a property/],
    ["INVALID_PROPERTY_KEY", "filters[0].field", "filters", /^$/],
    ["INVALID_FILTER_OP", undefined, "filters", /^$/],
    ["MISSING_FIELDS", "project", "form", /30 goals/],
    ["GOAL_NOT_FOUND", undefined, "form", /has deleted this goal/],
    ["UNAVAILABLE", undefined, "form", /^$/],
  ] as const)("%s of %s stands at %s", (code, field, place, words) => {
    expect(placeOf(refused(code, field))).toBe(place);
    expect(wordsOf(refused(code, field))).toMatch(words);
  });

  test("counts conditions from 1", () => {
    const message = '"filters[1].value" must be a number, and "goal.filters[0]" too.';
    expect(wordsOf(refused("INVALID_FILTER_OP", "filters[1].value", message))).toBe(
      "Condition 2 must be a number, and Condition 1 too.",
    );
  });
});
