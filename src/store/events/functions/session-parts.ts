import type { CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { goalMetrics } from "../../../domain/metric";
import { averageDuration, bounceRate, conversionRate } from "../../../domain/session";
import { isSessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { type Inputs, keyOf, severalOf } from "../aggregate/plan";
import { SessionsOfGroups } from "../aggregate/sessions";
import type { Label } from "../aggregate/vector";
import { allOf, Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { reachedFor, rowOf, select } from "./count-by";
import { type Counted, nothing } from "./counted";
import { bestGroups, type CountedGroups } from "./counting/ranking";
import type { Sessions } from "./sessions/sessions";

/**
 * Counting of whole sessions in parts of a window that follow each other: a session with
 * events in several of them belongs to the first.
 */

type Doubles = Float64Array<ArrayBuffer>;

/** Tells whether a question counts only whole sessions, grouped by at most one field of sessions. */
export const isOfWholeSessions = ({
  group_by: groupBy,
  metrics,
  skip_null: skipsNull,
}: CountRequest): boolean =>
  groupBy.length <= 1 &&
  groupBy.every(isSessionField) &&
  metrics.every((metric) => sessionMetrics.has(metric)) &&
  skipsNull !== true;
const sessionMetrics: ReadonlySet<string> = new Set([
  ...["session_count", "bounce_rate", "avg_duration", ...goalMetrics],
]);

/** Sums over the sessions of each group. Index = place of the group. */
export interface SessionSumsOfPart {
  readonly labels: readonly Label[];
  readonly count: Doubles;
  readonly bounces: Doubles;
  readonly duration: Doubles;
  readonly conversions: Doubles;
}

/**
 * Returns the groups of a part of a window that begins at `beginMs`; null if there are too many to send. `project`
 * returns all segments of the project.
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
  if (sessions === null) return noSums;
  const { budget } = context;
  const { filters = [], metrics } = request;
  const identity = context.identity(segments[0].projectId);
  const bytesBefore = budget.bytes;
  const filter = new Filter(context, allOf(window, filters), identity, filters.length === 0);
  const selected = select(context, segments, window, filters, identity);
  const inputs: Inputs = {
    ...{ context, identity, selected, window, sessions, numbers: sessions },
    reached: reachedFor(context, sessions, project, request),
  };
  const before = { fromMs: beginMs, toMs: window.fromMs };
  const isEarlier = sessionsBefore(context, sessions, project(), before, filter);
  const counted = new HashAggregate(
    request.group_by.map((name) => keyOf(name, inputs)),
    budget,
  );
  for (const selection of selected) {
    context.check();
    counted.add(selection);
  }
  const groups = counted.members();
  if (groups.length > context.tuning.toldGroupsMax) return null;
  const sums = new SessionsOfGroups(context, metrics, {
    ...{ ...inputs, numbers: sessions, several: severalOf(inputs), isEarlier },
  });
  counted.aggregate(new Map(metrics.map((metric) => [metric, sums])));
  const sumsOfPart = sumsOf(groups, counted, sums, request);
  counted.end();
  budget.giveBackTo(bytesBefore);
  return sumsOfPart;
}

/**
 * Marks the sessions that have an event in the parts before. It cannot use the beginning of sessions, as the table has
 * only those earlier segments that share sessions with the part.
 */
function sessionsBefore(
  { budget }: Context,
  sessions: Sessions,
  all: readonly Segment[],
  before: TimeWindow,
  filter: Filter,
): Uint8Array | null {
  if (before.fromMs >= before.toMs) return null;
  const isEarlier = budget.bytesOf(sessions.count + 1);
  for (const segment of all) {
    if (segment.lastTime < before.fromMs || segment.firstTime >= before.toMs) continue;
    const numbers = sessions.numbersIn(segment.id);
    if (numbers.length === 0) continue;
    const { visits } = filter.select(segment, before);
    for (let v = 0; v < numbers.length; v++) if (visits[v] === 1) isEarlier[numbers[v]] = 1;
  }
  return isEarlier;
}

function sumsOf(
  groups: ArrayLike<number>,
  counted: HashAggregate,
  sums: SessionsOfGroups,
  { group_by: groupBy }: CountRequest,
): SessionSumsOfPart {
  const ofGroups = Array.from(groups, (group) => sums.sumsOf(group));
  return {
    labels: Array.from(groups, (group) => (groupBy.length === 0 ? null : counted.label(group, 0))),
    count: Float64Array.from(ofGroups, ({ count }) => count),
    bounces: Float64Array.from(ofGroups, ({ bounces }) => bounces),
    duration: Float64Array.from(ofGroups, ({ durationMs }) => durationMs),
    conversions: Float64Array.from(ofGroups, ({ conversions }) => conversions),
  };
}

const noSums: SessionSumsOfPart = {
  ...{ labels: [], count: new Float64Array(0), bounces: new Float64Array(0) },
  ...{ duration: new Float64Array(0), conversions: new Float64Array(0) },
};

/** The groups of all parts. */
export class JoinedSessions implements CountedGroups {
  private readonly numbers = new Map<Label, number>();
  private readonly labels: Label[] = [];
  private readonly sums = { count: [0], bounces: [0], duration: [0], conversions: [0] };

  constructor(
    parts: readonly SessionSumsOfPart[],
    private readonly request: CountRequest,
    private readonly context: Context,
  ) {
    for (const part of parts) {
      part.labels.forEach((label, place) => {
        const group = this.groupOf(label);
        for (const [name, sums] of Object.entries(this.sums))
          sums[group] = (sums[group] ?? 0) + part[name as keyof typeof this.sums][place];
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
    const { count, bounces, duration, conversions } = this.sums;
    switch (metric) {
      case "bounce_rate":
        return bounceRate(bounces[group], count[group]);
      case "avg_duration":
        return averageDuration(duration[group], count[group]);
      case "conversions":
        return conversions[group];
      case "conversion_rate":
        return conversionRate(conversions[group], count[group]);
      default:
        return count[group];
    }
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
