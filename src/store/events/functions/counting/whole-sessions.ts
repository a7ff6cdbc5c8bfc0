import type { CountRequest } from "../../../../domain/counting";
import { goalMetrics } from "../../../../domain/metric";
import { isSessionField } from "../../../../domain/session-field";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionValues } from "../sessions/kept-values";
import type { SeenSessions, Sessions } from "../sessions/sessions";
import { type ToldBySessions, toldBySessions } from "../sessions/told-by-sessions";
import type { Label, Labels } from "./label";
import type { CountedGroups } from "./ranking";
import type { Reached } from "./reached";
import { SessionValueLabels } from "./session-labels";
import { SessionSums } from "./session-sums";

const ofSessions: ReadonlySet<string> = new Set([
  ...["session_count", "bounce_rate", "avg_duration", ...goalMetrics],
]);

/**
 * Tells whether a question only asks what is known about whole sessions, by fields of theirs alone. The sessions are
 * found once for all questions of a read about the same events; then no visit is looked at again.
 */
export const isOfWholeSessions = ({
  group_by: groupBy,
  metrics,
  skip_null: skipsNull,
}: CountRequest): boolean =>
  groupBy.length <= 1 &&
  groupBy.every(isSessionField) &&
  metrics.every((metric) => ofSessions.has(metric)) &&
  skipsNull !== true;

interface OfWholeSessions {
  /** The field that sessions are grouped by; null without groups. */
  readonly told: ToldBySessions | null;
  readonly reached: Reached | null;
}

/** Returns the field by which sessions are grouped. */
export const toldOf = (
  { group_by: [field] }: CountRequest,
  sessions: Sessions,
  identity: Identity,
): ToldBySessions | null =>
  field !== undefined && isSessionField(field)
    ? toldBySessions(sessions, field, identity, undefined)
    : null;

/** Group 0 has the sessions without a value, and stands for what is in no session. */
export class WholeSessionCounting implements CountedGroups {
  private readonly budget: Budget;
  private readonly labels: Labels | null;
  readonly sums: SessionSums;

  constructor(
    { metrics }: CountRequest,
    context: Context,
    sessions: Sessions,
    private readonly seen: SeenSessions,
    { told, reached }: OfWholeSessions,
  ) {
    const { budget } = context;
    this.budget = budget;
    this.labels = told && new SessionValueLabels(context, told);
    this.sums = new SessionSums(budget, metrics, reached);
    const groups = told && groupsOf(seen, told.values, budget);
    this.count(groups);
    if (metrics.includes("bounce_rate")) this.addBounces(groups, sessions);
    if (metrics.includes("avg_duration")) this.addDurations(groups, sessions);
    if (reached !== null) this.addConversions(groups);
    if (groups !== null) budget.free(groups);
  }

  // A loop for each: in one, what some of them skip and others do is looked at for each session.
  private count(groups: Uint32Array | null): void {
    const { numbers } = this.seen;
    const { count } = this.sums;
    if (groups === null) count.add(0, numbers.length);
    else for (let i = 0; i < groups.length; i++) count.add(groups[i], 1);
  }
  private addBounces(groups: Uint32Array | null, sessions: Sessions): void {
    const { numbers } = this.seen;
    const { interactive } = sessions;
    for (let i = 0; i < numbers.length; i++) {
      this.sums.bounces.add(groups === null ? 0 : groups[i], 1 - interactive[numbers[i]]);
    }
  }
  private addDurations(groups: Uint32Array | null, sessions: Sessions): void {
    const { numbers } = this.seen;
    const { start, end } = sessions;
    for (let i = 0; i < numbers.length; i++) {
      const session = numbers[i];
      this.sums.duration.add(groups === null ? 0 : groups[i], end[session] - start[session]);
    }
  }
  private addConversions(groups: Uint32Array | null): void {
    const { numbers } = this.seen;
    for (let i = 0; i < numbers.length; i++) {
      this.sums.convert(groups === null ? 0 : groups[i], numbers[i]);
    }
  }

  members(): Uint32Array {
    const groups = this.sums.count.members();
    if (!this.seen.hasOthers || this.sums.count.of(0) > 0) return groups;
    const withNone = this.budget.words(groups.length + 1);
    withNone.set(groups, 1);
    return withNone;
  }
  label(group: number): Label {
    return this.labels?.label(group) ?? null;
  }
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] {
    return this.labels === null ? [0] : [...this.labels.first(groups, limit)];
  }
  value(group: number, metric: string): number | null {
    return this.sums.value(group, metric);
  }
}

/** The value of each session seen. */
function groupsOf(
  { numbers }: SeenSessions,
  values: SessionValues,
  budget: Budget,
): Uint32Array<ArrayBuffer> {
  const groups = budget.words(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    if (i % valuesPerCheck === 0) budget.check();
    groups[i] = values.numberOf(numbers[i]);
  }
  return groups;
}
