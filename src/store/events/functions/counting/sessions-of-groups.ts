import type { CountRequest } from "../../../../domain/counting";
import { averageDuration, bounceRate, conversionRate } from "../../../../domain/session";
import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup, type SparePlanes } from "../sets/distinct";
import { type GoalSums, goalSumsOf } from "./goal-sums";
import type { Reached } from "./reached";
import { SingleVisits } from "./single-visits";
import { Sums } from "./sums";
import { lowestBit } from "./visit-masks";

/** To make room for the sums of sets of groups takes longer than to look at fewer visits one by one. */
const visitsMin = 256;

/** What is known of all sessions. */
export interface KnownSessions {
  /** Their number. */
  readonly count: number;
  /** What they are, for those who judge them. */
  readonly sessions: Sessions | null;
  readonly reached: Reached | null;
}

/** The distinct sessions of each group, and what they are together. */
export class SessionsOfGroups {
  private readonly seen: DistinctPerGroup;
  private readonly bounces: Sums | null;
  private readonly durationMs: Sums | null;
  private readonly reaching: Sums;
  private readonly goal: GoalSums | null;

  constructor(
    { metrics }: Pick<CountRequest, "metrics">,
    private readonly known: KnownSessions,
    budget: Budget,
    spare: SparePlanes | undefined,
  ) {
    this.seen = new DistinctPerGroup(budget, known.count + 1, spare);
    this.bounces = metrics.includes("bounce_rate") ? new Sums(budget) : null;
    this.durationMs = metrics.includes("avg_duration") ? new Sums(budget) : null;
    this.reaching = new Sums(budget);
    this.goal = goalSumsOf(known.reached, budget);
  }

  add(group: number, session: number): void {
    const { sessions } = this.known;
    if (!this.seen.add(group, session) || sessions === null) return;
    this.bounces?.add(group, sessions.isBounce(session));
    this.durationMs?.add(group, sessions.duration(session));
    this.convert(group, session);
  }
  private convert(group: number, session: number): void {
    const { reached } = this.known;
    if (reached === null || reached.marks[session] === 0) return;
    this.reaching.add(group, 1);
    this.goal?.add(group, session);
  }
  /** Adds the session to several of the first 32 groups, told as bits. */
  addBits(groups: number, session: number): void {
    const gained = this.seen.addBits(groups, session);
    if (gained !== 0) this.judge(gained, session);
  }
  /**
   * Adds the sessions of all visits of a segment to some of the first 32 groups: `bitsOf` tells those of a visit. False
   * where each has to be added by itself.
   */
  addEach(segment: Segment, numbers: Uint32Array, bitsOf: (visit: number) => number): boolean {
    const { sessions, reached } = this.known;
    if (sessions === null) {
      this.seen.addEach(numbers, bitsOf);
      return true;
    }
    // A visit of a part is not all that there is of its session.
    if (segment.whole !== segment || reached !== null) return false;
    if (segment.visitCount < visitsMin) return false;
    const singleVisits = new SingleVisits(this.bounces !== null, this.durationMs !== null);
    singleVisits.add(segment, numbers, sessions, bitsOf, (groups, session) =>
      this.addBits(groups, session),
    );
    singleVisits.each(({ group, sessions: count, bounces, durationMs }) => {
      this.seen.addOthers(group, count);
      this.bounces?.add(group, bounces);
      this.durationMs?.add(group, durationMs);
    });
    return true;
  }

  count(group: number): number {
    return this.seen.count(group);
  }
  bounceRate(group: number): number {
    return bounceRate(this.bounces?.of(group) ?? 0, this.count(group));
  }
  averageDuration(group: number): number {
    return averageDuration(this.durationMs?.of(group) ?? 0, this.count(group));
  }
  conversions(group: number): number {
    return this.reaching.of(group);
  }
  conversionRate(group: number): number {
    return conversionRate(this.conversions(group), this.count(group));
  }
  /** A metric of the goal's events; null where there are none to ask. */
  ofGoal(group: number, metric: string): number | null {
    return this.goal?.value(group, metric, this.count(group)) ?? null;
  }
  /** Nothing can be asked any more. */
  handBack(): void {
    this.seen.handBack();
  }

  /** A session that is new to some of the first groups, told as bits. */
  private judge(groups: number, session: number): void {
    const { sessions } = this.known;
    if (sessions === null) return;
    const isBounce = this.bounces === null ? 0 : sessions.isBounce(session);
    const durationMs = this.durationMs === null ? 0 : sessions.duration(session);
    for (let bits = groups; bits !== 0; bits &= bits - 1) {
      const group = lowestBit(bits);
      this.bounces?.add(group, isBounce);
      this.durationMs?.add(group, durationMs);
      this.convert(group, session);
    }
  }
}
