import { batchEventsMax } from "../domain/limits";
import type { ObjectText } from "../lib/object-text";
import { isObject, type SentObject } from "./properties";
import { brokenRule, type Refusal, refusal, wrongType } from "./refusal";

/** An event as it was sent, of the right JSON types. Null is the same as absent. */
export interface SentEvent {
  readonly token?: string | null;
  readonly event?: string | null;
  readonly properties?: SentObject | ObjectText | null;
  readonly user_id?: string | null;
  readonly session_id?: string | null;
  /** The times may have any type, as all their rules have one code of their own. */
  readonly timestamp?: unknown;
  readonly sent_at?: unknown;
  readonly event_id?: string | null;
}

export interface SentIdentity {
  readonly token?: string | null;
  readonly previous_id?: string | null;
  readonly user_id?: string | null;
  readonly traits?: SentObject | null;
  /** Looked at only while the server's clock is in doubt, whatever its type. */
  readonly sent_at?: unknown;
}

/** A body of the right shape. */
export type Sent =
  | {
      readonly kind: "events";
      readonly events: readonly SentEvent[];
      /** Stands in for items without a token of their own. */
      readonly token: string | null;
      /** Stands in for items without a `sent_at` of their own; of any type, like theirs. */
      readonly sentAt: unknown;
      /** Tells whether refusals name the item. */
      readonly isBatch: boolean;
    }
  | { readonly kind: "identity"; readonly identity: SentIdentity };

/**
 * The step "JSON shape": is everything of the JSON type it should be? Written by hand, because an event of a batch is
 * to take well under a microsecond; `schema.ts` says the same to readers of the API, and a test holds the two together.
 */
export function shapeEvent(json: unknown): Sent | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  if (!isSentEvent(json)) return typeFault(json, eventFields);
  return { kind: "events", events: [json], token: null, sentAt: null, isBatch: false };
}

export function shapeBatch(json: unknown): Sent | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  const { token, events, sent_at: sentAt = null } = json;
  if (!isText(token)) return wrongType("token", "a string");
  if (events === undefined || events === null) {
    return brokenRule("events", `is required: a list of 1 to ${batchEventsMax} events`);
  }
  if (!Array.isArray(events)) return wrongType("events", "a list");
  if (events.length === 0) return refusal("INVALID_BODY", '"events" must not be empty.', "events");
  if (events.length > batchEventsMax) {
    return refusal("BATCH_TOO_LARGE", `Send at most ${batchEventsMax} events in one batch.`);
  }
  const index = events.findIndex((item) => !isSentEvent(item));
  if (index >= 0) return { ...typeFault(events[index], eventFields), index };
  return { kind: "events", events, token: token ?? null, sentAt, isBatch: true };
}

export function shapeIdentity(json: unknown): Sent | Refusal {
  if (!isObject(json)) return bodyIsNoObject;
  if (!isSentIdentity(json)) return typeFault(json, identityFields);
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

const isSentEvent = (json: unknown): json is SentEvent => hasTypes(json, eventFields);
const isSentIdentity = (json: unknown): json is SentIdentity => hasTypes(json, identityFields);

function hasTypes(json: unknown, fields: readonly FieldType[]): boolean {
  if (!isObject(json)) return false;
  for (const { name, has } of fields) if (!has(json[name])) return false;
  return true;
}

/** Returns a refusal that names the first field of a wrong type. */
function typeFault(json: unknown, fields: readonly FieldType[]): Refusal {
  if (!isObject(json)) return refusal("INVALID_BODY", "Every event must be a JSON object.");
  const wrong = fields.find(({ name, has }) => !has(json[name]));
  return wrong === undefined ? bodyIsNoObject : wrongType(wrong.name, wrong.wanted);
}

const bodyIsNoObject = refusal("INVALID_BODY", "The body must be a JSON object.");
