import { clockDistanceMsMax } from "../domain/clock-doubt";
import type { Sent, SentEvent } from "./shape";

/**
 * Tells whether the clock of the sender says about the same as ours. While ours is in doubt, such a sender is a
 * witness: its events are dated right, so a server that was off for a week takes them at once.
 */
export function senderAgrees(sent: Sent, nowMs: number): boolean {
  const isNear = (ms: unknown): boolean =>
    typeof ms === "number" && Math.abs(ms - nowMs) <= clockDistanceMsMax;
  if (sent.kind === "identity") return isNear(sent.identity.sent_at);
  const timeSaid = ({ sent_at, timestamp }: SentEvent) => sent_at ?? sent.sentAt ?? timestamp;
  return sent.events.every((event) => isNear(timeSaid(event)));
}
