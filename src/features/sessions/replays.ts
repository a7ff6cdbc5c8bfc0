import { type Caller, isNarrowed } from "../../domain/caller";
import { mayUse } from "../../http/auth/gate";
import type { Deps } from "../../http/deps";
import { Reply } from "../../http/edge/reply";
import type { SessionRow, Sessions } from "./schema";

/**
 * The rows of a page with what was recorded of their sessions. Events and recordings lie in two stores, so that they
 * are brought together here; a server without recordings passes the rows on as they are.
 */
export async function withReplays<Answer extends Sessions>(
  { replays }: Deps,
  caller: Caller,
  projectId: string,
  answer: Reply<Answer>,
  sawRecordings: (lastChange: number) => void,
): Promise<Reply<Answer>> {
  // A recording shows a session as a whole, which such a share does not see.
  if (isNarrowed(caller) || !replays.hasAny()) return answer;
  const page: { sessions: SessionRow[] } = JSON.parse(answer.json);
  const ids = page.sessions.map(({ session_id: id }) => id);
  const { found, lastChange } = await replays.ofSessions(projectId, ids);
  sawRecordings(lastChange);
  if (found.size === 0) return answer;
  // The demo may list recordings without the scope.
  const isShown = caller.isDemo || mayUse("replays:read", caller);
  const sessions = page.sessions.map((row) => {
    const { playable, newest } = found.get(row.session_id) ?? none;
    const shown = isShown ? { has_replay: playable > 0, replays: newest } : {};
    return { ...row, replay_count: playable, ...shown };
  });
  return new Reply(answer.status, JSON.stringify({ ...page, sessions }), answer.headers);
}

const none = { playable: 0, newest: [] };
