import type { SessionsRequest } from "../../domain/counting";
import { encodeCursor, type Question } from "../../domain/cursor";
import { allTime, type Days } from "../../domain/period";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { SessionRow, Sessions } from "./schema";

interface SessionsInput extends Filtered {
  readonly days: Days;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly isBounce: 0 | 1 | null;
  readonly limit: number;
  readonly before: SessionsRequest["before"];
  /** The question to which the next cursor is bound. */
  readonly question: Question;
  /** Tells whether the caller may see replays. */
  readonly showsReplays: boolean;
}

/** GET /sessions. */
export const sessionsRead: Read<SessionsInput, Sessions> = {
  name: "sessions",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, userId, sessionId, isBounce, limit, before, question } = input;
    const request: SessionsRequest = {
      project_id: projectId,
      user_id: userId,
      session_id: sessionId,
      is_bounce: isBounce,
      limit: limit + 1, // one more tells whether there is a next page
      before,
    };
    const rows = await snapshot.newestSessions(viewOf(projectId, days, input.filters), request);
    const replays = replaysOf(input);
    const sessions = rows.slice(0, limit).map((row) => ({ ...row, ...replays }));
    const last = rows.length > limit ? sessions.at(-1) : undefined;
    const place = last === undefined ? null : [last.start_time, last.session_id];
    const cursor = (at: (string | number)[]): string =>
      encodeCursor({ place: at, fromDay: days.from, toDay: days.to }, question);
    const warned = await warningsOf(snapshot, input, { days });
    return { sessions, next_cursor: place === null ? null : cursor(place), ...warned };
  },
};

type Replays = Pick<SessionRow, "replay_count" | "has_replay" | "replays">;

/** Returns the fields of a session without recordings; replays.ts puts in those of recorded ones. */
const replaysOf = ({ showsReplays }: SessionsInput): Replays => ({
  replay_count: 0,
  ...(showsReplays && { has_replay: false, replays: [] }),
});
