import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { Count, ofRead, Since, Until, Warnings } from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { dayNames } from "../../domain/period";
import { schema } from "../../lib/schema";

const hoursOfDay = 24;

export const HeatmapQuery = schema(
  Type.Object(
    {
      ...ofRead,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      filters: Type.Optional(FiltersText),
    },
    { $id: "HeatmapQuery" },
  ),
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

export const Heatmap = Type.Object({
  heatmap: Type.Array(Cell, {
    maxItems: dayNames.length * hoursOfDay,
    description: "Only cells with events, by day, then hour.",
  }),
  peak: Type.Union([Cell, Type.Null()]),
  busiest_day: Type.Union([DayName, Type.Null()]),
  busiest_hour: Type.Union([Hour, Type.Null()]),
  warnings: Warnings,
});
export type Heatmap = Static<typeof Heatmap>;

export const HeatmapResponse = schema(
  Type.Object({ ...ofProject, ...Heatmap.properties }, { $id: "HeatmapResponse" }),
);
