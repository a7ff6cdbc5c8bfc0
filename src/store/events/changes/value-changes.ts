/*
 * The engine counts users of past dates once.
 * Decision: the cache stores how many users of a period, or of a date, have each value of a dimension. The key of the
 * entry has the segments that were counted, and the links between ids of users. If the periods have very many values,
 * the entry of a date has the largest of them alone.
 * Because: /changes reads 56 dates and two periods. A later read on the same day has the same dates, and one on the
 * next day has all but three of them. With new sets of users for each date, a read took four times as long (2M events,
 * 7 days).
 * Cost: some 4 KB in the cache for a date and dimension. A new link between ids invalidates all of them.
 * Revisit: if projects link ids all the time and read /changes all the time.
 */

import type { ChangeDimension, DimensionCounts } from "../../../domain/changes/change-counts";
import { leftOut } from "../aggregate/by-visit";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { UsersOfGroups } from "../aggregate/users";
import type { Context } from "../filter/context";
import type { Selection } from "../scan/selection";
import type { Key } from "../scan/vector";
import { dimensionCounts, largestValues } from "./largest-values";
import type { NumberedUsers } from "./numbered-users";

/** The rows of a window, and their users where users are counted. */
export interface CountedWindow {
  readonly selected: readonly Selection[];
  /** A name of the rows within their segments; null if filters choose them. */
  readonly name: string | null;
  readonly users: (() => NumberedUsers) | null;
}
export interface CountedWindows {
  readonly current: CountedWindow;
  readonly previous: CountedWindow;
  /** One for each date of the reference. */
  readonly dates: readonly CountedWindow[];
}

/** The values of a dimension. `name` separates their counts in the cache. */
export interface NamedKey {
  readonly key: Key;
  readonly name: string;
}

/**
 * The events or users of each value of a dimension: in both periods, and of the largest values on each date of the
 * reference. Each window is grouped by the value, which has one number in all of them.
 */
export function valueChanges(
  context: Context,
  { current, previous, dates }: CountedWindows,
  dimension: ChangeDimension | null,
  by: NamedKey,
): DimensionCounts {
  const { budget } = context;
  const ofCurrent = grouped(context, current, by);
  const ofPrevious = grouped(context, previous, by, ofCurrent);
  const size = Math.max(1, ofCurrent.size);
  const countsIn = (window: CountedWindow, groups: HashAggregate): Float64Array => {
    const countOf = counter(context, window, by, groups);
    const counts = budget.doubles(size).map((_, group) => countOf(group));
    groups.end();
    return counts;
  };
  const counts = {
    current: countsIn(current, ofCurrent),
    previous: countsIn(previous, ofPrevious),
  };
  const shown = largestValues(counts, ofCurrent, dimension, budget);
  const byDate = shown.map(() => new Float64Array(dates.length));
  const isOfMany = size > context.tuning.cachedUserValuesMax;
  const byShown = isOfMany ? closed(by, [current, previous]) : by;
  for (const [at, date] of dates.entries()) {
    const bytesBefore = budget.bytes;
    const ofDate = grouped(context, date, byShown);
    const own = shown.map((group) => ofDate.groupOf(ofCurrent.numberAt(group, 0)));
    // The next read may show other values, so the cache has all of them unless they are many.
    const only = isOfMany || date.name === null ? own : undefined;
    const countOf = counter(context, date, byShown, ofDate, only);
    for (const [place, group] of own.entries()) byDate[place][at] = countOf(group);
    ofDate.end();
    budget.giveBackTo(bytesBefore);
  }
  return dimensionCounts(counts, ofCurrent, shown, byDate);
}

/**
 * Makes one value of all that neither period has, because a date needs only the counts of the largest values. The name
 * says which periods these are the largest of.
 */
function closed({ key, name }: NamedKey, periods: readonly CountedWindow[]): NamedKey {
  key.close?.();
  const of = periods.map(({ selected, name: when }) => [when, selected.map(keyOfSegment)].join());
  return { key, name: `${name} of the largest ${of.join(" and ")}` };
}
const keyOfSegment = ({ segment }: Selection): string => segment.key;

/** Groups the events of a window by the value. */
function grouped(
  context: Context,
  { selected }: CountedWindow,
  { key }: NamedKey,
  beside?: HashAggregate,
): HashAggregate {
  const groups = new HashAggregate([key], context.budget, { ...(beside && { beside }) });
  for (const selection of selected) {
    context.check();
    groups.add(selection);
  }
  return groups;
}

/** Returns a function that gives the events or users of each group, or of those in `only`. */
function counter(
  context: Context,
  { selected, name: when, users }: CountedWindow,
  { name }: NamedKey,
  groups: HashAggregate,
  only?: readonly number[],
): (group: number) => number {
  const countOf = (group: number): number => groups.value(group, metric) ?? 0;
  if (users === null) return countOf;
  const count = (): void => {
    const { count: largest, ...ofWindow } = users();
    const present = only?.filter((group) => countOf(group) > 0) ?? [...groups.members()];
    groups.aggregate(new Map([[metric, new UsersOfGroups(context, ofWindow, largest)]]), present);
  };
  const codes = groups.groupsOfCodes;
  const { cachedUserValuesMax } = context.tuning;
  if (when === null || codes.some(({ length }) => length > cachedUserValuesMax)) {
    count();
    return countOf;
  }
  const segments = selected.map(({ segment }) => segment);
  const cached = context.cached(`users ${when} by ${name}`, segments, bytesOf, () => {
    count();
    return codes.map((of) =>
      Uint32Array.from(of, (group) => (group === leftOut ? 0 : countOf(group))),
    );
  });
  const counts = context.budget.doubles(groups.size);
  for (const [chunk, of] of codes.entries()) {
    for (let code = 0; code < of.length; code++)
      if (of[code] !== leftOut) counts[of[code]] = cached[chunk][code];
  }
  return (group) => counts[group] ?? 0;
}
/** The number of a group's users if the aggregate has it, else of its events. */
const metric = "unique_users";
const bytesOf = (counts: readonly Uint32Array[]): number =>
  counts.reduce((sum, { byteLength }) => sum + byteLength, 0);
