/*
 * A million groups, and 8 million.
 * Decision: POST /query with more than a million groups, and any other read with more than 8 million, ends as
 * QUERY_FAILED.
 * Because: memory must have a bound for every request, and a group takes 80 bytes. The other reads show few groups, and
 * count them by one number, such as that of a property's value.
 * Cost: the server refuses to group very large windows by many fields, and counts all groups for `groups_total`.
 * Revisit: if groups can be spilled.
 */

import type { CountRequest } from "../../../domain/counting";
import { countGroupsMax } from "../../../domain/limits";
import { Smallest } from "../../../lib/smallest";
import { compareLabels } from "../../../lib/text";
import type { Label } from "../scan/vector";
import type { Budget } from "../sets/budget";
import { tooManyGroups } from "../sets/group-table";
import { around, nthLargestOf } from "../sets/largest";

/** Counted groups. A label may be expensive to look up, so the ranking reads as few labels as it can. */
export interface CountedGroups {
  /** Numbers of the groups that have rows. */
  members(): Uint32Array;
  value(group: number, metric: string): number | null;
  /** Returns the group's label at a position of `group_by`, as it is shown. */
  label(group: number, position: number): Label;
  /** Returns the first of many groups in order of their labels; absent if each label has to be looked up. */
  firstByLabel?(groups: Uint32Array, limit: number): readonly number[];
  /** Gives the arrays back; no values can be read afterwards. */
  end?(): void;
}

/** A group that the answer may show. Its labels are looked up if another group has the same value. */
class Ranked {
  private readonly known: Label[] = [];
  constructor(
    readonly group: number,
    readonly value: Label,
    private readonly groups: CountedGroups,
  ) {}

  label(place: number): Label {
    const known = this.known[place];
    if (known !== undefined) return known;
    const label = this.groups.label(this.group, place);
    this.known[place] = label;
    return label;
  }
}

/** Labels may be looked up in the file, some microseconds each. */
const groupsPerCheck = 1_024;

export interface RankedGroups {
  /** The groups to show, in order. */
  readonly best: readonly number[];
  /** The number of all groups. */
  readonly total: number;
}

/** Returns the groups to show, ordered by the requested column; labels decide ties, in order of `group_by`. */
export function bestGroups(
  groups: CountedGroups,
  request: CountRequest,
  budget: Budget,
): RankedGroups {
  const { group_by: groupBy, metrics } = request;
  const bytesBefore = budget.bytes;
  const orderBy = request.order_by ?? metrics[0];
  const position = groupBy.map(String).indexOf(orderBy);
  const isByMetric = metrics.some((metric) => metric === orderBy);
  const sign = request.order === "asc" ? 1 : -1;
  const all = groups.members();
  const { groups_max: groupsMax = countGroupsMax } = request;
  if (all.length > groupsMax) throw tooManyGroups(groupsMax);
  const limit = Math.min(request.limit ?? all.length, all.length);
  if (limit === 0) return { best: [], total: all.length };
  const rankedBy = (group: number): Label => {
    if (isByMetric) return groups.value(group, orderBy);
    return position < 0 ? 0 : groups.label(group, position); // "labels": all equal, so that only the labels decide
  };

  const candidates = isByMetric ? upToThreshold(groups, all, orderBy, sign, limit, budget) : all;
  const compare = (a: Ranked, b: Ranked): number =>
    sign * compareLabels(a.value, b.value) || compareLists(a, b, groupBy.length);
  const best = new Smallest<Ranked>(limit, compare);
  let offered = 0;
  for (const group of candidates) {
    if (offered++ % groupsPerCheck === 0) budget.check();
    best.offer(new Ranked(group, rankedBy(group), groups));
  }
  budget.giveBackTo(bytesBefore);
  return { best: best.members().map(({ group }) => group), total: all.length };
}

/** Returns the groups that reach the value of the last group shown, with as few of its ties as possible. */
function upToThreshold(
  groups: CountedGroups,
  all: Uint32Array,
  metric: string,
  sign: number,
  limit: number,
  budget: Budget,
): Iterable<number> {
  if (all.length <= limit) return all;
  // Larger is better from here on.
  const worths = budget.doubles(all.length);
  for (let place = 0; place < all.length; ) {
    const end = budget.checkedUntil(place, all.length, groupsPerCheck);
    // No number is less than any.
    for (; place < end; place++)
      worths[place] = -sign * (groups.value(all[place], metric) ?? Number.NEGATIVE_INFINITY);
  }
  const threshold = nthLargestOf(worths, limit, budget);
  const { better, tied } = around(worths, threshold, budget);
  budget.giveBack(worths.byteLength);
  for (let place = 0; place < tied.length; place++) tied[place] = all[tied[place]];
  const places = limit - better.length;
  const isMany = tied.length > budget.tuning.tiesMax && groups.firstByLabel !== undefined;
  const first = isMany ? (groups.firstByLabel?.(tied, places) ?? tied) : tied;
  return chained(
    better.map((place) => all[place]),
    first,
  );
}

function* chained(...lists: readonly Iterable<number>[]): Generator<number> {
  for (const list of lists) yield* list;
}

function compareLists(a: Ranked, b: Ranked, places: number): number {
  for (let place = 0; place < places; place++) {
    const order = compareLabels(a.label(place), b.label(place));
    if (order !== 0) return order;
  }
  return 0;
}
