import { describe, expect, test } from "bun:test";
import { filtersOf } from "../../test/support/engine/filters";
import { comparedIn, impossible } from "./impossible-values";

const of = (field: string, value: string): string | null => impossible({ field, value });

describe("values that no event can have", () => {
  test.each([
    ["Germany", "DE"],
    ["united states", "US"],
    ["de", "DE"],
    ["", "DE"],
    ["Nowhere", "DE"],
  ])("a country %p is told in two capital letters, as %s", (value, meant) => {
    for (const field of ["country", "session.country"]) {
      const said =
        `The filter ${field} = "${value}" matches nothing: countries are codes of two capital ` +
        `letters, such as "${meant}".`;
      expect(of(field, value)).toBe(said);
    }
  });

  test.each([
    ["organic search", "Organic Search"],
    ["Organic", "Organic Search"],
    ["Refferal", "Referral"],
    ["paid-social", "Paid Social"],
  ])("a channel %p probably means %s", (value, meant) => {
    const said = `"${value}" is not a channel, so the filter matches nothing. Did you mean "${meant}"?`;
    expect(of("session.channel", value)).toBe(said);
  });

  test("of a channel that is like none, all are named", () => {
    expect(of("session.channel", "Newspaper")).toMatch(
      /^"Newspaper" is not a channel, so the filter matches nothing. The channels are Paid Search, .*, Direct.$/,
    );
  });

  test("nothing is said of values that there may be", () => {
    for (const value of ["DE", "XX"]) expect(of("country", value)).toBeNull();
    for (const value of ["Direct", "Organic Search"])
      expect(of("session.channel", value)).toBeNull();
    expect(of("properties.country", "Germany")).toBeNull();
    expect(of("session.source", "nowhere")).toBeNull();
  });
});

test("whole values are compared by four operators, in lists, in groups and in what users did", () => {
  const filters = filtersOf([
    { field: "country", op: "in", value: ["a", "b"] },
    { field: "country", op: "prefix", value: "G" },
    { field: "country", op: "is_null" },
    {
      any: [
        { field: "country", op: "neq", value: "c" },
        { did: "buy", filters: [{ field: "session.channel", op: "eq", value: "d" }] },
      ],
    },
  ]);
  expect(comparedIn(filters).map(({ field, value }) => `${field} ${value}`)).toEqual([
    ...["country a", "country b", "country c", "session.channel d"],
  ]);
});
