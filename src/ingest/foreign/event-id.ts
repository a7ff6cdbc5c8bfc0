import { eventIdCharsMax } from "../../domain/limits";
import { sha256Hex } from "../../lib/ids";
import { textFault } from "../fields";
import type { Refusal } from "../refusal";
import type { Draft } from "./draft";

/** The length of an id that another product gave an event; one that is not ours is hashed. */
const foreignIdCharsMax = 256;

/** The rule of a foreign id, before it is fitted. */
export const eventIdFault = (eventId: string | null): Refusal | null =>
  textFault("event_id", eventId, foreignIdCharsMax);

const fitting = new RegExp(`^[A-Za-z0-9_-]{1,${eventIdCharsMax}}$`);
const hashChars = 32;

/** Gives an event a key that ours may be: the foreign id, or the hash of one of another form. */
export function fitEventId(draft: Draft): Draft {
  const { item } = draft;
  if (item.kind !== "event" || item.eventId === null) return draft;
  return { ...draft, eventId: fittingId(item.eventId) };
}

export const fittingId = (eventId: string): string =>
  fitting.test(eventId) ? eventId : sha256Hex(eventId).slice(0, hashChars);
