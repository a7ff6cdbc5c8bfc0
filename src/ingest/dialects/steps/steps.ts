import { type Draft, draftOf } from "../../foreign/draft";
import { eventIdFault, fitEventId } from "../../foreign/event-id";
import type { ForeignEvent, ForeignIdentity } from "../../foreign/item";
import { findPage } from "../../foreign/page";
import { gatherProperties } from "../../foreign/properties";
import type { Refusal } from "../../refusal";
import type { Recipient, Submission, SubmittedBody } from "../../submission";
import type { ItemContext } from "./context";
import { judgeAgent } from "./judge-agent";
import { nameVisitor } from "./name-visitor";

type Step = (draft: Draft, context: ItemContext) => Draft;

/** The steps from a foreign item to a submission of ours, in order: each sees what the ones before it found. */
const steps: readonly Step[] = [judgeAgent, findPage, nameVisitor, gatherProperties, fitEventId];

/** Makes a submission of an item, unless its id breaks a rule. From there on it is judged as one of /track. */
export function submissionOf(
  item: ForeignEvent | ForeignIdentity,
  project: Recipient,
  context: ItemContext,
): Submission | Refusal {
  const fault = item.kind === "event" ? eventIdFault(item.eventId) : null;
  if (fault !== null) return fault;
  let draft = draftOf(item);
  for (const step of steps) draft = step(draft, context);
  const { automated, country } = draft;
  const { origin, receivedAtMs } = context;
  const excludedSender = context.excludedSender(country);
  const sender = { origin, automated, country, excludedSender };
  return { body: bodyOf(draft), project, ...sender, receivedAtMs };
}

function bodyOf({ item, properties, visitor, eventId }: Draft): SubmittedBody {
  const { timestamp, sentAt } = item.time;
  if (item.kind === "identity") {
    const previousId = item.previousId ?? visitor;
    const userId = item.userId ?? visitor;
    // An id alone is accepted also where it brings no traits.
    const traits = item.traits ?? (previousId === userId ? {} : null);
    const ids = { previous_id: previousId, user_id: userId };
    return { kind: "identity", identity: { ...ids, traits, sent_at: sentAt ?? timestamp } };
  }
  const event = {
    event: item.name,
    properties,
    user_id: item.userId ?? visitor,
    session_id: typeof item.session === "string" ? null : item.session.id,
    ...{ timestamp, sent_at: sentAt, event_id: eventId },
  };
  return { kind: "events", events: [event], token: null, sentAt: null, isBatch: false };
}
