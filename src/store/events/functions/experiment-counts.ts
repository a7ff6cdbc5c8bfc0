/*
 * One pass counts the users of an experiment.
 * Decision: the pass keeps the earliest exposure and the latest goal event of each user. A goal event is at or after
 * the exposure exactly if the latest one is.
 * Because: segments are in no order of time that a second pass could use.
 * Cost: 25 bytes for every user of the window, exposed or not.
 * Revisit: if other questions about the conversions come up, such as when they happened.
 */

import type { ExperimentRequest } from "../../../domain/counting";
import { exposureEvent } from "../../../domain/experiment";
import type { VariantCounts } from "../../../domain/experiment-results";
import { eventConditions } from "../../../domain/filter";
import { eventsOf } from "../../../domain/goal";
import type { TimeWindow } from "../../../domain/time-window";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import { UsedEvents } from "../pattern/used-events";
import type { Identity } from "../scan/identity";
import type { Selection } from "../scan/selection";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";

/**
 * Exposures, users and conversions of each variant (definitions.md), in one pass: a user belongs to the variant of
 * the earliest exposure, and has converted if the latest goal event is not before it.
 */
export function experimentCounts(
  context: Context,
  segments: readonly Segment[],
  window: TimeWindow,
  request: ExperimentRequest,
): VariantCounts[] {
  if (segments.length === 0) return request.variants.map(() => nothing);
  const identity = context.identity(segments[0].projectId);
  const exposures = new Filter(context, eventConditions(exposureEvent), identity, true);
  const goals = new Filter(context, eventsOf(request.goal), identity, true);
  const tally = new Tally(context, segments, identity, request);
  segments.forEach((segment, index) => {
    tally.expose(exposures.select(segment, window), index);
    tally.reach(goals.select(segment, window));
  });
  return tally.counts();
}

const nothing: VariantCounts = { exposures: 0, unique_users: 0, conversions: 0 };

/** The variant of another experiment's exposure, or of one to a variant that this experiment does not have. */
const none = -1;

class Tally {
  private readonly exposures: number[];
  private readonly first: UsedEvents;
  /** Index = user; set for users with a first exposure. */
  private readonly variantOf: Uint8Array<ArrayBuffer>;
  private readonly lastGoalMs: Float64Array<ArrayBuffer>;

  constructor(
    { budget, check }: Context,
    segments: readonly Segment[],
    private readonly identity: Identity,
    private readonly request: ExperimentRequest,
  ) {
    const userCount = identity.largestIn(segments, check);
    this.exposures = request.variants.map(() => 0);
    this.first = UsedEvents.none(userCount, segments, budget);
    this.variantOf = new Uint8Array(userCount + 1);
    this.lastGoalMs = budget.doubles(userCount + 1).fill(Number.NEGATIVE_INFINITY);
  }

  /** Takes the exposures of the segment at a place. */
  expose(selection: Selection, place: number): void {
    if (selection.isNone) return;
    const { segment } = selection;
    const { firstTime, times } = segment;
    const users = this.identity.usersOf(segment);
    const exposures = new Exposures(segment, this.request);
    selection.eachRow((row, visit) => {
      const variant = exposures.isForced(row) ? none : exposures.variantAt(row);
      if (variant === none) return;
      this.exposures[variant]++;
      const user = users[visit];
      if (user !== 0 && this.first.offer(user, firstTime + times[row], place, row))
        this.variantOf[user] = variant;
    });
  }
  /** Takes the events of the goal, which may be exposures: forced ones do not count. */
  reach(selection: Selection): void {
    if (selection.isNone) return;
    const { segment } = selection;
    const { firstTime, times } = segment;
    const users = this.identity.usersOf(segment);
    const { lastGoalMs, request } = this;
    const exposures = request.goal.event === exposureEvent ? new Exposures(segment, request) : null;
    selection.eachRow((row, visit) => {
      if (exposures?.isForced(row) === true) return;
      const timeMs = firstTime + times[row];
      if (timeMs > lastGoalMs[users[visit]]) lastGoalMs[users[visit]] = timeMs;
    });
  }

  counts(): VariantCounts[] {
    const { exposures, first, variantOf, lastGoalMs } = this;
    const users = exposures.map(() => 0);
    const conversions = exposures.map(() => 0);
    // Number 0 is no user.
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

/** The properties of exposures in a segment. It compares values as they were sent: the text "true" forces nothing. */
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
  /** Returns the place of the variant; `none` for an exposure to another experiment. */
  variantAt(row: number): number {
    return this.experiments.at(row) === 1 ? this.variants.at(row) - 1 : none;
  }
}

/** Judges each value of a property once for a segment; 0 for rows without one. */
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
