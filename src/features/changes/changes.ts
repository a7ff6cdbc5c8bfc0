import { assess } from "../../domain/changes/assessment";
import {
  type ChangePeriods,
  changePeriods,
  neededDates,
  referenceDatesMax,
} from "../../domain/changes/change-periods";
import { invalidField } from "../../domain/errors";
import { type Goal, goalInScope, goalNamed, namedIn, plainGoal } from "../../domain/goal";
import type { Goals } from "../../domain/goals/goals";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import { isPropertyField } from "../../domain/property-field";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { countChanges } from "../../reads/changes";
import { amountOf, shaped, untold } from "../../reads/changes-shape";
import { caveatsOf } from "./caveats";
import { dimensionsOf } from "./dimensions";
import { exampleAnswer } from "./example";
import { ChangesQuery, ChangesResponse, valuesShownDefault } from "./schema";

export const changesRead = projectRead("GET /changes", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getChanges",
    summary: "Find what changed",
    description:
      "Compares complete dates with the same weekdays before: whether they differ more than usual, and which " +
      "values of which dimensions explain it.",
  },
  example: { project: "shop", dimensions: "country", limit: 1 },
  exampleAnswer,
  takes: ChangesQuery,
  returns: ChangesResponse,
  question: (input, { nowMs, zone, goals }) => {
    const { metric = "events", limit = valuesShownDefault } = input;
    const goal = goalAsked(input, goals);
    const { period, since, until } = input;
    const periods = changePeriods({ period, since, until, nowMs, zone });
    const dimensions = dimensionsOf(input.dimensions);
    if (metric === "conversion" && goal === null) {
      throw invalidField(
        "event",
        'The metric "conversion" needs "event", the name of the goal event, or "goal".',
      );
    }
    const scoped = goal && goalInScope(goal, { ...allTime, zone });
    return { periods, metric, goal: scoped, dimensions, limit, days: periods.current };
  },
  scope: ({ periods, metric, dimensions }) =>
    metric === "sessions" || metric === "conversion" || dimensions.includes("source")
      ? allTime
      : windowOf(widestDays(periods)),
  ask: (snapshot, question) => countChanges(snapshot, question),
  shape({ counts, keptFrom, reference, told, isPreviousKept }, { periods, metric, goal, limit }) {
    const { current, previous, isUnfinished } = periods;
    const referenceDates = reference === null ? 0 : reference.to - reference.from + 1;
    const found = assess(counts, { metric, dimensions: told, referenceDates });
    const needs = neededDates(periods, keptFrom);
    const nowhere = { ...current, from: current.from - 1, to: current.from - 1 };
    return {
      ...{ metric, event: goal?.event ?? null, ...(goal && namedIn(goal)) },
      current: { ...datesOf(current), value: amountOf(found.total.current, metric) },
      previous: { ...datesOf(previous), value: amountOf(found.total.previous, metric) },
      reference: { ...datesOf(reference ?? nowhere), dates: referenceDates },
      needs: needs.have < needs.dates ? needs : null,
      ...(isPreviousKept ? shaped(found, metric, limit) : untold),
      caveats: caveatsOf({ metric, isUnfinished }),
    };
  },
  doubts: ({ metric, goal }, { counts, days, told }) => ({
    goals:
      goal === null ? [] : [{ goal, countsSessions: metric === "conversion", addsValues: false }],
    within: windowOf(days),
    unfound: told
      .filter((_, index) => counts.dimensions[index].values.every(({ value }) => value === null))
      .filter(isPropertyField),
    names: goal === null || counts.total.current + counts.total.previous > 0 ? [] : [goal.event],
  }),
});

function goalAsked(
  { event, goal }: { readonly event?: string; readonly goal?: string },
  goals: Goals,
): Goal | null {
  if (goal === undefined) return event === undefined ? null : plainGoal(event);
  if (event === undefined) return goalNamed(goals.named(goal));
  throw invalidField("goal", 'Send either "event" or "goal", not both.');
}

/** All dates that may count for something. */
const widestDays = ({ current, previous }: ChangePeriods): Days => ({
  ...current,
  from: Math.min(previous.from, current.from - referenceDatesMax),
});
