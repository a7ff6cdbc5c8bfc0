import { nameToTell } from "./bots";
import type { TrackAnswer } from "./schema";
import type { SetAside } from "./submission";

/** Tells a sender that all of its request is stored, or why some of it was set aside. */
export function answerTo(aside: SetAside | null): TrackAnswer {
  if (aside === null) return { ok: true, queued: true };
  if (aside.kind === "identify off") return { ok: true, queued: false, reason: "identify_off" };
  if (aside.kind === "excluded") return { ok: true, queued: false, reason: "excluded" };
  const actor = nameToTell(aside.sender);
  return { ok: true, queued: false, reason: "automated", actor };
}
