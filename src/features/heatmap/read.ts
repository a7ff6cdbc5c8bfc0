import type { CountRequest } from "../../domain/counting";
import { type Days, dayNames, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import { SCOPE, setsOf } from "../../store/segment-sets";
import type { Heatmap } from "./schema";

interface HeatmapInput {
  readonly projectId: string;
  readonly days: Days;
}
type Cell = Heatmap["heatmap"][number];

/** Events and visitors per weekday and hour. */
export const HEATMAP = `
  with ${SCOPE}
  select (value ->> 'weekday_hour') / 24 as day, (value ->> 'weekday_hour') % 24 as hour,
    value ->> 'event_count' as events, value ->> 'unique_users' as users
  from scope, json_each(count_by(segments, :from, :to, :request, '[]'))
  order by day, hour`;

const byHour: CountRequest = {
  group_by: ["weekday_hour"],
  metrics: ["event_count", "unique_users"],
};

/** GET /heatmap of the contract. */
export const heatmapRead: Read<HeatmapInput, Heatmap> = {
  name: "heatmap",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const request = JSON.stringify(byHour);
    const cells = snapshot
      .rows<Omit<Cell, "day_name">>(HEATMAP, { ...sets, request })
      .map(({ day, ...cell }) => ({ day, day_name: dayNames[day], ...cell }));
    const busiestDay = busiest(cells, "day");
    return {
      heatmap: cells,
      peak: largest(cells),
      busiest_day: busiestDay === null ? null : dayNames[busiestDay],
      busiest_hour: busiest(cells, "hour"),
    };
  },
};

/** The first of the cells with most events. */
const largest = (cells: readonly Cell[]): Cell | null =>
  cells.reduce<Cell | null>(
    (best, cell) => (best === null || cell.events > best.events ? cell : best),
    null,
  );

/** The day or hour with the largest sum of events, the lowest on a tie. */
function busiest(cells: readonly Cell[], by: "day" | "hour"): number | null {
  const sums: number[] = [];
  for (const cell of cells) sums[cell[by]] = (sums[cell[by]] ?? 0) + cell.events;
  const most = sums.reduce((max, events) => Math.max(max, events), 0);
  return cells.length === 0 ? null : sums.indexOf(most);
}
