import { batchEventsMax, largeBodyCharsMin } from "../domain/limits";
import { JsonScanner } from "../lib/json-scanner";
import { isRefusal, type Refusal } from "./refusal";
import type { Sent } from "./shape";
import { tokenOf } from "./token";

/**
 * What was sent, as far as the steps up to the token look at it: a body that these refuse is never parsed, which a
 * large one may take a tenth of a second for, and is refused as it would have been. `parse` makes all of it.
 */
export function parseUnlessRefused(
  text: string,
  shape: (json: unknown) => Sent | Refusal,
  isKnown: (token: string) => boolean,
  parse: (text: string) => unknown,
): unknown {
  if (text.length <= largeBodyCharsMin) return parse(text);
  const outline = outlineOf(text);
  const sent = shape(outline);
  const token = isRefusal(sent) ? sent : tokenOf(sent);
  return typeof token === "string" && isKnown(token) ? parse(text) : outline;
}

/**
 * The body with what its shape is judged by: its tokens, and something of the right type for each other field. Throws
 * what JSON.parse throws.
 */
export function outlineOf(text: string): unknown {
  const scanner = new JsonScanner(text);
  const outline = scanner.type === "object" ? bodyOf(scanner) : anyOf(scanner);
  scanner.end();
  return outline;
}

type Outline = Record<string, unknown>;

const judged: ReadonlySet<string> = new Set([
  ...["token", "event", "properties", "user_id", "session_id", "event_id"],
  ...["previous_id", "traits"],
]);

function bodyOf(scanner: JsonScanner): Outline {
  const body: Outline = {};
  scanner.members((key) => {
    if (key === "events") body.events = eventsOf(scanner);
    else member(scanner, body, key);
  });
  return body;
}

function eventsOf(scanner: JsonScanner): unknown {
  if (scanner.type !== "array") return anyOf(scanner);
  const events: unknown[] = [];
  scanner.items(() => {
    // One too many is enough to refuse them all.
    if (events.length > batchEventsMax) scanner.skip();
    else if (scanner.type === "object") events.push(eventOf(scanner));
    else events.push(anyOf(scanner));
  });
  return events;
}

function eventOf(scanner: JsonScanner): Outline {
  const event: Outline = {};
  scanner.members((key) => member(scanner, event, key));
  return event;
}

/** Of a key that comes twice the last counts, as for JSON.parse. */
function member(scanner: JsonScanner, outline: Outline, key: string): void {
  if (key === "token" && scanner.type === "string") outline.token = scanner.string();
  else if (judged.has(key)) outline[key] = anyOf(scanner);
  else scanner.skip();
}

/** Something of the type of what comes next. */
function anyOf(scanner: JsonScanner): unknown {
  const { type } = scanner;
  scanner.skip();
  return { object: {}, array: [], string: "", number: 0, boolean: false, null: null }[type];
}
