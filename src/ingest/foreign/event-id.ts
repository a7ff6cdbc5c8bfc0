import { eventIdCharsMax } from "../../domain/limits";
import { sha256Hex } from "../../lib/ids";
import type { Draft } from "./draft";

const fitting = new RegExp(`^[A-Za-z0-9_-]{1,${eventIdCharsMax}}$`);
const hashChars = 32;

/** Gives an event a key that ours may be: the foreign id, or the hash of one of another form. */
export function fitEventId(draft: Draft): Draft {
  const { item } = draft;
  if (item.kind !== "event" || item.eventId === null) return draft;
  const { eventId } = item;
  const fits = fitting.test(eventId);
  return { ...draft, eventId: fits ? eventId : sha256Hex(eventId).slice(0, hashChars) };
}
