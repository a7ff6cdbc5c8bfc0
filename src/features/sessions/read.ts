import type { SessionsRequest } from "../../domain/counting";
import { encodeCursor, type Question } from "../../domain/cursor";
import { allTime, type Days } from "../../domain/period";
import { durationBuckets, engagedFromBucket } from "../../domain/session";
import { roundTo } from "../../lib/round";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Distribution, SessionRow, Sessions } from "./schema";

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
interface DistributionInput extends Filtered {
  readonly days: Days;
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

/** Sums per bucket of durations, in order; buckets without sessions are left out. */
interface DurationRow {
  readonly bucket: number;
  readonly sessions: number;
  readonly bounces: number;
  readonly events: number;
}

/** GET /sessions/distribution. */
export const distributionRead: Read<DistributionInput, Distribution> = {
  name: "sessions-distribution",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, days, filters } = input;
    const groups = await snapshot.sessionGroups(viewOf(projectId, days, filters), "duration");
    const rows = groups
      .map(({ label, ...sums }): DurationRow => ({ bucket: Number(label), ...sums }))
      .sort((a, b) => a.bucket - b.bucket);
    const total = rows.reduce((sum, { sessions }) => sum + sessions, 0);
    const engaged = rows
      .filter(({ bucket }) => bucket >= engagedFromBucket)
      .reduce((sum, { sessions }) => sum + sessions, 0);
    return {
      distribution: rows.map(({ bucket, sessions, bounces, events }) => ({
        bucket: labelOf(bucket),
        sessions,
        bounces,
        avg_events: roundTo(events / sessions, 1),
        pct: roundTo((sessions / total) * 100, 1),
      })),
      median_bucket: medianOf(rows, total),
      engaged_pct: total === 0 ? 0 : roundTo((engaged / total) * 100, 1),
      ...(await warningsOf(snapshot, input, { days })),
    };
  },
};

/** The first bucket by which half of the sessions are counted. */
function medianOf(rows: readonly DurationRow[], total: number): Distribution["median_bucket"] {
  let counted = 0;
  for (const { bucket, sessions } of rows) {
    counted += sessions;
    if (counted * 2 >= total) return labelOf(bucket);
  }
  return null;
}

const labelOf = (bucket: number) => durationBuckets[bucket].label;
