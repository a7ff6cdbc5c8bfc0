import type { FactsWindow, WindowFacts } from "../../port";
import type { View } from "../../questions";
import { sumOfWindows } from "../../shared/window-facts";
import { rowsWithin } from "../scan/range";
import { idsOf, type OpenSnapshot } from "./open-snapshot";

/* The facts about the data behind an answer, for its receipt. */

export const VERSION = `
  select coalesce(sum(data_version), 0) as version from project
  where name in (select value from json_each(?))`;

const AUTOMATED = `
  select coalesce(sum(requests), 0) as requests from counted_automated_day
  where project_id = :project and date >= :from and date <= :to`;

/** Selects the segments of imports that overlap a window. */
const IMPORTED = `
  select id, first_time as first, last_time as last from current_segment
  where project_id = :project and import_id > 0 and last_time >= :from and first_time < :to`;

export function windowFacts(snapshot: OpenSnapshot, window: FactsWindow): WindowFacts {
  const facts = window.projectIds.map((projectId): WindowFacts => {
    const { number: project, retainedFromMs } = snapshot.project(projectId);
    const rows = snapshot.segmentRows({ projectId, ...window });
    const { from, to } = window;
    const automated = snapshot.row<{ requests: number }>(AUTOMATED, { project, from, to });
    return {
      rows: rows.reduce((sum, { event_count }) => sum + event_count, 0),
      segments: rows.length,
      automatedRequests: automated?.requests ?? 0,
      retainedFromMs,
      hasImported: hasImported(snapshot, project, { projectId, ...window }),
    };
  });
  return sumOfWindows(facts);
}

/** Tells whether an import stored events of a window. It opens a segment only if the window cuts it. */
function hasImported(snapshot: OpenSnapshot, project: number, view: View): boolean {
  const { fromMs, toMs } = view;
  const rows = snapshot.rows<ImportedSegment>(IMPORTED, { project, from: fromMs, to: toMs });
  const { retainedFromMs } = snapshot.project(view.projectId);
  const isWhole = ({ first, last }: ImportedSegment): boolean =>
    first >= Math.max(fromMs, retainedFromMs) && last < toMs;
  if (rows.some(isWhole)) return true;
  const opened = snapshot.context.segments(idsOf(rows));
  return opened.some((segment) => !rowsWithin(segment, view).isNone);
}
interface ImportedSegment {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}
