import { describeFault } from "../lib/fault";
import { log } from "../lib/log";
import { TwoGenerationCache } from "../lib/two-generation-cache";
import type { ReplayStore } from "../store/replay-port";

/** The server remembers this many of the newest sessions, and at most twice as many. */
const sessionsMax = 10_000;

/**
 * The sessions of people whose ids are blocked, as their events name them. A recorder names no person, so a recording
 * may have begun before the first event: that event removes it, and no other begins in its session.
 */
export class BlockedSessions {
  readonly #known = new TwoGenerationCache<string, boolean>(sessionsMax);

  constructor(private readonly replays: Pick<ReplayStore, "remove">) {}

  add(projectId: string, sessionId: string): void {
    const key = keyOf(projectId, sessionId);
    if (this.#known.get(key, () => false)) return;
    this.#known.set(key, true);
    this.replays.remove({ projectId, sessionId }).catch((error: unknown) => {
      // The next event of the session tries again.
      this.#known.delete(key);
      log("error", "the recording of a blocked session was not removed", describeFault(error));
    });
  }

  has(projectId: string, sessionId: string): boolean {
    return this.#known.get(keyOf(projectId, sessionId), () => false);
  }
}

const keyOf = (projectId: string, sessionId: string): string => `${projectId} ${sessionId}`;
