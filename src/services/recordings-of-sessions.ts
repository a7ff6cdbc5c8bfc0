import type { ReplaySummary } from "../domain/replay/summary";
import type { ReplayStore } from "../store/replay-port";

/** The sessions of one question to the store of recordings. */
const sessionsPerQuestion = 500;

/** The recordings of sessions that are not being deleted. */
export async function* recordingsOf(
  replays: Pick<ReplayStore, "ofSessions">,
  projectId: string,
  sessionIds: readonly string[],
): AsyncGenerator<ReplaySummary> {
  for (let at = 0; at < sessionIds.length; at += sessionsPerQuestion) {
    const some = sessionIds.slice(at, at + sessionsPerQuestion);
    yield* (await replays.ofSessions(projectId, some)).all;
  }
}
