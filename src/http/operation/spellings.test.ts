import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { ApiError } from "../../domain/errors";
import { schema } from "../../lib/schema";
import { checkFields, refuseUnknownParameters, shapeBody, shapeQuery } from "./input";

function refusalOf(run: () => unknown): readonly [code: string, field: string | undefined] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.extras.field];
  }
  throw new Error("nothing was refused");
}
function extrasOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error.extras;
    throw error;
  }
}
describe("fields of two names", () => {
  const Asked = schema(
    Type.Object({
      since: Type.Optional(Type.String({ default: "7d" })),
      group_by: Type.Optional(Type.Array(Type.String())),
      parts: Type.Optional(
        Type.Array(Type.Object({ date_to: Type.Optional(Type.String({ maxLength: 10 })) })),
      ),
      either: Type.Optional(Type.Union([Type.String(), Type.Object({ date_from: Type.String() })])),
    }),
  );
  const ask = (json: unknown) => checkFields(Asked, shapeBody(Asked, json));
  const askQuery = (text: string) => {
    const query = new URLSearchParams(text);
    refuseUnknownParameters(Asked, query);
    return checkFields(Asked, shapeQuery(Asked, query));
  };

  test("may have either, and both if they agree", () => {
    expect(ask({ date_from: "1d", groupBy: ["a"] })).toEqual({ since: "1d", group_by: ["a"] });
    const both = { since: "1d", date_from: "1d", groupBy: ["a"], group_by: ["a"] };
    expect(ask(both)).toEqual({ since: "1d", group_by: ["a"] });
    expect(askQuery("date_from=1d&since=1d")).toEqual({ since: "1d" });
    expect(ask({ date_from: null, since: "1d" })).toEqual({ since: "1d" });
    expect(ask({ date_from: "1d", since: null })).toEqual({ since: "1d" });
    expect(ask({})).toEqual({ since: "7d" });
  });

  test("may have either inside of others too", () => {
    expect(ask({ parts: [{ until: "1d" }, { date_to: "2d" }] })).toEqual({
      since: "7d",
      parts: [{ date_to: "1d" }, { date_to: "2d" }],
    });
    expect(ask({ either: { since: "1d" } })).toEqual({ since: "7d", either: { date_from: "1d" } });
    expect(refusalOf(() => ask({ parts: [{}, { until: "1d", date_to: "2d" }] }))).toEqual([
      "MISSING_FIELDS",
      "parts[1].date_to",
    ]);
    expect(extrasOf(() => ask({ parts: [{ untill: "1d" }] }))).toEqual({
      field: "parts[0].untill",
      suggested_field: "parts[0].date_to",
    });
  });

  test("are refused where the two disagree", () => {
    for (const run of [
      () => ask({ since: "1d", date_from: "2d" }),
      () => ask({ date_from: "2d", since: "7d" }),
      () => askQuery("date_from=2d&since=7d"),
    ]) {
      expect(refusalOf(run)).toEqual(["MISSING_FIELDS", "since"]);
    }
    expect(refusalOf(() => ask({ group_by: ["a"], groupBy: ["b"] }))).toEqual([
      "MISSING_FIELDS",
      "group_by",
    ]);
  });

  test("have the documented one suggested, and only where the operation has one of them", () => {
    expect(extrasOf(() => ask({ date_form: "1d" }))).toEqual({
      field: "date_form",
      suggested_field: "since",
    });
    expect(refusalOf(() => ask({ date_to: "1d" }))).toEqual(["INVALID_BODY", "date_to"]);
    expect(refusalOf(() => askQuery("until=1d"))).toEqual(["INVALID_BODY", "until"]);
  });
});
