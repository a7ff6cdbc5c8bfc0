import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { comparedDays, lastMoment } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { insightsExample } from "./examples";
import { insightsRead } from "./read";
import { InsightsQuery, InsightsResponse } from "./schema";

export const insightsFeature = (): Feature => ({
  operations: [
    projectOperation("GET /insights", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getInsights",
        summary: "This period against the one before",
        description:
          "Events, visitors and sessions of a period that ends today, each with its change, and whether the project " +
          "grows. The two periods have as many dates and do not overlap.",
        tag: "Reads",
        example: insightsExample,
        errors: filterErrors,
      },
      takes: InsightsQuery,
      returns: { 200: InsightsResponse },
      handle: async ({ project, input: { period = "7d", ...input }, read, withAvailable }) => {
        const zone = zoneOfRead(input.tz, project);
        const days = comparedDays(period, lastMoment(input.until, clock.nowMs(), zone), zone);
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days.current);
        return read(insightsRead, { projectId: project.id, ...days, filters }, days.current);
      },
    }),
  ],
});
