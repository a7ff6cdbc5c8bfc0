import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { Count, ofWindow, Warnings } from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { dayNames } from "../../domain/period";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { schema } from "../../lib/schema";

const hoursOfDay = 24;

const HeatmapQuery = schema(
  Type.Object({ ...ofWindow, filters: Type.Optional(FiltersText) }, { $id: "HeatmapQuery" }),
);

const DayName = Type.Enum([...dayNames]);
const Hour = Type.Integer({ minimum: 0, maximum: hoursOfDay - 1 });
const Cell = Type.Object({
  day: Type.Integer({ minimum: 0, maximum: dayNames.length - 1, description: "0 is Sunday." }),
  day_name: DayName,
  hour: Hour,
  events: Count,
  users: Count,
});
type Cell = Static<typeof Cell>;

const HeatmapResponse = schema(
  Type.Object(
    {
      ...ofProject,
      heatmap: Type.Array(Cell, {
        maxItems: dayNames.length * hoursOfDay,
        description: "Only cells with events, by day, then hour.",
      }),
      peak: Type.Union([Cell, Type.Null()]),
      busiest_day: Type.Union([DayName, Type.Null()]),
      busiest_hour: Type.Union([Hour, Type.Null()]),
      warnings: Warnings,
    },
    { $id: "HeatmapResponse" },
  ),
);

export const heatmapRead = projectRead("GET /heatmap", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getHeatmap",
    summary: "Events by weekday and hour",
    description: "Activity by local time in the time zone, with the busiest cell, day and hour.",
  },
  example: { project: "shop" },
  takes: HeatmapQuery,
  returns: HeatmapResponse,
  question: () => ({}),
  ask: (snapshot, { view }) =>
    snapshot.countBy(view, {
      group_by: ["weekday_hour"],
      metrics: ["event_count", "unique_users"],
    }),
  shape: ({ rows }) => {
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
    };
  },
});

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
