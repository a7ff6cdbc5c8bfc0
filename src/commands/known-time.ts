import { join } from "node:path";
import { type KnownTime, usedAtOf } from "../domain/clock-doubt";
import { heartbeatIn } from "../store/control/heartbeat";
import { storedTimeIn } from "../store/events/writer/stored-time";

/** Reads what the files of a data folder know of the time, beside a running server too. */
export function knownTimeIn(dataDir: string): KnownTime {
  const stored = storedTimeIn(join(dataDir, "events.db"));
  const heartbeatMs = heartbeatIn(join(dataDir, "control.db"));
  return {
    usedAtMs: usedAtOf(heartbeatMs, stored?.newestCommitMs ?? null),
    retainedFromMs: stored?.retainedFromMs ?? 0,
  };
}
