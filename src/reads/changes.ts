import type { ChangeDimension, ChangeMetric, ChangeRequest } from "../domain/changes/change-counts";
import { type ChangePeriods, referenceOf } from "../domain/changes/change-periods";
import { eventConditions } from "../domain/filter";
import type { FilterItem } from "../domain/filter-items";
import type { Snapshot } from "../store/questions";
import { firstDateKept } from "./first-date-kept";
import { viewOf } from "./view";

interface ChangesQuestion {
  readonly projectId: string;
  readonly periods: ChangePeriods;
  readonly metric: ChangeMetric;
  readonly event: string | null;
  readonly dimensions: readonly ChangeDimension[];
  readonly filters?: readonly FilterItem[] | undefined;
}

/** Counts two periods and the dates before them. Values are counted only where the period before is kept whole. */
export async function countChanges(
  snapshot: Snapshot,
  { projectId, periods, metric, event, dimensions, filters = [] }: ChangesQuestion,
) {
  const { current, previous } = periods;
  const keptFrom = await firstDateKept(snapshot, projectId, current);
  const reference = referenceOf(current, keptFrom);
  const days = { ...current, from: Math.min(previous.from, reference?.from ?? previous.from) };
  const limited = metric === "conversion" ? filters : [...filters, ...eventConditions(event)];
  const isPreviousKept = keptFrom !== null && keptFrom <= previous.from;
  const told = isPreviousKept ? dimensions : [];
  const request: ChangeRequest = {
    ...{ metric, dimensions: told, current, previous, reference },
    ...(metric === "conversion" && event !== null && { goal: { event, filters: [] } }),
  };
  const counts = await snapshot.changeCounts(viewOf(projectId, days, limited), request);
  return { counts, keptFrom, reference, days, told, isPreviousKept };
}
