import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { heatmapExample } from "./examples";
import { heatmapRead } from "./read";
import { HeatmapQuery, HeatmapResponse } from "./schema";

export const heatmapFeature = (): Feature => ({
  operations: [
    projectOperation("GET /heatmap", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getHeatmap",
        summary: "Events by weekday and hour",
        description:
          "When visitors are active, by the clock of the time zone, with the busiest cell, day and hour.",
        tag: "Reads",
        example: heatmapExample,
        errors: filterErrors,
      },
      takes: HeatmapQuery,
      returns: { 200: HeatmapResponse },
      handle: async ({ project, input, read, withAvailable }) => {
        const { since, until } = input;
        const days = daysOf({
          since,
          until,
          nowMs: clock.nowMs(),
          zone: zoneOfRead(input.tz, project),
        });
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        return read(heatmapRead, { projectId: project.id, days, filters }, days);
      },
    }),
  ],
});
