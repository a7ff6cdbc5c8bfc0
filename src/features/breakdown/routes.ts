import { checkPropertyKey, filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { tableOf } from "../../http/operation/csv-form";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { breakdownExample } from "./examples";
import { breakdownRead } from "./read";
import { BreakdownQuery, BreakdownResponse, BreakdownValue, breakdownLimitDefault } from "./schema";

export const breakdownFeature = (): Feature => ({
  operations: [
    projectOperation("GET /breakdown", {
      access: free("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getBreakdown",
        summary: "The most frequent values of a property",
        description:
          "Events and visitors per value of one property, of all events or of those with one name. Events " +
          "without the property are left out; the totals say how many there are. Property keys are listed " +
          "by GET /properties.",
        tag: "Reads",
        example: breakdownExample,
        errors: filterErrors,
      },
      takes: BreakdownQuery,
      returns: { 200: BreakdownResponse },
      table: { of: ({ values }) => tableOf(BreakdownValue, values) },
      handle: async ({ project, input, read, withAvailable }) => {
        const { since, until, event = null, limit = breakdownLimitDefault } = input;
        const property = checkPropertyKey(input.property, "property");
        const days = daysOf({
          since,
          until,
          nowMs: clock.nowMs(),
          zone: zoneOfRead(input.tz, project),
        });
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        const question = { projectId: project.id, days, property, event, limit, filters };
        return read(breakdownRead, question, days);
      },
    }),
  ],
});
