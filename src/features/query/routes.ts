import { isNarrowed } from "../../domain/caller";
import { filterErrors } from "../../domain/filter";
import { filterItems } from "../../domain/filter-items";
import { pageLimitDefault } from "../../domain/limits";
import { selectionOf } from "../../domain/metric";
import { type Days, daysOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { personAsked } from "../../http/operation/person";
import { clock } from "../../lib/clock";
import type { ReadRequest } from "../../store/port";
import { queryRead } from "./read";
import { QueryRequest, QueryResponse } from "./schema";

/** Throws again what refused a filter field, with what the project has to offer. */
export type WithAvailable = <T>(
  check: () => T,
  request: ReadRequest & { readonly isNarrowed: boolean },
  projectId: string,
  days: Days,
) => Promise<T>;

export const queryFeature = (deps: Deps, withAvailable: WithAvailable): Feature => ({
  operations: [
    projectOperation("POST /query", {
      doc: {
        id: "queryEvents",
        summary: "Count events, users and sessions by any grouping",
        description:
          "The general question: which metrics, grouped by what, of which events, in which order. Start with " +
          "GET /properties to learn the names of events and of their properties. Unknown fields, operators and " +
          "metrics are refused with the list of what is allowed, never ignored.",
        tag: "Reads",
        errors: ["INVALID_METRIC", "INVALID_GROUP_BY", "INVALID_COUNT_MODE", ...filterErrors],
      },
      takes: QueryRequest,
      returns: { 200: QueryResponse },
      handle: async ({ project, input, read, caller, request }) => {
        const selection = selectionOf(input);
        const days = daysOf({
          since: input.date_from,
          until: input.date_to,
          nowMs: clock.nowMs(),
          names: ["date_from", "date_to"],
        });
        const filters = await withAvailable(
          () => filterItems(input.filters),
          {
            accountId: caller.account.id,
            signal: request.signal,
            isNarrowed: isNarrowed(caller),
            arrivedAtMs: clock.nowMs(),
          },
          project.id,
          days,
        );
        const person = personAsked(deps, caller, project, input);
        const { limit = pageLimitDefault } = input;
        const question = { projectId: project.id, days, selection, filters, limit };
        return read(queryRead, { ...question, ...(person !== null && { person }) }, days);
      },
    }),
  ],
});
