import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../domain/errors";
import { checkFields, type InputSchema, shapeBody } from "../http/operation/input";
import { acceptEvent, acceptIdentity } from "./fields";
import { isRefusal, type Refusal } from "./refusal";
import { IdentifyRequest, TrackBatchRequest, TrackRequest } from "./schema";
import { shapeBatch, shapeEvent, shapeIdentity } from "./shape";
import type { SubmittedBody } from "./submission";
import { tokenOf } from "./token";

const nowMs = Date.parse("2026-03-10T12:00:00.000Z");

/** Returns the code with which the schema refuses a body, or null. */
function codeBySchema(definition: InputSchema<unknown>, body: unknown): string | null {
  try {
    checkFields(definition, shapeBody(definition, body));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

/** Returns the code with which the hand-written checks refuse a body, or null. */
function codeByHand(shaped: SubmittedBody | Refusal): string | null {
  if (isRefusal(shaped)) return shaped.code;
  const token = tokenOf(shaped);
  if (typeof token !== "string") return token.code;
  const accepted =
    shaped.kind === "identity"
      ? [acceptIdentity(shaped.identity)]
      : shaped.events.map((event) => acceptEvent(event, nowMs, null, shaped.sentAt));
  return accepted.find(isRefusal)?.code ?? null;
}

/** There are finer codes than a schema has: which of them a schema can know, and as what. */
const asSchemaSays: Readonly<Record<string, string>> = {
  INVALID_TOKEN: "MISSING_FIELDS",
  BATCH_TOO_LARGE: "MISSING_FIELDS",
};

const text = fc.oneof(
  fc.constantFrom("", "a", "x".repeat(64), "x".repeat(65), "x".repeat(256), "x".repeat(257), "a b"),
  fc.constantFrom("😀".repeat(256), "😀".repeat(257)),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(null, 5, true, [], {}, ["a"], { a: 1 }) },
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** No properties are too large here and no times out of the window, as only ingestion itself can judge these. */
const event = fc.record({
  token: optional(fc.oneof(fc.constantFrom("aat_1"), anything)),
  event: optional(anything),
  user_id: optional(anything),
  session_id: optional(anything),
  event_id: optional(anything),
  properties: optional(fc.oneof(fc.constant({ a: 1 }), anything)),
  timestamp: optional(fc.constantFrom(nowMs, null)),
  sent_at: optional(fc.constantFrom(nowMs, 0, null)),
});

function agree(
  definition: InputSchema<unknown>,
  shape: (body: unknown) => SubmittedBody | Refusal,
  body: unknown,
) {
  // A body is received without the members that are undefined here.
  const received: unknown = JSON.parse(JSON.stringify(body));
  const byHand = codeByHand(shape(received));
  const bySchema = codeBySchema(definition, received);
  expect<string | null>(asSchemaSays[byHand ?? ""] ?? byHand).toBe(bySchema);
}

describe("the schema in the OpenAPI document and the checks agree on", () => {
  test("events", () => {
    fc.assert(fc.property(event, (body) => agree(TrackRequest, shapeEvent, body)));
  });
  test("identities", () => {
    const identity = fc.record({
      token: optional(fc.constantFrom("aat_1", "", 5)),
      previous_id: optional(anything),
      user_id: optional(anything),
      traits: optional(anything),
    });
    // The rule that equal ids need traits is none of a field, so that the schema does not have it.
    const says = identity.filter((body) => body.previous_id !== body.user_id);
    fc.assert(fc.property(says, (body) => agree(IdentifyRequest, shapeIdentity, body)));
  });
  test("the bounds of batches", () => {
    for (const count of [1, 2, 100, 101]) {
      const events = Array.from({ length: count }, () => ({ token: "aat_1", event: "e" }));
      agree(TrackBatchRequest, shapeBatch, { events });
      agree(TrackBatchRequest, shapeBatch, {
        token: "aat_1",
        events: [...events, { event: "" }].slice(-100),
      });
      agree(TrackBatchRequest, shapeBatch, { events: [...events, { event: 5 }].slice(-100) });
    }
    agree(TrackBatchRequest, shapeBatch, {});
    agree(TrackBatchRequest, shapeBatch, { events: {} });
    agree(TrackBatchRequest, shapeBatch, []);
  });
});
