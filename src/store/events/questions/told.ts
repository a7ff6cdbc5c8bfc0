import type { ToldOf, ToldWindow } from "../../port";
import type { OpenSnapshot } from "./open-snapshot";

/** What a snapshot says of the data that a read saw in it. */

export const VERSION = `
  select coalesce(sum(data_version), 0) as version from project
  where name in (select value from json_each(?))`;

const AUTOMATED = `
  select coalesce(sum(requests), 0) as requests from automated_day
  where project_id = :project and date >= :from and date <= :to`;

export function windowTold(snapshot: OpenSnapshot, window: ToldOf): ToldWindow {
  const found = window.projectIds.map((projectId): ToldWindow => {
    const { number: project, retainedFromMs } = snapshot.project(projectId);
    const rows = snapshot.segmentRows({ projectId, ...window });
    const { from, to } = window;
    const automated = snapshot.row<{ requests: number }>(AUTOMATED, { project, from, to });
    return {
      rows: rows.reduce((sum, { event_count }) => sum + event_count, 0),
      segments: rows.length,
      automatedRequests: automated?.requests ?? 0,
      retainedFromMs,
    };
  });
  return found.reduce(added, nothing);
}

const nothing: ToldWindow = { rows: 0, segments: 0, automatedRequests: 0, retainedFromMs: 0 };

const added = (a: ToldWindow, b: ToldWindow): ToldWindow => ({
  rows: a.rows + b.rows,
  segments: a.segments + b.segments,
  automatedRequests: a.automatedRequests + b.automatedRequests,
  retainedFromMs: Math.max(a.retainedFromMs, b.retainedFromMs),
});
