import { batchEventsMax } from "../domain/limits";
import { isObject } from "./properties";
import { brokenRule, type Refusal, refusal, wrongType } from "./refusal";
import type { SubmittedBody, SubmittedEvent, SubmittedIdentity } from "./submission";

/**
 * The step "JSON shape": is everything of the JSON type it should be? Written by hand, because an event of a batch is
 * to take well under a microsecond; `schema.ts` says the same to readers of the API, and a test holds the two together.
 */
export function shapeEvent(json: unknown): SubmittedBody | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  if (!isEvent(json)) return typeFault(json, eventFields);
  return { kind: "events", events: [json], token: null, sentAt: null, isBatch: false };
}

export function shapeBatch(json: unknown): SubmittedBody | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  const { token, events, sent_at: sentAt = null } = json;
  if (!isText(token)) return wrongType("token", "a string");
  if (events === undefined || events === null) {
    return brokenRule("events", `is required: send a list of 1 to ${batchEventsMax} events`);
  }
  if (!Array.isArray(events)) return wrongType("events", "a list");
  if (events.length === 0) return refusal("INVALID_BODY", '"events" must not be empty.', "events");
  if (events.length > batchEventsMax) {
    return refusal("BATCH_TOO_LARGE", `Send at most ${batchEventsMax} events in one batch.`);
  }
  const index = events.findIndex((item) => !isEvent(item));
  if (index >= 0) return { ...typeFault(events[index], eventFields), index };
  return { kind: "events", events, token: token ?? null, sentAt, isBatch: true };
}

export function shapeIdentity(json: unknown): SubmittedBody | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  if (!isIdentity(json)) return typeFault(json, identityFields);
  return { kind: "identity", identity: json };
}

interface FieldType {
  readonly name: string;
  readonly has: (value: unknown) => boolean;
  readonly wanted: string;
}

const isText = (value: unknown): value is string | null | undefined =>
  typeof value === "string" || value === undefined || value === null;
const isObjectOrAbsent = (value: unknown): boolean =>
  value === undefined || value === null || isObject(value);

const text = (name: string): FieldType => ({ name, has: isText, wanted: "a string" });
const object = (name: string): FieldType => ({ name, has: isObjectOrAbsent, wanted: "an object" });

const eventFields: readonly FieldType[] = [
  text("token"),
  text("event"),
  object("properties"),
  text("user_id"),
  text("session_id"),
  text("event_id"),
];
const identityFields: readonly FieldType[] = [
  text("token"),
  text("previous_id"),
  text("user_id"),
  object("traits"),
];

const isEvent = (json: unknown): json is SubmittedEvent => hasTypes(json, eventFields);
const isIdentity = (json: unknown): json is SubmittedIdentity => hasTypes(json, identityFields);

function hasTypes(json: unknown, fields: readonly FieldType[]): boolean {
  if (!isObject(json)) return false;
  for (const { name, has } of fields) if (!has(json[name])) return false;
  return true;
}

/** Returns a refusal that names the first field of a wrong type. */
function typeFault(json: unknown, fields: readonly FieldType[]): Refusal {
  if (!isObject(json)) return refusal("INVALID_BODY", "Each event must be a JSON object.");
  const wrong = fields.find(({ name, has }) => !has(json[name]));
  return wrong === undefined ? bodyIsNoObject : wrongType(wrong.name, wrong.wanted);
}

const bodyIsNoObject = refusal("INVALID_BODY", "The request body must be a JSON object.");
