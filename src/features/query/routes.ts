import { comparisonOf } from "../../domain/comparison";
import { filterErrors } from "../../domain/filter";
import { filterItems } from "../../domain/filter-items";
import { goalOf } from "../../domain/goal";
import { pageLimitDefault } from "../../domain/limits";
import { selectionOf } from "../../domain/metric";
import { type Days, daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { personAsked } from "../../http/operation/person";
import { clock } from "../../lib/clock";
import { eachOf, refuseBeside, spanOf } from "./batch";
import { queryComparedRead } from "./compared";
import { queryExample } from "./examples";
import { isCompared, type Question, queryBatchRead, queryRead } from "./read";
import { type QueryAsked, QueryRequest, QueryResponse } from "./schema";
import { queryTable } from "./table";

export const queryFeature = (deps: Deps): Feature => ({
  operations: [
    projectOperation("POST /query", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "queryEvents",
        summary: "Count events, users and sessions by any grouping",
        description:
          "The general question: which metrics, grouped by what, of which events, in which order. Start with " +
          "GET /properties to learn the names of events and of their properties. Unknown fields, operators and " +
          "metrics are refused with the list of what is allowed, never ignored. `queries` asks up to 20 questions at " +
          "once, whose numbers are of the same moment. `compare` sets each row beside an earlier period, `goal` says " +
          "what a conversion is.",
        tag: "Reads",
        example: queryExample,
        errors: ["INVALID_METRIC", "INVALID_GROUP_BY", "INVALID_COUNT_MODE", ...filterErrors],
      },
      takes: QueryRequest,
      returns: { 200: QueryResponse },
      table: queryTable,
      handle: async ({ project, input, read, readEach, withAvailable, caller }) => {
        const checked = async (asked: QueryAsked): Promise<Question> => {
          const selection = selectionOf(asked);
          const days = datesAsked(asked, zoneOfRead(asked.tz ?? input.tz, project));
          const check = () => ({
            filters: filterItems(asked.filters),
            goal: goalOf(asked.goal, selection.metrics),
          });
          const { filters, goal } = await withAvailable(check, days);
          const person = personAsked(deps, caller, project, asked);
          const { limit = pageLimitDefault } = asked;
          const question = { projectId: project.id, days, selection, filters, limit };
          const { compare: other } = asked;
          const compare = other === undefined ? null : comparisonOf(other, days, clock.nowMs());
          return {
            ...question,
            ...(goal !== null && { goal }),
            ...(compare !== null && { compare }),
            ...(person !== null && { person }),
          };
        };
        const { queries } = input;
        if (queries === undefined) {
          const question = await checked(input);
          return isCompared(question)
            ? read(queryComparedRead, question, question.days)
            : read(queryRead, question, question.days);
        }
        refuseBeside(input);
        const questions = await eachOf(queries, checked);
        return readEach(queryBatchRead, questions, spanOf(questions));
      },
    }),
  ],
});

const datesAsked = (
  { date_from: since, date_to: until }: QueryAsked,
  zone: string | undefined,
): Days => daysOf({ since, until, nowMs: clock.nowMs(), zone, names: ["date_from", "date_to"] });
