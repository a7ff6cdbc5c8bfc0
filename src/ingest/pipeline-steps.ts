import { isAllowedOrigin } from "../domain/allowed-origin";
import type { ApiError } from "../domain/errors";
import type { AcceptedEvent } from "../domain/event";
import type { EmailEntry, IdentityEntry } from "../store/port";
import { type AcceptedIdentity, acceptEvent, acceptIdentity } from "./fields";
import { isRefusal, type Refusal, refusal } from "./refusal";
import { senderAgrees } from "./sender-clock";
import type { Accepted, NotNow, SetAside, StepContext, Submission } from "./submission";

/**
 * The steps of `pipeline.ts`, one small function each. A step is a function of the submission and of what the context
 * answers. It returns a refusal and throws nothing: refusals are ordinary on the hot path.
 */

export function refuseInDoubtOfClock(
  { body, receivedAtMs }: Submission,
  { clock }: StepContext,
): NotNow | null {
  if (clock.isTrusted()) return null;
  return notNow(clock.refusal(senderAgrees(body, receivedAtMs)));
}

export function refuseOnFullDisk(_: Submission, { disk }: StepContext): NotNow | null {
  return notNow(disk.refusal());
}

export function refuseForeignOrigin({ origin, project }: Submission): Refusal | null {
  return isAllowedOrigin(origin, project.allowedOrigins) ? null : foreignOrigin;
}

export function setAsideAutomated({ automated }: Submission): SetAside | null {
  return automated === null ? null : { kind: "automated", sender: automated };
}

/** A browser's word is anybody's: who has the public token can send what it sends. */
export function setAsideBrowsersIdentity({ body, project, origin }: Submission): SetAside | null {
  const isOff = body.kind === "identity" && project.identify === "servers" && origin !== null;
  return isOff ? { kind: "identify off" } : null;
}

export function refuseOverRate(_: Submission, { limits }: StepContext): NotNow | null {
  return notNow(limits.takeRequest());
}

export function refuseOverVolume({ body }: Submission, { limits }: StepContext): NotNow | null {
  // An identity is no event: also an account whose month is full may still link its users.
  return body.kind === "identity" ? null : notNow(limits.takeEvents(body.events.length));
}

/** Fields, in the order of the items: the first that breaks a rule refuses all. */
export function acceptFields(
  submission: Submission,
  { emailDigests }: StepContext,
): Accepted | Refusal {
  const { body, project, receivedAtMs, country } = submission;
  if (body.kind === "identity") {
    const identity = acceptIdentity(body.identity);
    if (isRefusal(identity)) return identity;
    return { kind: "accepted", entry: identityEntry(identity, submission, emailDigests) };
  }
  const events: AcceptedEvent[] = [];
  for (const item of body.events) {
    const event = acceptEvent(item, receivedAtMs, country, body.sentAt);
    if (isRefusal(event)) {
      const index = body.places?.[events.length] ?? events.length;
      return body.isBatch ? { ...event, index } : event;
    }
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
  { project: { id, membership }, receivedAtMs }: Submission,
  emailDigests: StepContext["emailDigests"],
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

const notNow = (error: ApiError | null): NotNow | null =>
  error === null ? null : { kind: "not now", error };

const foreignOrigin = refusal(
  "ORIGIN_NOT_ALLOWED",
  "The project does not allow events from this origin. Add it to the project's allowed origins.",
);
