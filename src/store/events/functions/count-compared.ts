import type { CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Goal } from "../../../domain/goal";
import { valueOfNothing } from "../../../domain/metric";
import type { TimeWindow } from "../../../domain/time-window";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { aggregatesOf, type Inputs, keyOf, reachedOf, sessionsOf } from "../aggregate/plan";
import { bestGroups, type CountedGroups } from "../aggregate/ranking";
import type { Context } from "../filter/context";
import type { Selection } from "../scan/selection";
import type { Key, Label } from "../scan/vector";
import type { Segment } from "../segment/segment";
import { Bitmap } from "../sets/bitmap";
import { rowOf, select } from "./count-by";
import { type CountedRow, emptyRow } from "./counted";

/** One of two periods, or a piece of it. */
export interface ComparedSide {
  readonly segments: readonly Segment[];
  readonly window: FilteredWindow;
  readonly goal?: Goal | undefined;
}
export interface Sides {
  readonly current: ComparedSide;
  readonly previous: ComparedSide;
}
export interface ComparedCount {
  readonly rows: { readonly current: CountedRow; readonly previous: CountedRow }[];
  /** The number of groups, with those that the limit leaves out. */
  readonly groups_total: number;
}

/**
 * Counts the same groups over two windows, in the order of the first one's values. Groups, users and sessions have the
 * same numbers in both, so that only the shown rows need labels. It costs as much as both counts.
 */
export function countCompared(
  context: Context,
  { current, previous }: Sides,
  request: CountRequest,
  sessionsWithin: readonly TimeWindow[],
  project: () => readonly Segment[],
): ComparedCount {
  const [anySegment] = [...current.segments, ...previous.segments];
  if (anySegment === undefined) return nothing(request, current);
  const identity = context.identity(anySegment.projectId);
  const selectedOf = ({ segments, window }: ComparedSide): Selection[] =>
    select(context, segments, window, request.filters ?? [], identity);
  const selected = { current: selectedOf(current), previous: selectedOf(previous) };
  const both = [...selected.current, ...selected.previous];
  const sessions = sessionsOf(request, { context, selected: both, project }, sessionsWithin);
  const inputsOf = ({ window, goal }: ComparedSide): Inputs => ({
    ...{ context, identity, window, sessions },
    selected: both,
    reached: reachedOf({ goal, metrics: request.metrics }, { context, sessions, project }),
  });
  const inputs = { current: inputsOf(current), previous: inputsOf(previous) };

  const { budget } = context;
  const bytesBefore = budget.bytes;
  const keys = request.group_by.map((name) => keyOf(name, inputs.current));
  // Hours of the previous period have the labels of the hours at the same place in the current one.
  const ofPrevious = request.group_by.map((name, at) =>
    name === "hour" ? keyOf(name, inputs.previous, current.window) : keys[at],
  );
  const count = (side: keyof Sides, of: readonly Key[], beside?: HashAggregate): HashAggregate => {
    const groups = new HashAggregate(of, budget, {
      ...{ groupsMax: request.groups_max, ...(beside && { beside }) },
    });
    for (const selection of selected[side]) {
      context.check();
      groups.add(selection);
    }
    groups.aggregate(aggregatesOf(request, inputs[side]));
    return groups;
  };
  const ofCurrent = count("current", keys);
  const hasValue = current.goal?.value !== undefined;
  const compared = new ComparedGroups(
    ofCurrent,
    count("previous", ofPrevious, ofCurrent),
    hasValue,
  );
  const { best, total } = bestGroups(compared, request, budget);
  const rows = best.map((group) => ({
    current: rowOf(compared, group, request),
    previous: rowOf(compared.earlier, group, request),
  }));
  compared.end();
  budget.giveBackTo(bytesBefore);
  return total === 0 ? nothing(request, current) : { rows, groups_total: total };
}

function nothing(request: CountRequest, { goal }: ComparedSide): ComparedCount {
  if (request.always_one_row !== true) return { rows: [], groups_total: 0 };
  const empty = emptyRow({ ...request, ...(goal && { goal }) });
  return { rows: [{ current: empty, previous: empty }], groups_total: 1 };
}

/** The groups that either of two aggregates has, with the values of the first. */
class ComparedGroups implements CountedGroups {
  private readonly inCurrent: Bitmap;
  private readonly all: Uint32Array;
  /** The groups with the values of the second aggregate. */
  readonly earlier: CountedGroups;

  constructor(
    private readonly current: CountedGroups,
    private readonly previous: CountedGroups,
    private readonly hasValue: boolean,
  ) {
    const own = current.members();
    const others = previous.members();
    this.inCurrent = membersOf(own);
    const inPrevious = membersOf(others);
    const more = others.filter((group) => !this.inCurrent.has(group));
    this.all = new Uint32Array(own.length + more.length);
    this.all.set(own);
    this.all.set(more, own.length);
    this.earlier = {
      members: () => others,
      label: (group, position) => this.label(group, position),
      value: (group, metric) =>
        inPrevious.has(group) ? previous.value(group, metric) : valueOfNothing(metric, hasValue),
    };
  }

  end(): void {
    this.current.end?.();
    this.previous.end?.();
  }
  members(): Uint32Array {
    return this.all;
  }
  label(group: number, position: number): Label {
    const { current, previous, inCurrent } = this;
    return (inCurrent.has(group) ? current : previous).label(group, position);
  }
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] {
    return this.current.firstByLabel?.(groups, limit) ?? [...groups];
  }
  value(group: number, metric: string): number | null {
    const { current, inCurrent, hasValue } = this;
    return inCurrent.has(group) ? current.value(group, metric) : valueOfNothing(metric, hasValue);
  }
}

function membersOf(groups: Uint32Array): Bitmap {
  const members = new Bitmap();
  for (const group of groups) members.add(group);
  return members;
}
