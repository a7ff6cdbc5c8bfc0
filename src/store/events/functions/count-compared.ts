import type { CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Goal } from "../../../domain/goal";
import { judgesSessions, valueOfNothing } from "../../../domain/metric";
import type { TimeWindow } from "../../../domain/time-window";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { rowOf, selectFor, sessionNumbersFor } from "./count-by";
import { type CountRow, emptyRow } from "./counted";
import { Counting } from "./counting/counting";
import { groupLabels, sessionsFor } from "./counting/group-labels";
import { Groups } from "./counting/groups";
import type { Dimension, Label, Labels } from "./counting/label";
import { labelsOf } from "./counting/labels";
import { measuresOf } from "./counting/measures";
import { bestGroups, type CountedGroups } from "./counting/ranking";
import type { Reached } from "./counting/reached";
import { sessionValueCounting } from "./counting/session-value-counting";
import { visitCounting } from "./counting/visit-counting";
import { reachedFor } from "./sessions/session-filter";
import { Bitmap } from "./sets/bitmap";

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
  readonly rows: { readonly current: CountRow; readonly previous: CountRow }[];
  /** The number of groups, with those that the limit leaves out. */
  readonly groups_total: number;
}

/**
 * Counts the same groups over two windows, in the order of the first one's values. Groups, users and sessions have the
 * same numbers in both, so that no label is looked up but of the rows that are shown. Cost: that of both counts.
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
    selectFor(request, context, segments, window, identity);
  const selected = { current: selectedOf(current), previous: selectedOf(previous) };
  const isJudged = judgesSessions(request.metrics);
  const hasValue = current.goal?.value !== undefined;
  const found = sessionsFor(context, request, sessionsWithin, project);
  const sessions = isJudged ? found : null;
  const numbers = found ?? sessionNumbersFor(context, eachOnce(selected), request);
  const reachedOf = ({ goal }: ComparedSide): Reached | null =>
    sessions === null || goal === undefined
      ? null
      : reachedFor(context, sessions, project(), goal, request.metrics);
  const reached = { current: reachedOf(current), previous: reachedOf(previous) };

  const { budget } = context;
  const bytesBefore = budget.bytes;
  const labels = request.group_by.map((name) =>
    groupLabels(name, context, { identity, sessions: found, numbers }, current.window),
  );
  const hours = labelsOf("hour", context, identity, numbers, previous.window);
  const ofPrevious = labelsOfPrevious(request, labels, hours);
  let groups: Groups | undefined;
  const count = (side: keyof Sides, of: readonly Labels[]): CountedGroups => {
    const counted = selected[side];
    const counting =
      visitCounting(request, context, identity, numbers, sessions, counted) ??
      sessionValueCounting(request, context, identity, found, reached[side]) ??
      new Counting(request, groupsOf(of), identity, numbers, sessions, {
        measures: measuresOf(context, request.metrics, segmentsOf(counted)),
        reached: reached[side],
        spare: context.sparePlanes,
      });
    for (const selection of counted) {
      context.check();
      counting.add(selection);
    }
    return counting;
  };
  const groupsOf = (of: readonly Labels[]): Groups => {
    groups = new Groups(of, false, budget, request.groups_max, groups);
    return groups;
  };
  const compared = new ComparedGroups(
    count("current", labels),
    count("previous", ofPrevious),
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

const segmentsOf = (selected: readonly Selection[]): Segment[] =>
  selected.map(({ segment }) => segment);

const labelsOfPrevious = (
  { group_by: groupBy }: CountRequest,
  labels: readonly Labels[],
  hours: Labels,
): readonly Labels[] =>
  groupBy.map((name, at) => (name === "hour" ? new OtherHours(labels[at], hours) : labels[at]));

/** The segments of both, which may be the same ones. */
function eachOnce({ current, previous }: Readonly<Record<keyof Sides, Selection[]>>): Selection[] {
  const known = new Set(current.map(({ segment }) => segment.id));
  return [...current, ...previous.filter(({ segment }) => !known.has(segment.id))];
}

function nothing(request: CountRequest, { goal }: ComparedSide): ComparedCount {
  if (request.always_one_row !== true) return { rows: [], groups_total: 0 };
  const empty = emptyRow({ ...request, ...(goal && { goal }) });
  return { rows: [{ current: empty, previous: empty }], groups_total: 1 };
}

/** Hours of another date, under the names of the first one: the same hour of day has the same number on both. */
class OtherHours implements Labels {
  constructor(
    private readonly named: Labels,
    private readonly told: Labels,
  ) {}

  dimension(segment: Segment): Dimension {
    return this.told.dimension(segment);
  }
  label(number: number): Label {
    return this.named.label(number);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return this.named.first(numbers, count);
  }
}

/** The groups that either of two countings has, with the values of the first. */
class ComparedGroups implements CountedGroups {
  private readonly inCurrent: Bitmap;
  private readonly all: Uint32Array;
  /** The groups with the values of the second counting. */
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
