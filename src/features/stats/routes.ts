import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { tableOf } from "../../http/operation/csv-form";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { statsExample } from "./examples";
import { statsRead } from "./read";
import { StatsBucket, StatsQuery, StatsResponse } from "./schema";

export const statsFeature = (): Feature => ({
  operations: [
    projectOperation("GET /stats", {
      access: free("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getStats",
        summary: "The overview of a project",
        description:
          "Visitors, events, sessions and the most frequent events of a window, with a time series. Start here; then " +
          "POST /query answers anything finer. Dates and buckets are those of the time zone, and both ends of " +
          "the window are included.",
        tag: "Reads",
        example: statsExample,
        errors: filterErrors,
      },
      takes: StatsQuery,
      returns: { 200: StatsResponse },
      table: { of: ({ timeSeries }) => tableOf(StatsBucket, timeSeries) },
      handle: async ({ project, input, read, withAvailable }) => {
        const { since, until, groupBy = "day" } = input;
        const days = daysOf({
          since,
          until,
          nowMs: clock.nowMs(),
          zone: zoneOfRead(input.tz, project),
        });
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        return read(statsRead, { projectId: project.id, days, groupBy, filters }, days);
      },
    }),
  ],
});
