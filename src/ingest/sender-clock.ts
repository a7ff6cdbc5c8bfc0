import { clockDistanceMsMax } from "../domain/clock-doubt";
import type { SubmittedBody, SubmittedEvent } from "./submission";

/**
 * Tells whether the clock of the sender says about the same as ours. While ours is in doubt, such a sender is a
 * witness: its events are dated right, so a server that was off for a week takes them at once.
 */
export function senderAgrees(body: SubmittedBody, nowMs: number): boolean {
  const isNear = (ms: unknown): boolean =>
    typeof ms === "number" && Math.abs(ms - nowMs) <= clockDistanceMsMax;
  if (body.kind === "identity") return isNear(body.identity.sent_at);
  const timeSaid = ({ sent_at, timestamp }: SubmittedEvent) => sent_at ?? body.sentAt ?? timestamp;
  return body.events.every((event) => isNear(timeSaid(event)));
}
