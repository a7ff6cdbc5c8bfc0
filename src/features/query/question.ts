import { isoDate } from "../../domain/event";
import type { Condition } from "../../domain/filter";
import type { FilterItem, FilterScope } from "../../domain/filter-items";
import { type Goal, goalInScope, namedIn } from "../../domain/goal";
import {
  asksForMoney,
  countsConversions,
  goalMetrics,
  lastDate,
  type Metric,
  propertiesMeasured,
  propertyOfMetric,
  type Selection,
} from "../../domain/metric";
import type { Days } from "../../domain/period";
import type { Person } from "../../domain/person";
import { isPropertyField, type PropertyField } from "../../domain/property-field";
import type { CountedGoal } from "../../reads/goal-warnings";
import { matchedUsers } from "../../reads/matched-users";
import { type About, type Filtered, namesIn } from "../../reads/warnings";
import type { Snapshot, View } from "../../store/questions";

/* Questions about one period and about two share these functions. */

/** The most groups that a query counts (store/events/aggregate/ranking.ts). */
const queryGroupsMax = 1_000_000;

export interface QueryInput extends Filtered {
  readonly days: Days;
  readonly selection: Selection;
  /** The goal that conversions reach. */
  readonly goal?: Goal;
  /** Counts only what this person did. */
  readonly person?: Person;
  readonly limit: number;
  /** The property of which only the earliest event with each value counts. */
  readonly oncePer?: PropertyField;
}

/** Returns what is asked of the store, whatever the period. */
export async function requestOf(snapshot: Snapshot, input: QueryInput) {
  const { selection, limit } = input;
  const { metrics, groupBy, countMode, orderBy, order } = selection;
  return {
    group_by: groupBy,
    metrics,
    count_mode: countMode,
    filters: await ofPerson(snapshot, input),
    order_by: orderBy,
    order,
    limit,
    groups_max: queryGroupsMax,
    always_one_row: groupBy.length === 0,
  };
}

/** Returns the condition that an event is of the person. */
export async function ofPerson(
  snapshot: Snapshot,
  input: Pick<QueryInput, "projectId" | "person">,
): Promise<Condition[]> {
  const value = await idsAsked(snapshot, input);
  return value === null ? [] : [{ field: "user_id", op: "in", value }];
}

/** Returns the ids of the person; null if the question names no person. */
export const idsAsked = async (
  snapshot: Snapshot,
  { projectId, person }: Pick<QueryInput, "projectId" | "person">,
): Promise<readonly string[] | null> =>
  person === undefined ? null : matchedUsers(snapshot, projectId, person);

/**
 * Returns the goal of conversions in a period, if a metric needs one. A goal whose filters do not depend on the period
 * is the same object for both periods.
 */
export const goalIn = (
  { goal, selection }: Pick<QueryInput, "goal" | "selection">,
  scope: FilterScope,
): { goal?: Goal } =>
  goal === undefined || !countsConversions(selection.metrics)
    ? {}
    : { goal: goalInScope(goal, scope) };

/** A view with only the earliest event of each value of the property, among those that pass. */
export function onceIn(view: View, { oncePer }: QueryInput, besides: readonly Condition[]): View {
  if (oncePer === undefined) return view;
  const { fromMs, toMs, filters = [] } = view;
  const item: FilterItem = {
    ...{ once_per: oncePer, among: [...filters, ...besides], window: { fromMs, toMs } },
  };
  return { ...view, filters: [...filters, item] };
}

/** Returns the fields of an answer about its goal. */
export const ofGoal = ({ goal, selection }: QueryInput) =>
  goal && {
    ...namedIn(goal),
    ...(asksForMoney(selection.metrics) && { currency: goal.value?.currency ?? null }),
  };

/** Returns the cells of a row in the order of the names. */
export const inColumns = <Name extends string, Cell>(
  row: Readonly<Record<Name, Cell>>,
  names: readonly Name[],
): Record<string, Cell> => Object.fromEntries(names.map((name) => [name, row[name]]));

type Cells = Readonly<Record<string, string | number | null>>;

/** Returns a row with its last date in ISO form. */
export const withDate = (row: Cells): Record<string, string | number | null> => {
  const day = row[lastDate];
  return typeof day === "number" ? { ...row, [lastDate]: isoDate(day) } : { ...row };
};

/** Returns the parts of a question that may get warnings: filters, those of the goal too, properties and the goal. */
export const aboutOf = (
  input: QueryInput,
  besides: readonly Condition[],
  rows: readonly Cells[],
): About => {
  const { goal, selection } = input;
  return {
    ...{ ...input, others: goal?.filters, besides },
    measured: propertiesMeasured(selection.metrics),
    unfound: unfoundProperties(selection, rows),
    goals: goal === undefined ? [] : [countedBy(goal, selection.metrics)],
    rowsOf: (view) => onceIn(view, input, besides),
  };
};

export const countedBy = (goal: Goal, metrics: readonly Metric[]): CountedGoal => ({
  goal,
  countsSessions: countsConversions(metrics),
  addsValues: asksForMoney(metrics),
});

/** The properties of metrics and groups of which no row has a value. */
function unfoundProperties(
  { metrics, groupBy }: Selection,
  rows: readonly Cells[],
): readonly PropertyField[] {
  const hasNone = (name: string): boolean => rows.every((row) => !row[name]);
  return [
    ...metrics.filter(hasNone).flatMap((metric) => propertyOfMetric(metric) ?? []),
    ...groupBy.filter(isPropertyField).filter(hasNone),
  ];
}

/** Names that may be misspelt: of what nothing was found by, of all that was left out, and of one of several. */
export function suspects(
  { filters = [], goal, selection }: QueryInput,
  rows: readonly Cells[],
): string[] {
  const isEmpty = rows.every((row) => Object.values(row).every((value) => value === 0));
  const isReached = rows.some((row) => goalMetrics.some((metric) => Number(row[metric] ?? 0) > 0));
  const named = namesIn(filters, ["neq", "in", "not_in", ...(isEmpty ? ["eq"] : [])]);
  const isSuspect = goal !== undefined && !isReached && countsConversions(selection.metrics);
  return isSuspect ? [...named, goal.event] : named;
}
