import { isAllowedOrigin } from "../domain/allowed-origin";
import type { AcceptedEvent } from "../domain/event";
import type { EmailEntry, IdentityEntry } from "../store/port";
import { type AcceptedIdentity, acceptEvent, acceptIdentity } from "./fields";
import { isRefusal, refusal } from "./refusal";
import type { Outcome, Submission } from "./submission";

/** The steps of `pipeline.ts`, one small function each. */

export function refuseForeignOrigin({ origin, project }: Submission): Outcome | null {
  return isAllowedOrigin(origin, project.allowedOrigins) ? null : foreignOrigin;
}

export function setAsideAutomated({ automated }: Submission): Outcome | null {
  return automated === null ? null : { kind: "automated", sender: automated };
}

/** A browser's word is anybody's: who has the public token can send what it sends. */
export function setAsideBrowsersIdentity({ sent, project, origin }: Submission): Outcome | null {
  const isOff = sent.kind === "identity" && project.identify === "servers" && origin !== null;
  return isOff ? { kind: "identify off" } : null;
}

export function refuseOverRate({ allowance }: Submission): Outcome | null {
  allowance.spendRequest();
  return null;
}

export function refuseOverVolume({ allowance, sent }: Submission): Outcome | null {
  // An identity is no event: also an account whose month is full may still link its users.
  if (sent.kind === "events") allowance.reserveEvents(sent.events.length);
  return null;
}

/** Fields, in the order of the items: the first that breaks a rule refuses all. */
export function acceptFields(submission: Submission): Outcome {
  const { sent, project, receivedAtMs, country } = submission;
  if (sent.kind === "identity") {
    const identity = acceptIdentity(sent.identity);
    if (isRefusal(identity)) return identity;
    return { kind: "accepted", entry: identityEntry(identity, submission) };
  }
  const events: AcceptedEvent[] = [];
  for (const item of sent.events) {
    const event = acceptEvent(item, receivedAtMs, country, sent.sentAt);
    if (isRefusal(event)) return sent.isBatch ? { ...event, index: events.length } : event;
    events.push(event);
  }
  return {
    kind: "accepted",
    entry: { kind: "events", projectId: project.id, receivedAtMs, events },
  };
}

/** The address itself goes no further than here: what is stored are its digests. */
function identityEntry(
  { email, ...identity }: AcceptedIdentity,
  { project: { id, membership }, receivedAtMs, emailDigests }: Submission,
): IdentityEntry {
  const emails: EmailEntry[] = [];
  if (email !== null) {
    emails.push({ membership: null, digest: emailDigests.of(`project:${id}`, email) });
  }
  if (email !== null && membership !== null) {
    const digest = emailDigests.of(`portfolio:${membership.portfolioId}`, email);
    emails.push({ membership: membership.id, digest });
  }
  return {
    kind: "identity",
    projectId: id,
    receivedAtMs,
    ...identity,
    ...(membership !== null && { membership: membership.id }),
    ...(emails.length > 0 && { emails }),
  };
}

const foreignOrigin = refusal(
  "ORIGIN_NOT_ALLOWED",
  "This origin is not among the project's allowed origins. Add it to the project.",
);
