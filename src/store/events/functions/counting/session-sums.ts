import { averageDuration, bounceRate, conversionRate } from "../../../../domain/session";
import type { Budget } from "../budget";
import type { Sessions } from "../sessions/sessions";
import { type GoalSums, goalSumsOf } from "./goal-sums";
import type { Reached } from "./reached";
import { Sums } from "./sums";

/** What is summed over the sessions of each group, and the metrics that are made of it. */
export class SessionSums {
  readonly count: Sums;
  readonly bounces: Sums;
  readonly duration: Sums;
  readonly conversions: Sums;

  private readonly wantsBounces: boolean;
  private readonly wantsDuration: boolean;

  private readonly goal: GoalSums | null;

  /** `metrics` says what `add` sums: else columns of sessions would be found that nobody asks for. */
  constructor(
    budget: Budget,
    metrics: readonly string[],
    private readonly reached: Reached | null,
  ) {
    this.goal = goalSumsOf(reached, budget);
    this.wantsBounces = metrics.includes("bounce_rate");
    this.wantsDuration = metrics.includes("avg_duration");
    this.count = new Sums(budget);
    this.bounces = new Sums(budget);
    this.duration = new Sums(budget);
    this.conversions = new Sums(budget);
  }

  add(group: number, session: number, sessions: Sessions): void {
    this.count.add(group, 1);
    if (this.wantsBounces) this.bounces.add(group, sessions.isBounce(session));
    if (this.wantsDuration) this.duration.add(group, sessions.duration(session));
    this.convert(group, session);
  }
  /** Counts the session as one that reached the goal, if it did. */
  convert(group: number, session: number): void {
    if (this.reached === null || this.reached.marks[session] === 0) return;
    this.conversions.add(group, 1);
    this.goal?.add(group, session);
  }
  /** The number of sessions, if the metric is none of those that are made of a sum. */
  value(group: number, metric: string): number | null {
    const sessions = this.count.of(group);
    switch (metric) {
      case "bounce_rate":
        return bounceRate(this.bounces.of(group), sessions);
      case "avg_duration":
        return averageDuration(this.duration.of(group), sessions);
      case "conversions":
        return this.conversions.of(group);
      case "conversion_rate":
        return conversionRate(this.conversions.of(group), sessions);
      case "session_count":
        return sessions;
      default:
        return (
          this.goal?.value(group, metric, sessions) ?? (metric === "event_count" ? sessions : null)
        );
    }
  }
}
