import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { ApiError } from "../../domain/errors";
import { pageSize, schema, trimmed } from "../../lib/schema";
import {
  checkFields,
  type InputSchema,
  refuseUnknownParameters,
  shapeBody,
  shapeQuery,
} from "./input";

const Note = schema(
  Type.Object({
    project: Type.String({ minLength: 1 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    order: Type.Enum(["asc", "desc"], { default: "desc" }),
    limit: pageSize({ min: 1, max: 1000, default: 100 }, "Rows."),
    hours: Type.Optional(Type.Number({ minimum: 1, maximum: 8760 })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
    deep: Type.Optional(Type.Boolean()),
    any: Type.Optional(Type.Unknown()),
    steps: Type.Optional(
      Type.Array(
        Type.Union([Type.String(), Type.Object({ event: Type.String({ maxLength: 2 }) })]),
        {
          maxItems: 2,
        },
      ),
    ),
    glossary: Type.Optional(
      Type.Array(
        Type.Object(
          { term: Type.String({ minLength: 1 }), note: Type.Optional(Type.String()) },
          { additionalProperties: false },
        ),
      ),
    ),
  }),
);
const ofBody = (json: unknown) => checkFields(Note, shapeBody(Note, json));
const ofQuery = (text: string) => checkFields(Note, shapeQuery(Note, new URLSearchParams(text)));

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
const inBody = (fields: object) => refusalOf(() => ofBody({ project: "shop", ...fields }));
const inQuery = (text: string) => refusalOf(() => ofQuery(`project=shop&${text}`));

describe("a body", () => {
  test("has its defaults filled in, and null for absent, whatever the name", () => {
    const body = { project: "shop", name: null, order: null, limit: null, colour: null };
    expect(ofBody(body)).toEqual({ project: "shop", order: "desc", limit: 100 });
  });

  test("may be empty where nothing is required", () => {
    const Free = schema(Type.Object({ note: Type.Optional(Type.String()) }));
    expect(checkFields(Free, shapeBody(Free, undefined))).toEqual({});
  });

  test("has texts trimmed where the schema says so, before their length is looked at", () => {
    const Titled = schema(
      Type.Object({ titles: Type.Array(trimmed({ minLength: 1, maxLength: 2 })) }),
    );
    const titles = (...sent: readonly string[]) =>
      checkFields(Titled, shapeBody(Titled, { titles: sent })).titles;
    expect(titles(" ab\n", "c")).toEqual(["ab", "c"]);
    expect(refusalOf(() => titles("a", " \t"))).toEqual(["MISSING_FIELDS", "titles[1]"]);
    expect(refusalOf(() => titles(" abc "))).toEqual(["MISSING_FIELDS", "titles[0]"]);
  });

  test("must be an object", () => {
    for (const json of [null, [], 1, "text", true]) {
      expect(refusalOf(() => ofBody(json))).toEqual(["INVALID_BODY", undefined]);
    }
  });

  test("is INVALID_BODY where a value has the wrong JSON type", () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ name: 1 }, "name"],
      [{ order: 1 }, "order"],
      [{ limit: "5" }, "limit"],
      [{ limit: 1.5 }, "limit"],
      [{ days: 1.5 }, "days"],
      [{ hours: "1" }, "hours"],
      [{ deep: 1 }, "deep"],
      [{ steps: "a" }, "steps"],
      [{ steps: ["a", 1] }, "steps[1]"],
      [{ steps: [{ event: 1 }] }, "steps[0].event"],
      [{ glossary: [{ term: "a", note: 1 }] }, "glossary[0].note"],
      [{ glossary: [{ term: "a", extra: 1 }] }, "glossary[0].extra"],
      [{ glossary: [{ term: "a", extra: null }] }, "glossary[0].extra"],
      [{ colour: "red" }, "colour"],
      [{ colour: false }, "colour"],
      [{ steps: [{ event: "a", filter: [] }] }, "steps[0].filter"],
      [{ project: ["shop"] }, "project"],
    ];
    for (const [fields, field] of wrong) expect(inBody(fields)).toEqual(["INVALID_BODY", field]);
  });

  test("is MISSING_FIELDS where a value is absent, empty or breaks its rule", () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ project: undefined }, "project"],
      [{ project: "" }, "project"],
      [{ name: "" }, "name"],
      [{ name: "abcd" }, "name"],
      [{ order: "up" }, "order"],
      [{ hours: 0.5 }, "hours"],
      [{ hours: 8760.5 }, "hours"],
      [{ days: 91 }, "days"],
      [{ steps: ["a", "b", "c"] }, "steps"],
      [{ steps: ["a", { event: "abc" }] }, "steps[1]"],
      [{ glossary: [{}] }, "glossary[0].term"],
      [{ glossary: [{ term: null }] }, "glossary[0].term"],
    ];
    for (const [fields, field] of wrong) {
      const [code, named] = inBody(fields);
      expect([code, named?.startsWith(field)]).toEqual(["MISSING_FIELDS", true]);
    }
  });

  test("counts code points, not UTF-16 units", () => {
    expect(ofBody({ project: "shop", name: "😀😀😀" }).name).toBe("😀😀😀");
    expect(inBody({ name: "😀😀😀😀" })).toEqual(["MISSING_FIELDS", "name"]);
  });

  test("has its page sizes clamped on both sides", () => {
    const limits = [-5, 0, 1, 1000, 1001, 1e300].map((limit) => ofBody({ project: "shop", limit }));
    expect(limits.map(({ limit }) => limit)).toEqual([1, 1, 1, 1000, 1000, 1000]);
  });

  test("never reaches a prototype", () => {
    const body = (text: string): unknown => JSON.parse(text);
    const sent = body('{"project":"shop","__proto__":null,"any":{"__proto__":1}}');
    expect(ofBody(sent).name).toBeUndefined();
    expect(JSON.stringify(ofBody(sent).any)).toBe('{"__proto__":1}');
    for (const name of ["__proto__", "constructor", "toString"]) {
      const refused = body(`{"project":"shop","${name}":{"name":"abc"}}`);
      expect(refusalOf(() => ofBody(refused))).toEqual(["INVALID_BODY", name]);
    }
  });

  test("is told which field was meant, at any depth", () => {
    const suggested = (fields: object) => extrasOf(() => ofBody({ project: "shop", ...fields }));
    expect(suggested({ Limit: 1 })).toEqual({ field: "Limit", suggested_field: "limit" });
    expect(suggested({ colour: 1 })).toEqual({ field: "colour" });
    expect(suggested({ steps: ["a", { evnt: "b" }] })).toEqual({
      field: "steps[1].evnt",
      suggested_field: "steps[1].event",
    });
    // The answer shows a part of a name that is too long.
    expect(suggested({ ["x".repeat(5_000)]: 1 })).toEqual({ field: "x".repeat(128) });
  });
});

describe("a query string", () => {
  test("has natural types after it is read", () => {
    expect(ofQuery("project=shop&limit=5&hours=1.5&days=7&deep=1")).toEqual({
      project: "shop",
      order: "desc",
      limit: 5,
      hours: 1.5,
      days: 7,
      deep: true,
    });
    const booleans = ["1", "true", "0", "false"].map((text) =>
      ofQuery(`project=shop&deep=${text}`),
    );
    expect(booleans.map(({ deep }) => deep)).toEqual([true, true, false, false]);
  });

  test("has page sizes clamped, and absent where they are no integers", () => {
    const limits = ["0", "-3", "1001", "99999999999999999999", "5.5", "abc", "", "1e3"].map(
      (text) => ofQuery(`project=shop&limit=${text}`),
    );
    expect(limits.map(({ limit }) => limit)).toEqual([1, 1, 1000, 1000, 100, 100, 100, 100]);
  });

  test("is MISSING_FIELDS in all else that breaks a rule", () => {
    const wrong = [
      "deep=yes",
      "deep=",
      "deep=2",
      "days=1.5",
      "days=0",
      "days=91",
      "hours=x",
      "order=up",
    ];
    for (const text of wrong) {
      expect(inQuery(text)).toEqual(["MISSING_FIELDS", text.slice(0, text.indexOf("="))]);
    }
    expect(refusalOf(() => ofQuery("limit=5"))).toEqual(["MISSING_FIELDS", "project"]);
  });
});

test("messages are sentences, and of a few values all are told", () => {
  const Said = schema(
    Type.Object({
      client_type: Type.String({ minLength: 1, maxLength: 3 }),
      order: Type.Optional(Type.Enum(["asc", "desc"])),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
      steps: Type.Optional(Type.Array(Type.String({ minLength: 2 }), { minItems: 1, maxItems: 2 })),
      event_id: Type.Optional(Type.String({ pattern: "^[a-z]+$" })),
      confirm: Type.Optional(Type.Literal("delete")),
      version: Type.Optional(Type.Literal(1)),
    }),
  );
  const said = (fields: object): readonly unknown[] => {
    try {
      checkFields(Said, fields);
    } catch (error) {
      if (error instanceof ApiError) return [error.message, error.extras.allowed];
    }
    return [];
  };
  const client_type = "cli";
  expect(said({})).toEqual(['"client_type" is required.', undefined]);
  expect(said({ client_type: "" })).toEqual(['"client_type" must not be empty.', undefined]);
  expect(said({ client_type: "long" })[0]).toBe('"client_type" must have at most 3 characters.');
  expect(said({ client_type, order: "up" })).toEqual([
    '"order" must be one of asc, desc.',
    ["asc", "desc"],
  ]);
  expect(said({ client_type, order: "dsc" })[0]).toBe(
    '"order" must be one of asc, desc. Did you mean "desc"?',
  );
  expect(said({ client_type, days: 0 })[0]).toBe('"days" must be at least 1.');
  expect(said({ client_type, days: 91 })[0]).toBe('"days" must be at most 90.');
  expect(said({ client_type, days: "x" })[0]).toBe('"days" must be of type integer.');
  expect(said({ client_type, steps: [] })[0]).toBe('"steps" must have at least 1 item.');
  expect(said({ client_type, steps: ["a"] })[0]).toBe(
    '"steps[0]" must have at least 2 characters.',
  );
  expect(said({ client_type, steps: ["ab", "ab", "ab"] })[0]).toBe(
    '"steps" must have at most 2 items.',
  );
  expect(said({ client_type, event_id: "A" })[0]).toBe('"event_id" must match ^[a-z]+$.');
  expect(said({ client_type, confirm: "yes" })[0]).toBe('"confirm" must be "delete".');
  expect(said({ client_type, version: 2 })[0]).toBe('"version" must be 1.');
  expect(said({ client_type, event_id: "a", confirm: "delete", version: 1 })).toEqual([]);
});

test("a parameter may be repeated, but not with another value", () => {
  const check = (text: string) => refuseUnknownParameters(Note, new URLSearchParams(text));
  expect(() => check("project=a&project=a&key=x&key=y")).not.toThrow();
  expect(refusalOf(() => check("project=a&project=b"))).toEqual(["MISSING_FIELDS", "project"]);
});

test("shape comes before rules: a wrong type anywhere is told first", () => {
  const filters = Array.from({ length: 30 }, () => ({ term: "" }));
  expect(inBody({ glossary: [...filters, { term: 1 }] })).toEqual([
    "INVALID_BODY",
    "glossary[30].term",
  ]);
});

test("alternatives of one JSON type are left to the check of fields", () => {
  const Filter = schema(
    Type.Object({
      filter: Type.Union([
        Type.Object({ field: Type.String() }),
        Type.Object({ property: Type.String() }),
      ]),
    }),
  );
  const take = <T>(definition: InputSchema<T>, json: unknown) =>
    checkFields(definition, shapeBody(definition, json));
  expect(take(Filter, { filter: { property: "plan" } })).toEqual({ filter: { property: "plan" } });
  expect(refusalOf(() => take(Filter, { filter: {} }))[0]).toBe("MISSING_FIELDS");
});
