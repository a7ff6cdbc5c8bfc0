import { changePeriods } from "../../domain/changes/change-periods";
import { invalidField } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { dimensionsOf } from "./dimensions";
import { changesExample } from "./examples";
import { changesRead } from "./read";
import { ChangesQuery, ChangesResponse, valuesShownDefault } from "./schema";

export const changesFeature = (): Feature => ({
  operations: [
    projectOperation("GET /changes", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getChanges",
        summary: "What changed, and where",
        description:
          "Complete dates against the same weekdays before them: whether they differ by more than days usually do, " +
          "and which values of which dimensions account for it.",
        tag: "Reads",
        example: changesExample,
        errors: filterErrors,
      },
      takes: ChangesQuery,
      returns: { 200: ChangesResponse },
      handle: async ({ project, input, read, withAvailable }) => {
        const { metric = "events", event = null, limit = valuesShownDefault } = input;
        const { period, since, until } = input;
        const zone = zoneOfRead(input.tz, project);
        const periods = changePeriods({ period, since, until, nowMs: clock.nowMs(), zone });
        const dimensions = dimensionsOf(input.dimensions);
        if (metric === "conversion" && event === null) {
          throw invalidField(
            "event",
            'The metric "conversion" needs "event": send the name of the goal event.',
          );
        }
        const filters = await withAvailable(
          () => filterItemsOfText(input.filters),
          periods.current,
        );
        const question = { projectId: project.id, periods, metric, event, dimensions, limit };
        return read(changesRead, { ...question, filters }, periods.current);
      },
    }),
  ],
});
