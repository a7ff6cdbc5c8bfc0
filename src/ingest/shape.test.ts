import { describe, expect, test } from "bun:test";
import { isRefusal } from "./refusal";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { SubmittedBody } from "./submission";
import { likelyToken, tokenOf, unknownToken } from "./token";

type Shaped = ReturnType<typeof shapeEvent>;
const faultOf = (shaped: Shaped) =>
  isRefusal(shaped) ? [shaped.code, shaped.field, shaped.index] : null;
const bodyOf = (shaped: Shaped): SubmittedBody => {
  if (isRefusal(shaped)) throw new Error(`refused: ${shaped.message}`);
  return shaped;
};
const wrong = (field: string, index?: number) => ["INVALID_BODY", field, index];

const noObjects = [undefined, null, [], [{}], "text", 5, true];

describe("the body of /track", () => {
  test("is an object", () => {
    for (const body of noObjects)
      expect(faultOf(shapeEvent(body))).toEqual(["INVALID_BODY", undefined, undefined]);
    expect(faultOf(shapeEvent({}))).toBeNull();
  });
  test("has texts and objects where they belong; null and unknown fields do not matter", () => {
    for (const field of ["token", "event", "user_id", "session_id", "event_id"]) {
      for (const value of [5, true, {}, []])
        expect(faultOf(shapeEvent({ [field]: value }))).toEqual(wrong(field));
      expect(faultOf(shapeEvent({ [field]: null }))).toBeNull();
    }
    for (const value of [5, true, "{}", []]) {
      expect(faultOf(shapeEvent({ properties: value }))).toEqual(wrong("properties"));
    }
    expect(
      faultOf(shapeEvent({ project: 5, kind: "refused", code: [], timestamp: "later" })),
    ).toBeNull();
  });
});

describe("the body of /track/batch", () => {
  const batch = (count: number) => ({ events: Array.from({ length: count }, () => ({})) });
  test("has 1 to 100 events", () => {
    for (const body of noObjects) expect(faultOf(shapeBatch(body))?.[0]).toBe("INVALID_BODY");
    expect(faultOf(shapeBatch({}))).toEqual(["MISSING_FIELDS", "events", undefined]);
    expect(faultOf(shapeBatch({ events: null }))).toEqual(["MISSING_FIELDS", "events", undefined]);
    expect(faultOf(shapeBatch({ events: {} }))).toEqual(wrong("events"));
    expect(faultOf(shapeBatch(batch(0)))).toEqual(wrong("events"));
    expect(faultOf(shapeBatch(batch(1)))).toBeNull();
    expect(faultOf(shapeBatch(batch(100)))).toBeNull();
    expect(faultOf(shapeBatch(batch(101)))).toEqual(["BATCH_TOO_LARGE", undefined, undefined]);
  });
  test("names the item of a wrong type", () => {
    expect(faultOf(shapeBatch({ events: [{}, { event: 5 }] }))).toEqual(wrong("event", 1));
    expect(faultOf(shapeBatch({ events: [{}, {}, null] }))).toEqual(["INVALID_BODY", undefined, 2]);
    expect(faultOf(shapeBatch({ events: [{}], token: 5 }))).toEqual(wrong("token"));
  });
});

test("the body of /identify", () => {
  for (const field of ["token", "previous_id", "user_id"]) {
    expect(faultOf(shapeIdentity({ [field]: 5 }))).toEqual(wrong(field));
  }
  expect(faultOf(shapeIdentity({ traits: [] }))).toEqual(wrong("traits"));
  expect(faultOf(shapeIdentity({ traits: null }))).toBeNull();
});

describe("the token", () => {
  const tokenIn = (shaped: Shaped) => {
    const token = tokenOf(bodyOf(shaped));
    return typeof token === "string" ? token : [token.code, token.index];
  };
  test("of one event or identity", () => {
    expect(tokenIn(shapeEvent({ token: "aat_1" }))).toBe("aat_1");
    expect(tokenIn(shapeEvent({}))).toEqual(["INVALID_TOKEN", undefined]);
    expect(tokenIn(shapeEvent({ token: "" }))).toEqual(["INVALID_TOKEN", undefined]);
    expect(tokenIn(shapeIdentity({ token: "aat_1" }))).toBe("aat_1");
    expect(tokenIn(shapeIdentity({ token: null }))).toEqual(["INVALID_TOKEN", undefined]);
  });
  test("of a batch is that of all items; the top-level one stands in", () => {
    const item = { token: "aat_1" };
    expect(tokenIn(shapeBatch({ events: [item, item] }))).toBe("aat_1");
    expect(tokenIn(shapeBatch({ token: "aat_1", events: [{}, { token: null }, item] }))).toBe(
      "aat_1",
    );
    expect(tokenIn(shapeBatch({ token: "aat_2", events: [item, item] }))).toBe("aat_1");
    expect(tokenIn(shapeBatch({ events: [item, {}] }))).toEqual(["INVALID_TOKEN", 1]);
    expect(tokenIn(shapeBatch({ events: [{}] }))).toEqual(["INVALID_TOKEN", 0]);
    expect(tokenIn(shapeBatch({ events: [item, item, { token: "aat_2" }] }))).toEqual([
      "MIXED_TOKENS",
      2,
    ]);
    expect(tokenIn(shapeBatch({ token: "aat_2", events: [{}, item] }))).toEqual([
      "MIXED_TOKENS",
      1,
    ]);
  });
  test("that nobody has is the first item's fault if that brought it", () => {
    expect(unknownToken(bodyOf(shapeEvent({ token: "aat_1" }))).index).toBeUndefined();
    expect(unknownToken(bodyOf(shapeBatch({ events: [{ token: "aat_1" }] }))).index).toBe(0);
    expect(
      unknownToken(bodyOf(shapeBatch({ token: "aat_1", events: [{}] }))).index,
    ).toBeUndefined();
  });
  test("of an unusable body is guessed, so that its owner can be told", () => {
    expect(likelyToken({ token: "aat_1", event: 5 })).toBe("aat_1");
    expect(likelyToken({ token: 5, events: [{ token: "aat_1" }] })).toBe("aat_1");
    for (const body of [null, 5, [], {}, { events: [null] }, { events: {} }, { token: 5 }]) {
      expect(likelyToken(body)).toBeNull();
    }
  });
});
