import type { CountRequest } from "../../domain/counting";
import { type Days, dayNames, windowOf } from "../../domain/period";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Heatmap } from "./schema";

interface HeatmapInput extends Filtered {
  readonly days: Days;
}
type Cell = Heatmap["heatmap"][number];

const byHour = {
  group_by: ["weekday_hour"],
  metrics: ["event_count", "unique_users"],
} as const satisfies CountRequest;

/** GET /heatmap. */
export const heatmapRead: Read<HeatmapInput, Heatmap> = {
  name: "heatmap",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, filters } = input;
    const { rows } = await snapshot.countBy(viewOf(projectId, days, filters), byHour);
    const cells = rows
      .toSorted((a, b) => a.weekday_hour - b.weekday_hour)
      .map(({ weekday_hour, event_count: events, unique_users: users }): Cell => {
        const day = Math.floor(weekday_hour / 24);
        return { day, day_name: dayNames[day], hour: weekday_hour % 24, events, users };
      });
    const busiestDay = busiest(cells, "day");
    return {
      heatmap: cells,
      peak: largest(cells),
      busiest_day: busiestDay === null ? null : dayNames[busiestDay],
      busiest_hour: busiest(cells, "hour"),
      ...(await warningsOf(snapshot, input, { days })),
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
