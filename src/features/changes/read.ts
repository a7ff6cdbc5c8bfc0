import { assess } from "../../domain/changes/assessment";
import type {
  ChangeDimension,
  ChangeMetric,
  ChangeRequest,
} from "../../domain/changes/change-counts";
import {
  type ChangePeriods,
  neededDates,
  referenceDatesMax,
  referenceOf,
} from "../../domain/changes/change-periods";
import { eventConditions } from "../../domain/filter";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import { isPropertyField } from "../../domain/property-field";
import { timeZoneOf } from "../../domain/time-zone";
import { viewOf } from "../../reads/view";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import { caveatsOf } from "./caveats";
import type { Changes } from "./schema";
import { amountOf, shaped, untold } from "./shape";

interface ChangesInput extends Filtered {
  readonly periods: ChangePeriods;
  readonly metric: ChangeMetric;
  readonly event: string | null;
  readonly dimensions: readonly ChangeDimension[];
  readonly limit: number;
}

/** GET /changes. */
export const changesRead: Read<ChangesInput, Changes> = {
  name: "changes",
  scope: ({ projectId, periods, metric, dimensions }) => ({
    projectIds: [projectId],
    ...(metric === "sessions" || metric === "conversion" || dimensions.includes("source")
      ? allTime
      : windowOf(widestDays(periods))),
  }),
  async run(snapshot, input) {
    const { projectId, periods, metric, event, dimensions, limit } = input;
    const { current, previous } = periods;
    const keptFrom = await firstDateKept(snapshot, input);
    const reference = referenceOf(current, keptFrom);
    const days = { ...current, from: Math.min(previous.from, reference?.from ?? previous.from) };
    const filters = input.filters ?? [];
    const limited = metric === "conversion" ? filters : [...filters, ...eventConditions(event)];
    const isPreviousKept = keptFrom !== null && keptFrom <= previous.from;
    const told = isPreviousKept ? dimensions : [];
    const request: ChangeRequest = {
      ...{ metric, dimensions: told, current, previous, reference },
      ...(metric === "conversion" && event !== null && { goal: { event, filters: [] } }),
    };
    const counts = await snapshot.changeCounts(viewOf(projectId, days, limited), request);
    const referenceDates = reference === null ? 0 : reference.to - reference.from + 1;
    const found = assess(counts, { metric, dimensions: told, referenceDates });
    const { total } = found;
    const needs = neededDates(periods, keptFrom);
    const isUnseen = counts.total.current + counts.total.previous === 0;
    const hasNoValue = (dimension: ChangeDimension): boolean =>
      counts.dimensions[told.indexOf(dimension)].values.every(({ value }) => value === null);
    const nowhere = { ...current, from: current.from - 1, to: current.from - 1 };
    return {
      ...{ metric, event },
      current: { ...datesOf(current), value: amountOf(total.current, metric) },
      previous: { ...datesOf(previous), value: amountOf(total.previous, metric) },
      reference: { ...datesOf(reference ?? nowhere), dates: referenceDates },
      needs: needs.have < needs.dates ? needs : null,
      ...(isPreviousKept ? shaped(found, metric, limit) : untold),
      caveats: caveatsOf({ metric, isUnfinished: periods.isUnfinished }),
      ...(await warningsOf(
        snapshot,
        { ...input, unfound: told.filter(isPropertyField).filter(hasNoValue) },
        { days: current, within: windowOf(days) },
        event !== null && isUnseen ? [event] : [],
      )),
    };
  },
};

/** All dates that may count for something. */
const widestDays = ({ current, previous }: ChangePeriods): Days => ({
  ...current,
  from: Math.min(previous.from, current.from - referenceDatesMax),
});

/** The first date of which the project has all that it ever had; null when it has nothing. */
async function firstDateKept(
  snapshot: Snapshot,
  { projectId, periods }: ChangesInput,
): Promise<number | null> {
  const zone = timeZoneOf(periods.current.zone);
  const stored = await snapshot.storedEvents(projectId);
  if (stored.first_event_at === null) return null;
  const clippedDay = zone.dayAt(stored.retained_from_ms);
  const isWhole = zone.startOf(clippedDay) >= stored.retained_from_ms;
  return Math.max(zone.dayAt(stored.first_event_at), isWhole ? clippedDay : clippedDay + 1);
}
