import { type Comparison, comparisonOf } from "../../domain/comparison";
import { invalidField } from "../../domain/errors";
import { checkPropertyKey } from "../../domain/filter";
import { goalNamed } from "../../domain/goal";
import { pageLimitDefault } from "../../domain/limits";
import { lastDate, type Selection, selectionOf } from "../../domain/metric";
import { type Days, daysOf } from "../../domain/period";
import { isPropertyField, keyOfProperty, type PropertyField } from "../../domain/property-field";
import { filterItems, sentFilterErrors } from "../../domain/sent-filters";
import { goalOf } from "../../domain/sent-goal";
import type { KnownDays } from "../../domain/shown-days";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { personAsked } from "../../http/operation/person";
import { clock } from "../../lib/clock";
import { eachOf, refuseBeside, spanOf } from "./batch";
import { type ComparedTo, queryComparedRead } from "./compared";
import { queryExample } from "./examples";
import { queryGoalsRead } from "./goal-rows";
import { isCompared, isOfGoals, type Question, queryBatchRead, queryRead } from "./read";
import { type QueryAsked, QueryRequest, QueryResponse } from "./schema";
import { queryTable } from "./table";

export const queryFeature = (deps: Deps): Feature => ({
  operations: [
    projectOperation("POST /query", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "queryEvents",
        summary: "Query metrics by groups",
        description:
          "Any metrics, grouped, filtered and ordered. Get the names of events and properties from GET " +
          "/properties first. Unknown fields, operators and metrics are refused with a list of the valid ones, " +
          "never ignored. `queries` runs up to 20 queries on the same state of the data. `compare` adds an " +
          "earlier period to each row, and `goal` defines a conversion.",
        tag: "Reads",
        example: queryExample,
        errors: ["INVALID_METRIC", "INVALID_GROUP_BY", "INVALID_COUNT_MODE", ...sentFilterErrors],
      },
      takes: QueryRequest,
      returns: { 200: QueryResponse },
      table: queryTable,
      handle: async ({
        project,
        input,
        read,
        readEach,
        withAvailable,
        knownDays,
        caller,
        goals,
      }) => {
        const checked = async (asked: QueryAsked): Promise<Question> => {
          if (asked.goals === true) refuseBesideGoals(asked);
          const selection = selectionOf(asked);
          const days = datesAsked(asked, zoneOfRead(asked.tz ?? input.tz, project));
          const check = () => ({
            filters: filterItems(asked.filters, goals),
            goal: goalOf(asked.goal, selection.metrics, goals),
          });
          const { filters, goal } = await withAvailable(check, days);
          const person = personAsked(deps, caller, project, asked);
          const { limit = pageLimitDefault } = asked;
          const compared = comparedTo(comparisonAsked(asked, selection, days), knownDays);
          if (asked.goals === true) {
            return {
              ...{ projectId: project.id, days, filters, limit, goals: goals.all.map(goalNamed) },
              ...compared,
              ...(person !== null && { person }),
            };
          }
          return {
            ...{ projectId: project.id, days, selection, filters, limit },
            ...(asked.once_per !== undefined && { oncePer: oncePerOf(asked.once_per) }),
            ...(goal !== null && { goal }),
            ...compared,
            ...(person !== null && { person }),
          };
        };
        const { queries } = input;
        if (queries === undefined) {
          const question = await checked(input);
          if (isOfGoals(question)) return read(queryGoalsRead, question, question.days);
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

const besideGoals = [
  ...(["metrics", "goal", "group_by", "once_per", "order_by", "order", "count_mode"] as const),
] as const;

function refuseBesideGoals(asked: QueryAsked): void {
  const field = besideGoals.find((name) => asked[name] !== undefined);
  if (field === undefined) return;
  throw invalidField(
    field,
    `Leave out "${field}": "goals" always answers the same numbers per goal.`,
  );
}

/** The fields of the answer that are about the comparison period; none without a comparison. */
function comparedTo(
  compare: Comparison | null,
  knownDays: (days: Days) => KnownDays | null,
): Partial<ComparedTo> {
  if (compare === null) return {};
  const known = knownDays(compare.days);
  return { compare, ...(known !== null && { known }) };
}

/** Refuses a comparison of dates, which have no change in percent. */
function comparisonAsked({ compare }: QueryAsked, { metrics }: Selection, days: Days) {
  if (compare === undefined) return null;
  const at = metrics.indexOf(lastDate);
  if (at < 0) return comparisonOf(compare, days, clock.nowMs());
  throw invalidField(
    `metrics[${at}]`,
    `Leave out "${lastDate}" or "compare": a date is not compared with another one.`,
  );
}

function oncePerOf(sent: string): PropertyField {
  if (isPropertyField(sent)) {
    checkPropertyKey(keyOfProperty(sent), "once_per");
    return sent;
  }
  throw invalidField(
    "once_per",
    '"once_per" must be properties.<key>, such as properties.order_id.',
  );
}

const datesAsked = (
  { date_from: since, date_to: until }: QueryAsked,
  zone: string | undefined,
): Days => daysOf({ since, until, nowMs: clock.nowMs(), zone, names: ["date_from", "date_to"] });
