import type { Deps } from "../../../http/deps";
import { clock } from "../../../lib/clock";
import { describeFault } from "../../../lib/fault";
import { log } from "../../../lib/log";
import { openSessionsRead } from "../../../reads/open-sessions";
import { timestampFutureMsMax } from "../../fields";
import type { Recipient } from "../../submission";
import { type OpenSessions, sessionGapMsMax } from "./open-sessions";

/**
 * Reads the sessions back that were open when the server was stopped, so that they go on. It asks the store once for a
 * project, before the first of its items after a start; what begins later than a session may be silent needs none.
 */
export class RestoredSessions {
  readonly #startedMs = clock.nowMs();
  readonly #projects = new Map<string, Promise<void>>();

  constructor(
    private readonly store: Deps["store"],
    private readonly sessions: OpenSessions,
  ) {}

  /** Resolves when the sessions of a project are known; null where they are. */
  ready(project: Recipient, nowMs: number): Promise<void> | null {
    if (Math.abs(nowMs - this.#startedMs) > sessionGapMsMax) {
      this.#projects.clear();
      return null;
    }
    const known = this.#projects.get(project.id);
    if (known !== undefined) return known;
    const reading = this.#read(project, nowMs);
    this.#projects.set(project.id, reading);
    return reading;
  }

  async #read({ id, accountId }: Recipient, nowMs: number): Promise<void> {
    // Senders' clocks may be ahead.
    const toMs = nowMs + timestampFutureMsMax + 1;
    const input = { projectId: id, fromMs: nowMs - sessionGapMsMax, toMs };
    const request = { accountId, signal: new AbortController().signal, arrivedAtMs: nowMs };
    try {
      const { json } = await this.store.read(openSessionsRead, input, request);
      const { sessions }: Found = JSON.parse(json);
      // The latest of a user comes first, and stays.
      for (const { user_id, session_id, last_ms } of sessions) {
        this.sessions.restore(id, user_id, { id: session_id, lastMs: last_ms });
      }
    } catch (error) {
      // Without them visits that go on over the start count as two, which is no reason to lose what comes now.
      log("warn", "the open sessions of a project could not be read", describeFault(error));
    }
  }
}

interface Found {
  readonly sessions: readonly {
    readonly session_id: string;
    readonly user_id: string;
    readonly last_ms: number;
  }[];
}
