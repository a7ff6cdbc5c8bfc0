import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { batchEventsMax, largeBodyCharsMin } from "../domain/limits";
import { outlineOf, parseUnlessRefused } from "./outline";
import { isRefusal, type Refusal } from "./refusal";
import { type Sent, shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import { likelyToken, tokenOf, unknownToken } from "./token";

type Shape = (json: unknown) => Sent | Refusal;
const shapes: readonly Shape[] = [shapeEvent, shapeBatch, shapeIdentity];

/** All that the steps up to the token can say of a body. */
function judgement(json: unknown): unknown {
  return shapes.map((shape) => {
    const sent = shape(json);
    const token = isRefusal(sent) ? sent : tokenOf(sent);
    const likely = typeof token === "string" ? null : likelyToken(json);
    return [token, likely, isRefusal(sent) ? null : unknownToken(sent)];
  });
}

describe("the outline of a body", () => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>("aat_1", "aat_2", "", null, 'ü\n"') },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const object = fc.constantFrom<unknown>({}, { a: [1, { b: 2 }] }, null, [], 1, "x");
  const optional = { requiredKeys: [] };
  const event = fc.record(
    { token: value, event: value, properties: object, user_id: value, event_id: value, x: object },
    optional,
  );
  const events = fc.oneof(fc.array(fc.oneof(event, object), { maxLength: 4 }), object);
  const body = fc.record(
    {
      ...{ token: value, event: value, properties: object, user_id: value, session_id: value },
      ...{ event_id: value, previous_id: value, traits: object, events, x: object },
    },
    optional,
  );
  const spaces = fc.constantFrom(0, 1);

  test("is refused as the body is, by each operation", () => {
    fc.assert(
      fc.property(fc.oneof(body, object), spaces, (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        expect(judgement(outlineOf(text))).toEqual(judgement(JSON.parse(text)));
      }),
      { numRuns: 3_000 },
    );
  });

  test("knows keys that come twice, are escaped, or have a meaning of their own", () => {
    const texts = [
      '{"token":"aat_1","token":1}',
      '{"token":1,"token":"aat_2"}',
      '{"\\u0074oken":"aat_1","event":"e"}',
      '{"__proto__":{"token":"aat_1"},"constructor":1}',
      '{"events":[{"token":"aat_1"}],"events":[]}',
      '{"events":[{"token":"aat_1","token":"aat_2"},{"tok\\u0065n":"aat_2"}]}',
      '{"token":"a\\u0061t_1","event":"e"}',
      ...["1", '"x"', "null", "[]", " [ ] ", "[1,2]"],
    ];
    for (const text of texts) {
      expect([text, judgement(outlineOf(text))]).toEqual([text, judgement(JSON.parse(text))]);
    }
  });

  test("of too many events is one with too many", () => {
    for (const count of [batchEventsMax, batchEventsMax + 1, 300_000]) {
      const text = `{"token":"aat_1","events":[${"{},".repeat(count - 1)}{}]}`;
      expect(judgement(outlineOf(text))).toEqual(judgement(JSON.parse(text)));
    }
  });
});

describe("a large body", () => {
  const pad = "x".repeat(largeBodyCharsMin);
  const parsed: string[] = [];
  const parse = (text: string): unknown => {
    parsed.push(text);
    return JSON.parse(text);
  };
  const isKnown = (token: string): boolean => token === "aat_known";
  const given = (text: string): { readonly json: unknown; readonly times: number } => {
    parsed.length = 0;
    const json = parseUnlessRefused(text, shapeEvent, isKnown, parse);
    return { json, times: parsed.length };
  };

  test("is parsed only for a token that somebody has", () => {
    const text = (token: string) => `{"token":"${token}","event":"e","properties":{"a":"${pad}"}}`;
    expect(given(text("aat_known")).times).toBe(1);
    expect(given(text("aat_known")).json).toEqual(JSON.parse(text("aat_known")));
    const unknown = given(text("aat_other"));
    expect(unknown.times).toBe(0);
    expect(judgement(unknown.json)).toEqual(judgement(JSON.parse(text("aat_other"))));
    expect(given(`{"event":"e","pad":"${pad}"}`).times).toBe(0);
    expect(given(`{"token":"aat_known","event":1,"pad":"${pad}"}`).times).toBe(0);
  });

  test("that is no JSON is not parsed either", () => {
    parsed.length = 0;
    const text = `{"token":"aat_known","event":"e","properties":{"a":"${pad}"}`;
    expect(() => parseUnlessRefused(text, shapeEvent, isKnown, parse)).toThrow(SyntaxError);
    expect(parsed).toEqual([]);
  });

  test("is parsed at once when it is not that large", () => {
    expect(given('{"token":"aat_other","event":"e"}').times).toBe(1);
  });
});
