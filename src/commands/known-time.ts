import { join } from "node:path";
import type { KnownTime } from "../domain/clock-doubt";
import { heartbeatIn } from "../store/control/heartbeat";
import { storedTimeIn } from "../store/events/writer/stored-time";

/** Reads what the files of a data folder know of the time, beside a running server too. */
export function knownTimeIn(dataDir: string): KnownTime {
  const stored = storedTimeIn(join(dataDir, "events.db"));
  const times = [heartbeatIn(join(dataDir, "control.db")), stored?.newestCommitMs ?? null];
  return {
    usedAtMs: times.filter((ms) => ms !== null),
    retainedFromMs: stored?.retainedFromMs ?? 0,
  };
}
