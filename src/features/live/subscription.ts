import { invalidField } from "../../domain/errors";
import { textOf } from "../../domain/filter";
import { eventNameCharsMax, filterValueCharsMax, propertyKeyCharsMax } from "../../domain/limits";
import { digestInMask, digestOf } from "../../domain/trust/flagged";
import { codePointCount } from "../../lib/text";
import type { StoredEvent } from "../../store/port";

const liveFilterPairsMax = 20;
const liveNamesWantedMax = 100;

/** The events of a project that a listener asks for, as `connected` tells it. */
export interface Subscription {
  /** Names, any of which; none is all. */
  readonly events: readonly string[];
  /** All must hold. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Reads the parameters of a request. Throws MISSING_FIELDS. */
export function subscriptionOfQuery(input: {
  readonly events?: string;
  readonly filter?: string;
}): Subscription {
  const events = input.events ? input.events.split(",") : [];
  const pairs = input.filter ? input.filter.split(";").map(pairOf) : [];
  return checked(events, pairs);
}

/** Reads the fields of a message, whose JSON types are right. Throws MISSING_FIELDS. */
export function subscriptionOfMessage(
  events: readonly string[],
  filter: Readonly<Record<string, unknown>>,
): Subscription {
  const pairs = Object.entries(filter).map(([key, value]): [string, string] => {
    const text = textOf(value);
    if (text === null) throw invalidField("filter", "A value in `filter` must not be null.");
    return [key, text];
  });
  return checked(events, pairs);
}

/** Equal for two subscriptions that let the same events pass. */
export const keyOf = ({ events, filter }: Subscription): string =>
  JSON.stringify([[...new Set(events)].sort(), Object.entries(filter).sort()]);

/**
 * Makes a function that tells whether an event passes. Values are equal as texts (`eq` in definitions.md, Filters); one
 * that is missing equals none.
 */
export function matcherOf({ events, filter }: Subscription): (event: StoredEvent) => boolean {
  const names = events.map(equalJson);
  const tests = Object.entries(filter).map(([key, value]) => testOf(key, value));
  return (event) =>
    (names.length === 0 || names.some((isName) => isName(event.name))) &&
    tests.every((passes) => passes(event));
}

function testOf(key: string, value: string): (event: StoredEvent) => boolean {
  const isValue = equalJson(value);
  switch (key) {
    case "country":
      return (event) => isValue(event.country);
    case "user_id":
      return (event) => isValue(event.userId);
    case "session_id":
      return (event) => isValue(event.sessionId);
    default:
      return (event) => {
        const property = event.property(key);
        return property !== null && isValue(JSON.stringify(property));
      };
  }
}

/**
 * Makes a function that tells whether a JSON text is that of a value, or of the flagged text that the value is a mask
 * of.
 */
function equalJson(value: string): (json: string) => boolean {
  const json = JSON.stringify(value);
  const digest = digestInMask(value);
  if (digest === null) return (other) => other === json;
  return (other) => other === json || (other !== "null" && digestOf(JSON.parse(other)) === digest);
}

/** Split at the first colon: values hold further ones. */
function pairOf(text: string): [string, string] {
  const colon = text.indexOf(":");
  if (colon >= 0) return [text.slice(0, colon), text.slice(colon + 1)];
  throw invalidField("filter", "`filter` must be key:value pairs separated by semicolons.");
}

function checked(events: readonly string[], pairs: readonly (readonly [string, string])[]) {
  if (events.length > liveNamesWantedMax) {
    throw invalidField("events", `\`events\` takes at most ${liveNamesWantedMax} names.`);
  }
  if (events.some((name) => !hasLength(name, 1, eventNameCharsMax))) {
    const message = `Each name in \`events\` must have 1 to ${eventNameCharsMax} characters.`;
    throw invalidField("events", message);
  }
  if (pairs.length > liveFilterPairsMax) {
    throw invalidField("filter", `\`filter\` takes at most ${liveFilterPairsMax} pairs.`);
  }
  for (const [key, value] of pairs) {
    if (!hasLength(key, 1, propertyKeyCharsMax)) {
      const message = `Each key in \`filter\` must have 1 to ${propertyKeyCharsMax} characters.`;
      throw invalidField("filter", message);
    }
    if (!hasLength(value, 0, filterValueCharsMax)) {
      const message = `Each value in \`filter\` must have at most ${filterValueCharsMax} characters.`;
      throw invalidField("filter", message);
    }
  }
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) {
    throw invalidField("filter", "`filter` has the same key twice. Send each key once.");
  }
  // `__proto__` is a key like any other.
  return { events, filter: Object.fromEntries(pairs) };
}

function hasLength(text: string, min: number, max: number): boolean {
  return text.length >= min && codePointCount(text) <= max;
}
