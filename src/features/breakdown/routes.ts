import { Elysia } from "elysia";
import { checkPropertyKey, filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { breakdownLimitDefault } from "../../domain/limits";
import { daysOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import { breakdownRead } from "./read";
import { BreakdownQuery, BreakdownResponse } from "./schema";

export const breakdownRoutes = (deps: Deps) =>
  new Elysia({ name: "breakdown" }).use(
    projectOperation(deps, "GET /breakdown", {
      doc: {
        id: "getBreakdown",
        summary: "The most frequent values of a property",
        description:
          "Events and visitors per value of one property, of all events or of those with one name. Events " +
          "without the property are left out; the totals say how many there are. Property keys are listed " +
          "by GET /properties.",
        tag: "Reads",
        errors: filterErrors,
      },
      takes: BreakdownQuery,
      returns: { 200: BreakdownResponse },
      handle: ({ project, input, read }) => {
        const { since, until, event = null, limit = breakdownLimitDefault } = input;
        const property = checkPropertyKey(input.property, "property");
        const days = daysOf({ since, until, nowMs: clock.nowMs() });
        const filters = filterItemsOfText(input.filters);
        const question = { projectId: project.id, days, property, event, limit, filters };
        return read(breakdownRead, question, days);
      },
    }),
  );
