import { type Automated, nameToTell } from "./bots";
import type { TrackAnswer } from "./schema";

/** What a sender is told: that all of it is stored, or as whom it was set aside. */
export const answerTo = (automated: Automated | null): TrackAnswer =>
  automated === null
    ? { ok: true, queued: true }
    : { ok: true, queued: false, reason: "automated", actor: nameToTell(automated) };
