import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../test/support/random/cases";
import { batchEventsMax, largeBodyCharsMin } from "../domain/limits";
import { parseKeepingTexts } from "../lib/object-text";
import { acceptEvent, acceptIdentity } from "./fields";
import { LazyBody, ordinaryBodyCharsMax, parseUnlessRefused } from "./lazy-body";
import { isRefusal, type Refusal } from "./refusal";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { SubmittedBody } from "./submission";
import { likelyToken, tokenOf, unknownToken } from "./token";

type Shape = (json: unknown) => SubmittedBody | Refusal;
const shapes: readonly Shape[] = [shapeEvent, shapeBatch, shapeIdentity];

/** All that the steps up to the token can say of a body. */
function judgement(json: unknown): unknown {
  return shapes.map((shape) => {
    const body = shape(json);
    const token = isRefusal(body) ? body : tokenOf(body);
    const likely = typeof token === "string" ? null : likelyToken(json);
    return [token, likely, isRefusal(body) ? null : unknownToken(body)];
  });
}

describe("a body that is parsed lazily", () => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>("aat_1", "aat_2", "", null, 'ü\n"') },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const object = fc.constantFrom<unknown>({}, { a: [1, { b: 2 }] }, null, [], 1, "x");
  const optional = { requiredKeys: [] };
  const event = fc.record(
    {
      ...{ token: value, event: value, properties: object, user_id: value, event_id: value },
      ...{ sent_at: value, x: object },
    },
    optional,
  );
  const events = fc.oneof(fc.array(fc.oneof(event, object), { maxLength: 4 }), object);
  const body = fc.record(
    {
      ...{ token: value, event: value, properties: object, user_id: value, session_id: value },
      ...{ event_id: value, previous_id: value, traits: object, events, sent_at: value, x: object },
    },
    optional,
  );
  const spaces = fc.constantFrom(0, 1);

  test("is refused as the body is, by each operation", () => {
    fc.assert(
      fc.property(fc.oneof(body, object), spaces, (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        expect(judgement(new LazyBody(text).json)).toEqual(judgement(JSON.parse(text)));
      }),
      { numRuns: cases(100, 800) },
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
      expect([text, judgement(new LazyBody(text).json)]).toEqual([
        text,
        judgement(JSON.parse(text)),
      ]);
    }
  });

  test("of too many events is one with too many", () => {
    for (const count of [batchEventsMax, batchEventsMax + 1, 300_000]) {
      const text = `{"token":"aat_1","events":[${"{},".repeat(count - 1)}{}]}`;
      expect(judgement(new LazyBody(text).json)).toEqual(judgement(JSON.parse(text)));
    }
  });
});

/** Returns what one operation stores of a body, or the refusal. */
function outcome(json: unknown, shape: Shape): unknown {
  const body = shape(json);
  if (isRefusal(body)) return body;
  if (body.kind === "identity") return acceptIdentity(body.identity);
  return body.events.map((event) => plain(acceptEvent(event, nowMs, null, body.sentAt)));
}
const nowMs = Date.UTC(2026, 0, 14, 12);
/** Properties stay text where nobody needs to take them apart. */
const plain = (accepted: object): unknown => JSON.parse(JSON.stringify(accepted));

describe("a large body", () => {
  const pad = "x".repeat(largeBodyCharsMin);
  const parsed: string[] = [];
  const parse = (text: string): unknown => {
    parsed.push(text);
    return parseKeepingTexts(text, "properties");
  };
  const isKnown = (token: string): boolean => token === "aat_known";
  const given = (text: string, shape: Shape = shapeEvent) => {
    parsed.length = 0;
    const json = parseUnlessRefused(text, shape, isKnown, parse);
    return { json, parsedChars: parsed.reduce((sum, { length }) => sum + length, 0) };
  };

  test("is parsed only for a token that somebody has", () => {
    const text = (token: string) =>
      `{"token":"${token}","event":"e","user_id":"${pad}","properties":{"a":1}}`;
    expect(outcome(given(text("aat_known")).json, shapeEvent)).toEqual(
      outcome(JSON.parse(text("aat_known")), shapeEvent),
    );
    expect(given(text("aat_known")).parsedChars).toBeGreaterThan(0);
    const unknown = given(text("aat_other"));
    expect(unknown.parsedChars).toBe(0);
    expect(judgement(unknown.json)).toEqual(judgement(JSON.parse(text("aat_other"))));
    expect(given(`{"event":"e","pad":"${pad}"}`).parsedChars).toBe(0);
    expect(given(`{"token":"aat_known","event":1,"pad":"${pad}"}`).parsedChars).toBe(0);
  });

  /** Each is a body that is large, and thoroughly one of several hundred kilobytes. */
  const values = {
    "brackets in brackets": "[".repeat(cases(40_000, 100_000)) + "]".repeat(cases(40_000, 100_000)),
    "objects in objects": `${'{"a":'.repeat(cases(14_000, 50_000))}1${"}".repeat(cases(14_000, 50_000))}`,
    "thousands of keys": `{${Array.from({ length: cases(8_000, 30_000) }, (_, key) => `"k${key}":1`)}}`,
    "empty objects": `[${"{},".repeat(cases(25_000, 100_000))}{}]`,
    "strings of brackets": `["${'[{\\"'.repeat(cases(18_000, 100_000))}"]`,
    escapes: `"${"\\ud83d\\u00e9".repeat(cases(6_000, 60_000))}"`,
    "half characters": `["${"\\ud83d".repeat(cases(12_000, 100_000))}"]`,
    digits: "1".repeat(cases(70_000, 200_000)),
    "one key, again and again": `{${'"a":[1,2],'.repeat(cases(7_000, 30_000))}"a":1}`,
  };
  for (const [what, value] of Object.entries(values)) {
    test(`of ${what} is stored or refused as if it had been parsed, and only its bounds are`, () => {
      const event = `"token":"aat_known","event":"e","user_id":"u"`;
      const texts = [
        `{${event},"properties":{"a":${value}}}`,
        `{"properties":{"a":${value}},${event}}`,
        `{${event},"properties":{"a":${value},"a":1}}`,
        `{${event},"properties":{"a":1},"other":${value}}`,
        `{${event},"properties":{"a":${value}},"properties":{}}`,
        `{${event},"timestamp":${value}}`,
        `{${event},"previous_id":"p","traits":{"a":${value}}}`,
        `{"events":[{${event}},{${event},"properties":{"a":${value}}}]}`,
      ];
      for (const text of texts) {
        const parsed: unknown = JSON.parse(text);
        for (const shape of shapes) {
          const { json } = given(text, shape);
          expect(outcome(json, shape)).toEqual(outcome(parsed, shape));
        }
      }
      // A number and a key that comes again are within the bounds, however long their text is.
      if (what === "digits" || what === "one key, again and again") return;
      expect(given(texts[0]).parsedChars).toBe(0);
      expect(given(texts[3]).parsedChars).toBeLessThan(40);
    });
  }

  test("with a mark at its front is no JSON, as ever", () => {
    expect(() => given(`\ufeff{"token":"aat_known","event":"${pad}"}`)).toThrow(SyntaxError);
  });

  test("has each field as it was sent, and the last of what came twice", () => {
    const texts = [
      `{"token":"aat_known","event":"e","timestamp":${nowMs}.5,"event_id":"i","other":"${pad}"}`,
      `{"token":"aat_known","event":"e","timestamp":"1","other":"${pad}"}`,
      `{"token":"aat_known","event":"e","timestamp":5,"sent_at":7000.5,"other":"${pad}"}`,
      `{"token":"aat_known","event":"e","timestamp":null,"user_id":null,"other":"${pad}"}`,
      `{"token":"aat_other","event":"e","token":"aat_known","other":"${pad}","event":"f"}`,
      `{"token":"aat_known","event":"e","properties":null,"other":"${pad}"}`,
      `{"token":"aat_known","event":"e","properties":{"n":1e999},"other":"${pad}"}`,
      `{"token":"aat_known","previous_id":"a","user_id":"b","traits":{"email":"A@b.c"},"x":"${pad}"}`,
    ];
    for (const text of texts) {
      for (const shape of [shapeEvent, shapeIdentity]) {
        expect(outcome(given(text, shape).json, shape)).toEqual(outcome(JSON.parse(text), shape));
      }
    }
  });

  test("that is no JSON is not parsed either", () => {
    parsed.length = 0;
    const text = `{"token":"aat_known","event":"e","properties":{"a":"${pad}"}`;
    expect(() => parseUnlessRefused(text, shapeEvent, isKnown, parse)).toThrow(SyntaxError);
    expect(parsed).toEqual([]);
  });
});

describe("a body that is not large", () => {
  const wasParsedWhole = (text: string): boolean => {
    let isWhole = false;
    parseUnlessRefused(
      text,
      shapeEvent,
      (token) => token === "aat_known",
      (part) => {
        isWhole ||= part === text;
        return JSON.parse(part);
      },
    );
    return isWhole;
  };
  const ofChars = (token: string, chars: number): string => {
    const text = `{"token": "${token}","event":"e","other":"`;
    return `${text}${"x".repeat(chars - text.length - 2)}"}`;
  };

  test("is parsed at once, beyond what one event needs only for a token that somebody has", () => {
    expect(wasParsedWhole(ofChars("aat_other", ordinaryBodyCharsMax))).toBe(true);
    expect(wasParsedWhole(ofChars("aat_other", ordinaryBodyCharsMax + 1))).toBe(false);
    expect(wasParsedWhole(ofChars("aat_known", ordinaryBodyCharsMax + 1))).toBe(true);
    expect(wasParsedWhole(ofChars("aat_known", largeBodyCharsMin))).toBe(true);
    expect(wasParsedWhole(ofChars("aat_known", largeBodyCharsMin + 1))).toBe(false);
  });
});
