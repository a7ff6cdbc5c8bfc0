import { acceptOldEvent } from "../fields";
import { draftOf } from "../foreign/draft";
import { eventIdFault, fitEventId } from "../foreign/event-id";
import type { ForeignEvent } from "../foreign/item";
import { findPage } from "../foreign/page";
import { gatherProperties } from "../foreign/properties";
import { isRefusal } from "../refusal";
import type { SubmittedEvent } from "../submission";
import type { RowContent } from "./importer";

/** An event of another product, as a file has it. */
export interface ExportedItem {
  readonly item: ForeignEvent;
  readonly country: string | null;
}

/** The row of an event of another product: it takes the steps of one that its client sends. */
export function eventRow({ item, country }: ExportedItem, nowMs: number): RowContent {
  const fault = eventIdFault(item.eventId);
  if (fault !== null) return { kind: "refused", code: fault.code };
  const found = findPage({ ...draftOf(item), agent: item.agent });
  const { properties, eventId } = fitEventId(gatherProperties(found));
  const sessionId = typeof item.session === "string" ? null : item.session.id;
  const { name: event, userId, time } = item;
  const submitted = { event, properties, user_id: userId, session_id: sessionId };
  return acceptedRow(
    { ...submitted, timestamp: time.timestamp, event_id: eventId },
    country,
    nowMs,
  );
}

/** The row of an event in our own form: what /track would refuse is refused, but for its age. */
export function acceptedRow(
  submitted: SubmittedEvent,
  country: string | null,
  nowMs: number,
  foreignId: string | null = submitted.event_id ?? null,
): RowContent {
  const event = acceptOldEvent(submitted, nowMs, country);
  if (isRefusal(event)) return { kind: "refused", code: event.code };
  return { kind: "event", event: { ...event, foreignId } };
}
