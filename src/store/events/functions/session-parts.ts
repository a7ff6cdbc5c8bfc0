import type { CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { countsConversions } from "../../../domain/metric";
import { allOf, Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { rowOf, select } from "./count-by";
import { type Counted, nothing } from "./counted";
import type { Label } from "./counting/label";
import { bestGroups, type CountedGroups } from "./counting/ranking";
import { seenSessions } from "./counting/seen-sessions";
import { SessionSums } from "./counting/session-sums";
import { toldOf, WholeSessionCounting } from "./counting/whole-sessions";
import { sessionsReaching } from "./sessions/session-filter";
import type { SeenSessions, Sessions } from "./sessions/sessions";

/**
 * Counting of whole sessions (counting/whole-sessions.ts) in parts of a window that follow each other: a session with
 * events in several of them belongs to the first.
 */

type Doubles = Float64Array<ArrayBuffer>;

/** Sums over the sessions of each group, by its place. */
export interface SessionSumsOfPart {
  readonly labels: readonly Label[];
  readonly count: Doubles;
  readonly bounces: Doubles;
  readonly duration: Doubles;
  readonly conversions: Doubles;
}

/**
 * The groups of a part, of a window that begins at `beginMs`; `project` has all segments of the project. Null when
 * there are too many to tell.
 */
export function sessionsOfGroups(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
  beginMs: number,
  project: () => readonly Segment[],
): SessionSumsOfPart | null {
  const sessions =
    segments.length === 0 ? null : context.tables.sessionsOfAtLeast(project(), window);
  if (sessions === null) return sumsOf([], null, request);
  const { budget } = context;
  const { filters = [], goal, metrics } = request;
  const identity = context.identity(segments[0].projectId);
  const find = (): SeenSessions => {
    const selected = select(context, segments, window, filters, identity);
    return seenSessions(selected, sessions, budget);
  };
  const all = allOf(window, filters);
  const seen = context.sessionsWith(all, window, sessions, find);
  const reached =
    goal !== undefined && countsConversions(metrics)
      ? sessionsReaching(context, sessions, project(), goal)
      : null;
  const bytesBefore = budget.bytes;
  const before = { fromMs: beginMs, toMs: window.fromMs };
  const filter = new Filter(context, all, identity, filters.length === 0);
  const found = withoutEarlier(context, seen, sessions, project(), before, filter);
  const counting = new WholeSessionCounting(request, context, sessions, found, {
    told: toldOf(request, sessions, identity),
    reached,
  });
  const groups = counting.members();
  const told =
    groups.length > context.tuning.toldGroupsMax ? null : sumsOf(groups, counting, request);
  budget.giveBackTo(bytesBefore);
  return told;
}

/**
 * Returns the sessions for which no event of the parts before counts. When these began is not asked: of segments before
 * the table has only those that share sessions with the part.
 */
function withoutEarlier(
  { budget }: Context,
  seen: SeenSessions,
  sessions: Sessions,
  all: readonly Segment[],
  before: { readonly fromMs: number; readonly toMs: number },
  filter: Filter,
): SeenSessions {
  if (before.fromMs >= before.toMs) return seen;
  const isEarlier = budget.bytesOf(sessions.count + 1);
  let earlier = 0;
  for (const segment of all) {
    if (segment.lastTime < before.fromMs || segment.firstTime >= before.toMs) continue;
    const numbers = sessions.numbersIn(segment.id);
    if (numbers.length === 0) continue;
    const { visits } = filter.select(segment, before);
    for (let v = 0; v < numbers.length; v++) {
      if (numbers[v] === 0 || isEarlier[numbers[v]] === 1) continue;
      if (visits[v] === 0) continue;
      isEarlier[numbers[v]] = 1;
      earlier++;
    }
  }
  if (earlier === 0) return seen;
  const left = budget.words(seen.numbers.length);
  let count = 0;
  for (let at = 0; at < left.length; at++) {
    const session = seen.numbers[at];
    if (isEarlier[session] === 0) left[count++] = session;
  }
  return { ...seen, numbers: left.subarray(0, count) };
}

function sumsOf(
  groups: ArrayLike<number>,
  counting: WholeSessionCounting | null,
  { group_by: groupBy }: CountRequest,
): SessionSumsOfPart {
  const each = <Value>(found: (group: number) => Value): Value[] =>
    Array.from(groups, (group) => found(group));
  const sum = (name: Exclude<keyof SessionSumsOfPart, "labels">): Doubles =>
    Float64Array.from(each((group) => counting?.sums[name].of(group) ?? 0));
  return {
    labels: each((group) => (groupBy.length === 0 ? null : (counting?.label(group) ?? null))),
    ...{ count: sum("count"), bounces: sum("bounces") },
    ...{ duration: sum("duration"), conversions: sum("conversions") },
  };
}

/** The groups of all parts. */
export class JoinedSessions implements CountedGroups {
  private readonly numbers = new Map<Label, number>();
  private readonly labels: Label[] = [];
  private readonly sums: SessionSums;

  constructor(
    parts: readonly SessionSumsOfPart[],
    private readonly request: CountRequest,
    private readonly context: Context,
  ) {
    this.sums = new SessionSums(context.budget, request.metrics, null);
    for (const part of parts) {
      part.labels.forEach((label, place) => {
        const group = this.groupOf(label);
        this.sums.count.add(group, part.count[place]);
        this.sums.bounces.add(group, part.bounces[place]);
        this.sums.duration.add(group, part.duration[place]);
        this.sums.conversions.add(group, part.conversions[place]);
      });
    }
  }

  members(): Uint32Array {
    return Uint32Array.from(this.labels.keys());
  }
  label(group: number): Label {
    return this.labels[group];
  }
  value(group: number, metric: string): number | null {
    return this.sums.value(group, metric);
  }
  rows(): Counted {
    const { request, context } = this;
    const { best, total } = bestGroups(this, request, context.budget);
    const rows = best.map((group) => rowOf(this, group, request));
    return total === 0 ? nothing(request) : { rows, groups_total: total };
  }

  private groupOf(label: Label): number {
    const known = this.numbers.get(label);
    if (known !== undefined) return known;
    const group = this.labels.push(label) - 1;
    this.numbers.set(label, group);
    return group;
  }
}
