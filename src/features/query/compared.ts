import type { Comparison } from "../../domain/comparison";
import { changePct } from "../../domain/delta";
import { dayOf, isoDate } from "../../domain/event";
import type { Warning } from "../../domain/fields";
import type { Condition } from "../../domain/filter";
import { isRate, judgesSessions, type Metric } from "../../domain/metric";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { KnownDays } from "../../domain/shown-days";
import type { TimeWindow } from "../../domain/time-window";
import { cutOf } from "../../reads/cut";
import { importedBeside } from "../../reads/imported-beside";
import { viewOf } from "../../reads/view";
import { warningsMax, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { ComparedPeriod, Snapshot } from "../../store/questions";
import {
  aboutOf,
  goalIn,
  idsAsked,
  inColumns,
  ofGoal,
  onceIn,
  type QueryInput,
  requestOf,
  suspects,
} from "./question";
import type { ComparedResult } from "./schema";

export interface ComparedInput extends QueryInput, ComparedTo {}

/** The other period of a comparison. */
export interface ComparedTo {
  readonly compare: Comparison;
  /** The dates of the other period for which the server has daily sums; absent if there are none. */
  readonly known?: KnownDays;
}

/** POST /query with `compare`: what each row has, what it had in another period, and the change in percent. */
export const queryComparedRead: Read<ComparedInput, ComparedResult> = {
  name: "query-compared",
  scope: (input) => ({
    projectIds: [input.projectId],
    ...(judgesSessions(input.selection.metrics) ? allTime : aroundBoth(input)),
  }),
  idsOf: async (snapshot, input) => [await idsAsked(snapshot, input)],
  run: comparedAnswer,
};

/** Answers within the snapshot of the caller. */
export async function comparedAnswer(
  snapshot: Snapshot,
  input: ComparedInput,
): Promise<ComparedResult> {
  const { days, selection } = input;
  const { days: otherDays, until } = input.compare;
  const { metrics, groupBy } = selection;
  const request = await requestOf(snapshot, input);
  const { rows, groups_total, retained_from_ms } = await snapshot.countCompared(
    periodOf(input, request.filters, days, until?.currentMs),
    periodOf(input, request.filters, otherDays, until?.previousMs),
    request,
  );
  const numbers = rows.flatMap(({ current, previous }) => [current, previous]);
  const names = suspects(input, numbers);
  const about = aboutOf(input, request.filters, numbers);
  const asked = { days, within: aroundBoth(input), untilMs: until?.currentMs };
  const found = await warningsOf(snapshot, about, asked, names);
  const clipped = await clippedIn(snapshot, input, retained_from_ms);
  const warnings = [...clipped, ...(found.warnings ?? [])].slice(0, warningsMax);
  return {
    ...periodsOf(days, input.compare),
    ...ofGoal(input),
    metrics: [...metrics],
    group_by: [...groupBy],
    rows: rows.map(({ current, previous }) => ({
      ...inColumns(current, [...groupBy, ...metrics]),
      previous: inColumns<Metric, number | null>(previous, metrics),
      change_pct: Object.fromEntries(
        metrics.map((name) => [name, changePct(current[name], previous[name], isRate(name))]),
      ),
    })),
    count: rows.length,
    ...cutOf(groups_total, rows.length),
    count_mode: selection.countMode,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Returns the fields of an answer that tell its two periods. */
export const periodsOf = (days: Days, { days: otherDays, until }: Comparison) => ({
  ...{ period: datesOf(days), previous_period: datesOf(otherDays) },
  ...(until !== null && { compared_until: new Date(until.currentMs).toISOString() }),
});

/** Its filters are about its own events, up to where it is cut; sessions are put together for whole dates. */
export function periodOf(
  input: QueryInput,
  besides: readonly Condition[],
  days: Days,
  untilMs?: number,
): ComparedPeriod {
  const view = onceIn(viewOf(input.projectId, days, input.filters, untilMs), input, besides);
  const { fromMs, toMs, zone } = view;
  const scope = { fromMs, toMs, zone, sessionsOf: windowOf(days) };
  return { ...view, days, ...goalIn(input, scope) };
}

/** Returns the window from the first date of both periods to the last. */
function aroundBoth({ days, compare }: ComparedInput): TimeWindow {
  const [current, previous] = [windowOf(days), windowOf(compare.days)];
  return {
    fromMs: Math.min(current.fromMs, previous.fromMs),
    toMs: Math.max(current.toMs, previous.toMs),
  };
}

/** Warns that the comparison period has dates whose events the server does not store. */
export async function clippedIn(
  snapshot: Snapshot,
  { projectId, compare: { days }, known }: ComparedTo & { readonly projectId: string },
  retainedFromMs: number,
): Promise<Warning[]> {
  const { imported } = known === undefined ? {} : await importedBeside(snapshot, projectId, known);
  if (retainedFromMs > windowOf(days).fromMs) {
    const date = isoDate(dayOf(retainedFromMs));
    const message =
      `The server no longer has events from before ${date}, 00:00 UTC. The comparison period begins earlier, ` +
      "so its numbers do not include them.";
    const sums = imported === undefined ? "" : " GET /history has daily sums of such dates.";
    return [{ code: "kept_from", message: message + sums, date }];
  }
  if (imported === undefined) return [];
  const { from, to } = imported;
  const message =
    `From ${from} to ${to} the server has only daily sums of an import, and no events. The comparison period has ` +
    "such dates, so its numbers do not include them. GET /history has the sums.";
  return [{ code: "kept_from", message, date: isoDate(dayOf(Date.parse(to)) + 1) }];
}
