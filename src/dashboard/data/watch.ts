import type { ReplayRow } from "./people-answers";

/**
 * Returns the recording of a session that most probably has an event: the last that had begun by then, or the first.
 * Recordings begin by the server's clock and events happen by the visitor's, so it is not certain.
 */
export function recordingAt(replays: readonly ReplayRow[], timeMs: number): ReplayRow | undefined {
  const oldestFirst = replays
    .filter(({ has_full_snapshot }) => has_full_snapshot)
    .sort((a, b) => a.started_at - b.started_at);
  return oldestFirst.findLast(({ started_at }) => started_at <= timeMs) ?? oldestFirst[0];
}
