import type { ChangeDimension, ChangeMetric, ChangeRequest } from "../domain/changes/change-counts";
import { type ChangePeriods, referenceOf } from "../domain/changes/change-periods";
import type { FilterItem } from "../domain/filter-items";
import { eventsOf, type Goal } from "../domain/goal";
import type { Snapshot } from "../store/questions";
import { firstDateKept } from "./first-date-kept";
import { viewOf } from "./view";

interface ChangesQuestion {
  readonly projectId: string;
  readonly periods: ChangePeriods;
  readonly metric: ChangeMetric;
  /** The events that are counted, or the goal of conversions. */
  readonly goal: Goal | null;
  readonly dimensions: readonly ChangeDimension[];
  readonly filters?: readonly FilterItem[] | undefined;
}

/** Counts two periods and the dates before them. Values are counted only where the period before is kept whole. */
export async function countChanges(
  snapshot: Snapshot,
  { projectId, periods, metric, goal, dimensions, filters = [] }: ChangesQuestion,
) {
  const { current, previous } = periods;
  const keptFrom = await firstDateKept(snapshot, projectId, current);
  const reference = referenceOf(current, keptFrom);
  const days = { ...current, from: Math.min(previous.from, reference?.from ?? previous.from) };
  const isConversion = metric === "conversion";
  const limited = isConversion || goal === null ? filters : [...filters, ...eventsOf(goal)];
  const isPreviousKept = keptFrom !== null && keptFrom <= previous.from;
  const told = isPreviousKept ? dimensions : [];
  const request: ChangeRequest = {
    ...{ metric, dimensions: told, current, previous, reference },
    ...(isConversion && goal !== null && { goal }),
  };
  const counts = await snapshot.changeCounts(viewOf(projectId, days, limited), request);
  return { counts, keptFrom, reference, days, told, isPreviousKept };
}
