import type { Context } from "../filter/context";
import type { GoalEvents } from "../session/reached";
import { valuesPerCheck } from "../sets/budget";
import { DistinctSets } from "./distinct-sets";
import { ExactSums } from "./exact-sums";

/**
 * The sums over the events of a goal in the sessions of each group. A session may be in several groups: its events
 * count in each.
 */
export class GoalSums {
  private readonly events: Float64Array;
  private readonly users: DistinctSets;
  private readonly sums: ExactSums;
  /** The events with a number. */
  private readonly numbered: Float64Array;
  private readonly check: () => void;
  private added = 0;

  constructor(
    private readonly of: GoalEvents,
    groups: number,
    { budget, sparePlanes }: Pick<Context, "budget" | "sparePlanes">,
  ) {
    this.check = budget.check;
    this.events = budget.doubles(groups);
    this.users = new DistinctSets(groups, of.usersMax, budget, sparePlanes);
    this.sums = new ExactSums(groups, budget);
    this.numbered = budget.doubles(groups);
  }

  /** Adds a session to a group. The caller adds each pair once. */
  add(group: number, session: number): void {
    const { starts, users, numbers } = this.of;
    for (let at = starts[session]; at < starts[session + 1]; at++) {
      if (++this.added % valuesPerCheck === 0) this.check();
      this.events[group]++;
      if (users[at] !== 0) this.users.addOne(group, users[at]);
      if (numbers === null || Number.isNaN(numbers[at])) continue;
      this.sums.add(group, numbers[at]);
      this.numbered[group]++;
    }
  }

  /** The value of a metric for a group that has a number of sessions. */
  value(group: number, metric: string, sessions: number): number | null {
    if (metric === "goal_events") return this.events[group];
    if (metric === "goal_users") return this.users.count(group);
    if (this.of.numbers === null) return null;
    const revenue = this.sums.of(group);
    if (metric === "revenue") return finite(revenue);
    if (metric === "revenue_per_session") return sessions === 0 ? 0 : finite(revenue / sessions);
    const valued = this.numbered[group];
    return valued === 0 ? null : finite(revenue / valued);
  }
  end(): void {
    this.users.end();
  }
}

/** A sum that is too large for a number is null. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
