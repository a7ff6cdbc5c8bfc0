/*
 * An experiment's users are counted in one pass.
 * Decision: per user the earliest exposure and the latest goal are kept; a goal is at or after the exposure exactly
 * when the latest one is.
 * Because: segments are in no order of time that a second pass could use.
 * Cost: 25 bytes for every user of the window, exposed or not.
 * Revisit: if other questions about the conversions come up, such as when they happened.
 */

import type { ExperimentRequest } from "../../../domain/counting";
import { exposureEvent } from "../../../domain/experiment";
import type { VariantCounts } from "../../../domain/experiment-results";
import type { TimeWindow } from "../../../domain/time-window";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { type GoalRows, goalRows } from "./counting/goal-rows";
import type { Identity } from "./identity";
import { UsedEvents } from "./walks/used-events";

/**
 * Exposures, users and conversions of each variant (definitions.md), in one pass: a user belongs to the variant of
 * the earliest exposure, and has converted when the latest goal event is not before it.
 */
export function experimentCounts(
  context: Context,
  segments: readonly Segment[],
  window: TimeWindow,
  request: ExperimentRequest,
): VariantCounts[] {
  if (segments.length === 0) return request.variants.map(() => nothing);
  const tally = new Tally(context, segments, window, request);
  segments.forEach((segment, index) => {
    context.check();
    tally.add(segment, index);
  });
  return tally.counts();
}

const nothing: VariantCounts = { exposures: 0, unique_users: 0, conversions: 0 };

/** What an event is to the experiment, as bits: its goal may be the exposure itself. */
const exposure = 1;
const goal = 2;
/** The kind of another experiment's exposure, or of one to a variant that this experiment does not have. */
const none = -1;

class Tally {
  private readonly identity: Identity;
  private readonly exposures: number[];
  private readonly first: UsedEvents;
  /** Index = user; of those with a first exposure. */
  private readonly variantOf: Uint8Array<ArrayBuffer>;
  private readonly lastGoalMs: Float64Array<ArrayBuffer>;
  private readonly goalRows: GoalRows | null;
  private readonly isPlain: boolean;

  constructor(
    context: Context,
    segments: readonly Segment[],
    private readonly window: TimeWindow,
    private readonly request: ExperimentRequest,
  ) {
    this.identity = context.identity(segments[0].projectId);
    const { budget } = context;
    this.goalRows = goalRows(context, request.goal);
    this.isPlain = this.goalRows === null;
    const userCount = this.identity.largestIn(segments, context.check);
    this.exposures = request.variants.map(() => 0);
    this.first = UsedEvents.none(userCount, segments, budget);
    this.variantOf = new Uint8Array(userCount + 1);
    this.lastGoalMs = budget.doubles(userCount + 1).fill(Number.NEGATIVE_INFINITY);
  }

  add(segment: Segment, index: number): void {
    const reached = this.goalRows?.(segment).rows ?? null;
    const kinds = this.kindsOf(segment.dictionary("event.name"));
    const names = kinds === null ? null : segment.codes("event.name");
    if (kinds === null || names === null) return;
    const { fromMs, toMs } = this.window;
    const { firstRows, firstTime, times } = segment;
    let said: Exposures | null = null;
    const users = this.identity.usersOf(segment);
    let visit = 0;
    for (let row = 0; row < names.length; row++) {
      const isGoal = reached?.[row] === 1;
      const kind = kinds[names[row]] | (isGoal ? goal : 0);
      if (kind === 0) continue;
      const timeMs = firstTime + times[row];
      if (timeMs < fromMs || timeMs >= toMs) continue;
      while (row >= firstRows[visit + 1]) visit++;
      const user = users[visit];
      if ((kind & exposure) !== 0) {
        said ??= new Exposures(segment, this.request);
        if (said.isForced(row)) continue;
        this.expose(said.variantAt(row), user, timeMs, index, row);
      }
      if ((kind & goal) !== 0 && timeMs > this.lastGoalMs[user]) this.lastGoalMs[user] = timeMs;
    }
  }

  private expose(variant: number, user: number, timeMs: number, index: number, row: number): void {
    if (variant === none) return;
    this.exposures[variant]++;
    if (user !== 0 && this.first.offer(user, timeMs, index, row)) this.variantOf[user] = variant;
  }

  /** Returns the kinds by the code of a name; null when neither name occurs, so that no column need be loaded. */
  private kindsOf(names: readonly unknown[]): Uint8Array | null {
    const kinds = new Uint8Array(names.length + 1);
    const goalName = this.request.goal.event;
    let isSeen = false;
    names.forEach((name, at) => {
      const kind =
        (name === exposureEvent ? exposure : 0) | (name === goalName && this.isPlain ? goal : 0);
      isSeen ||= kind !== 0 || name === goalName;
      kinds[at + 1] = kind;
    });
    return isSeen ? kinds : null;
  }

  counts(): VariantCounts[] {
    const { exposures, first, variantOf, lastGoalMs } = this;
    const users = exposures.map(() => 0);
    const conversions = exposures.map(() => 0);
    // The number 0 is nobody's.
    for (let user = 1; user <= first.entityMax; user++) {
      const timeMs = first.timeOf(user);
      if (timeMs === Number.POSITIVE_INFINITY) continue;
      const variant = variantOf[user];
      users[variant]++;
      if (lastGoalMs[user] >= timeMs) conversions[variant]++;
    }
    return exposures.map((count, variant) => ({
      exposures: count,
      unique_users: users[variant],
      conversions: conversions[variant],
    }));
  }
}

/** What the exposure events of a segment say. Values are compared as they were sent: the text "true" forces nothing. */
class Exposures {
  private readonly experiments: Verdicts;
  private readonly forced: Verdicts;
  private readonly variants: Verdicts;

  constructor(segment: Segment, { experiment, variants }: ExperimentRequest) {
    const keys: readonly unknown[] = variants;
    this.experiments = new Verdicts(segment, "experiment", (value) => value === experiment);
    this.forced = new Verdicts(segment, "forced", (value) => value === true);
    this.variants = new Verdicts(segment, "variant", (value) => 1 + keys.indexOf(value));
  }
  isForced(row: number): boolean {
    return this.forced.at(row) === 1;
  }
  /** Place of the variant, of an exposure to this experiment. */
  variantAt(row: number): number {
    return this.experiments.at(row) === 1 ? this.variants.at(row) - 1 : none;
  }
}

/** What is thought of a property's value, decided once for each value of a segment; 0 where there is none. */
class Verdicts {
  private readonly verdicts: Uint8Array;
  private readonly codes: Integers | null;

  constructor(segment: Segment, key: string, judge: (value: unknown) => number | boolean) {
    const values = segment.dictionary(`property.${key}`);
    this.verdicts = new Uint8Array(values.length + 1);
    values.forEach((value, at) => {
      this.verdicts[at + 1] = Number(judge(value));
    });
    this.codes = segment.codes(`property.${key}`);
  }
  at(row: number): number {
    return this.codes === null ? 0 : this.verdicts[this.codes[row]];
  }
}
