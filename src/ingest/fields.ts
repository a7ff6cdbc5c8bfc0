import { lookupEmail } from "../domain/email-digest";
import type { AcceptedEvent } from "../domain/event";
import {
  eventIdCharsMax,
  eventNameCharsMax,
  propertiesBytesMax,
  propertiesDepthMax,
  sessionIdCharsMax,
  userIdCharsMax,
} from "../domain/limits";
import { dayMs, minuteMs } from "../lib/clock";
import { ObjectText } from "../lib/object-text";
import { isLongerThan } from "../lib/text";
import {
  type JsonObject,
  judgeProperties,
  mayHaveEmailKey,
  removeEmailKeys,
  removeEmails,
} from "./properties";
import { brokenRule, type Refusal, refusal, wrongType } from "./refusal";
import type { SubmittedEvent, SubmittedIdentity } from "./submission";

const timestampPastMsMax = 30 * dayMs;
export const timestampFutureMsMax = 5 * minuteMs;

/** An identity link as ingestion admits it. */
export interface AcceptedIdentity {
  readonly previousId: string;
  readonly userId: string;
  readonly traits: JsonObject | null;
  /** The address in its normal form. Users are looked up by it, and it is not stored. */
  readonly email: string | null;
}

/**
 * The rules of one event's fields (definitions.md) in the order of their checks, and the event that obeys them.
 * `batchSentAt` is the `sent_at` of the batch, for items without one of their own.
 */
export function acceptEvent(
  submitted: SubmittedEvent,
  receivedAtMs: number,
  country: string | null,
  batchSentAt: unknown = null,
): AcceptedEvent | Refusal {
  const { timestamp = null, sent_at: sentAt } = submitted;
  const timeMs = timeOf(timestamp, sentAt ?? batchSentAt ?? null, receivedAtMs);
  return acceptAt(timeMs, submitted, country);
}

/** The same for an event of a file, which may be of any age. */
export function acceptOldEvent(
  submitted: SubmittedEvent,
  nowMs: number,
  country: string | null,
): AcceptedEvent | Refusal {
  return acceptAt(oldTimeOf(submitted.timestamp, nowMs), submitted, country);
}

function acceptAt(
  timeMs: number | Refusal,
  submitted: SubmittedEvent,
  country: string | null,
): AcceptedEvent | Refusal {
  const { event, event_id: eventId = null } = submitted;
  // An empty id is none.
  const userId = submitted.user_id || null;
  const sessionId = submitted.session_id || null;

  if (!event) return brokenRule("event", "is required");
  const properties = textOrObject(submitted.properties ?? null);
  const fault =
    textFault("event", event, eventNameCharsMax) ??
    cleanProperties(properties) ??
    textFault("user_id", userId, userIdCharsMax) ??
    textFault("session_id", sessionId, sessionIdCharsMax);
  if (fault !== null) return fault;

  if (typeof timeMs !== "number") return timeMs;
  if (eventId !== null && !eventIdPattern.test(eventId)) return eventIdIsUnusable;

  const name = event;
  return { name, timeMs, userId, sessionId, country, properties, eventId };
}

/**
 * Returns when an event happened, in whole milliseconds. A sender that says when it sent need not have a clock that is
 * right: by the same clock `timestamp` tells how old the event is, and that age is counted back from the receipt. An
 * event that seems younger than its own request, because the clock was set meanwhile, happened at the receipt.
 */
function timeOf(timestamp: unknown, sentAt: unknown, receivedAtMs: number): number | Refusal {
  if (sentAt !== null && !isTime(sentAt)) return sentAtIsNoNumber;
  if (timestamp === null) return receivedAtMs;
  if (!isTime(timestamp)) return timestampIsNoNumber;
  const timeMs = sentAt === null ? timestamp : receivedAtMs + Math.min(0, timestamp - sentAt);
  if (timeMs < receivedAtMs - timestampPastMsMax) return timestampIsTooOld;
  if (timeMs > receivedAtMs + timestampFutureMsMax) return timestampIsAhead;
  return Math.trunc(timeMs);
}

/** Files have no time of receipt that could stand in for a missing one, and nothing in them happened later than now. */
function oldTimeOf(timestamp: unknown, nowMs: number): number | Refusal {
  if (!isTime(timestamp)) return timestampIsNoNumber;
  return timestamp < 0 || timestamp > nowMs ? timestampIsOutside : Math.trunc(timestamp);
}

const isTime = (value: unknown): value is number => Number.isFinite(value);

/** The rules of a link (definitions.md, Identity). */
export function acceptIdentity(submitted: SubmittedIdentity): AcceptedIdentity | Refusal {
  const { previous_id: previousId, user_id: userId, traits = null } = submitted;
  const email = traits === null ? null : emailIn(traits);
  if (!previousId) return brokenRule("previous_id", "is required");
  if (!userId) return brokenRule("user_id", "is required");
  const fault =
    textFault("previous_id", previousId, userIdCharsMax) ??
    textFault("user_id", userId, userIdCharsMax) ??
    cleanTraits(traits);
  if (fault !== null) return fault;
  if (previousId === userId && traits === null) {
    return brokenRule("user_id", "must differ from previous_id unless you send traits");
  }
  return { previousId, userId, traits, email };
}

function emailIn(traits: JsonObject): string | null {
  const email = Object.hasOwn(traits, "email") ? traits.email : null;
  return typeof email === "string" ? lookupEmail(email) : null;
}

/** The rule of a text by which something is named. */
export function textFault(field: string, text: string | null, charsMax: number): Refusal | null {
  if (text === null) return null;
  if (isLongerThan(text, charsMax))
    return brokenRule(field, `must have at most ${charsMax} characters`);
  // Half a character cannot be written as UTF-8: two different ids would be stored as one.
  if (!text.isWellFormed())
    return brokenRule(field, "must be valid Unicode text, without lone surrogates");
  return null;
}

/** Text stays text where its length is the only thing to judge and nothing can be there to take out. */
function textOrObject(properties: JsonObject | ObjectText | null): JsonObject | ObjectText | null {
  if (!(properties instanceof ObjectText)) return properties;
  const isSmall = Buffer.byteLength(properties.text) <= propertiesBytesMax;
  return isSmall && !mayHaveEmailKey(properties) ? properties : properties.parse();
}

/** Judges properties as received, then takes addresses out of them. */
function cleanProperties(properties: JsonObject | ObjectText | null): Refusal | null {
  if (properties === null || properties instanceof ObjectText) return null;
  const { fault, hasEmailKey } = judgeProperties(properties);
  if (fault !== null) return faultOf("properties", fault);
  if (hasEmailKey) removeEmails(properties);
  return null;
}

function cleanTraits(traits: JsonObject | null): Refusal | null {
  if (traits === null) return null;
  const { fault, hasEmailKey } = judgeProperties(traits);
  if (fault !== null) return faultOf("traits", fault);
  if (hasEmailKey) removeEmailKeys(traits);
  return null;
}

function faultOf(field: string, fault: "too large" | "too deep" | "not finite"): Refusal {
  switch (fault) {
    case "too large":
      return refusal(
        "PROPERTIES_TOO_LARGE",
        `"${field}" is too large: send at most ${propertiesBytesMax} bytes of JSON.`,
      );
    case "too deep":
      return brokenRule(field, `must be nested at most ${propertiesDepthMax} levels deep`);
    case "not finite":
      return wrongType(field, "free of numbers outside the range of a 64-bit float");
  }
}

const eventIdPattern = new RegExp(`^[A-Za-z0-9_-]{1,${eventIdCharsMax}}$`);
const eventIdIsUnusable = brokenRule(
  "event_id",
  `must have 1 to ${eventIdCharsMax} characters from A-Z, a-z, 0-9, _ and -`,
);

const timestampIsNoNumber = refusal(
  "INVALID_TIMESTAMP",
  '"timestamp" must be a number: Unix milliseconds.',
);
const sentAtIsNoNumber = refusal(
  "INVALID_TIMESTAMP",
  '"sent_at" must be a number: Unix milliseconds.',
  "sent_at",
);
const timestampIsTooOld = refusal(
  "INVALID_TIMESTAMP",
  '"timestamp" is too old: it must be at most 30 days in the past. It counts Unix milliseconds.',
);
const timestampIsOutside = refusal(
  "INVALID_TIMESTAMP",
  "The time of an imported event must lie between 1970 and now.",
);
const timestampIsAhead = refusal(
  "INVALID_TIMESTAMP",
  '"timestamp" is too far ahead: it must be at most 5 minutes in the future, in Unix milliseconds. If ' +
    'the sender\'s clock is wrong, send "sent_at" too.',
);
