import { eventsOf, type Goal } from "../../../../domain/goal";
import type { GoalValue } from "../../../../domain/goals/definition";
import { allTime } from "../../../../domain/period";
import { assert } from "../../../../lib/assert";
import { Filter } from "../../filter/filter";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup } from "../sets/distinct";
import { widened } from "../sets/widened";
import { numbersIn } from "./measures";
import type { GoalEvents, GoalNumbers, Reached } from "./reached";
import { Sums } from "./sums";
import { eachPartById, numbersById } from "./sums-by-id";

/** Cost: the goal's filters over all segments, and an array entry for each event of the goal. */
export function goalEvents(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  goal: Goal,
): GoalEvents {
  const { budget } = context;
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, eventsOf(goal), identity, true);
  const events = new GrowingEvents(budget);
  const numbers = goal.value === undefined ? null : new NumbersOfEvents(goal.value, budget);
  for (const segment of all) {
    const sessionOf = sessions.numbersIn(segment.id);
    if (sessionOf.length === 0) continue;
    const selection = filter.select(segment, allTime);
    if (selection.isNone) continue;
    const users = identity.usersOf(segment);
    const sessionAt = numbers?.rowsOf(segment);
    let seen = 0;
    selection.eachRow((row, visit) => {
      if (seen++ % valuesPerCheck === 0) context.check();
      const session = sessionOf[visit];
      if (session === 0) return;
      events.add(session, users[visit]);
      if (sessionAt !== undefined) sessionAt[row] = session;
    });
    numbers?.add(segment);
  }
  return {
    ...events.all(),
    numbers: numbers?.inOrder() ?? null,
    ...{ usersMax: identity.numberLimit, sessionsMax: sessions.count },
  };
}

/** A growing list of events. */
class GrowingEvents {
  private count = 0;
  private sessions = new Uint32Array(1_024);
  private users = new Uint32Array(1_024);

  constructor(private readonly budget: Budget) {}

  add(session: number, user: number): void {
    const { count } = this;
    if (count === this.sessions.length) this.widen();
    this.sessions[count] = session;
    this.users[count] = user;
    this.count++;
  }
  all(): Pick<GoalEvents, "sessions" | "users"> {
    const { sessions, users, count } = this;
    return { sessions: sessions.subarray(0, count), users: users.subarray(0, count) };
  }
  private widen(): void {
    const length = 2 * this.sessions.length;
    this.budget.take((length / 2) * bytesPerEvent);
    this.sessions = widened(Uint32Array, this.sessions, length);
    this.users = widened(Uint32Array, this.users, length);
  }
}
const bytesPerEvent = 2 * Uint32Array.BYTES_PER_ELEMENT;

/** The numbers of a segment's events, and the session of each, by id. */
interface NumbersRun extends GoalNumbers {
  readonly tickets: Float64Array;
  next: number;
}

/** The numbers of a goal's events in order of their ids, as the last digits of a sum depend on the order. */
class NumbersOfEvents {
  private readonly column: string;
  private readonly runs: NumbersRun[] = [];
  private count = 0;
  /** By row of a segment, the session of a goal event; 0 for other rows. */
  private sessionAt = new Uint32Array(0);

  constructor(
    { property }: GoalValue,
    private readonly budget: Budget,
  ) {
    this.column = `property.${property}`;
  }

  /** Returns an array of sessions by row of a segment. The caller fills it in before it adds the segment. */
  rowsOf({ eventCount }: Segment): Uint32Array {
    if (this.sessionAt.length < eventCount) this.sessionAt = this.budget.words(eventCount);
    return this.sessionAt.fill(0);
  }
  add(segment: Segment): void {
    const { column, budget, sessionAt } = this;
    const { rows, values, tickets } = numbersById(segment, column, numbersIn(segment, column));
    let count = 0;
    for (let at = 0; at < rows.length; at++) if (sessionAt[rows[at]] !== 0) count++;
    if (count === 0) return;
    budget.take(count * bytesPerNumber);
    const run: NumbersRun = {
      ...{ sessions: new Uint32Array(count), values: new Float64Array(count) },
      ...{ tickets: new Float64Array(count), next: 0 },
    };
    for (let at = 0, next = 0; next < count; at++) {
      const session = sessionAt[rows[at]];
      if (session === 0) continue;
      run.sessions[next] = session;
      run.values[next] = values[at];
      run.tickets[next++] = tickets[at];
    }
    this.runs.push(run);
    this.count += count;
  }
  inOrder(): GoalNumbers {
    const sessions = this.budget.words(this.count);
    const values = this.budget.doubles(this.count);
    let next = 0;
    eachPartById(this.runs, (run, from, to) => {
      sessions.set(run.sessions.subarray(from, to), next);
      values.set(run.values.subarray(from, to), next);
      next += to - from;
    });
    return { sessions, values };
  }
}
const bytesPerNumber = Uint32Array.BYTES_PER_ELEMENT + 2 * Float64Array.BYTES_PER_ELEMENT;

export function reachedBy(events: GoalEvents): Reached {
  const marks = new Uint8Array(events.sessionsMax + 1);
  const { sessions } = events;
  for (let at = 0; at < sessions.length; at++) marks[sessions[at]] = 1;
  return { marks, events };
}

/**
 * The sums over the events of a goal in the sessions of each group. A session may be in several groups: its events
 * count in each.
 */
export class GoalSums {
  private count = 0;
  private groups = new Uint32Array(1_024);
  private sessions = new Uint32Array(1_024);
  private summed: Summed | null = null;

  constructor(
    private readonly events: GoalEvents,
    private readonly budget: Budget,
  ) {}

  /** A group and one of its sessions that reached the goal, once each. */
  add(group: number, session: number): void {
    assert(this.summed === null, "all events are added before the first sum is read");
    if (this.count === this.groups.length) this.widen();
    this.groups[this.count] = group;
    this.sessions[this.count] = session;
    this.count++;
  }

  /** The value of a metric for a group that has a number of sessions. */
  value(group: number, metric: string, sessions: number): number | null {
    this.summed ??= this.sum();
    const { counts, users, values, numbers } = this.summed;
    if (metric === "goal_events") return counts.of(group);
    if (metric === "goal_users") return users.count(group);
    if (this.events.numbers === null) return null;
    const revenue = values.of(group);
    if (metric === "revenue") return finite(revenue);
    if (metric === "revenue_per_session") return sessions === 0 ? 0 : finite(revenue / sessions);
    const valued = numbers.of(group);
    return valued === 0 ? null : finite(revenue / valued);
  }

  private sum(): Summed {
    const { budget, events, count } = this;
    const starts = budget.words(events.sessionsMax + 2);
    for (let at = 0; at < count; at++) starts[this.sessions[at] + 1]++;
    for (let at = 1; at < starts.length; at++) starts[at] += starts[at - 1];
    const next = starts.slice();
    const groups = budget.words(count);
    for (let at = 0; at < count; at++) groups[next[this.sessions[at]]++] = this.groups[at];
    const summed: Summed = {
      ...{ counts: new Sums(budget), values: new Sums(budget), numbers: new Sums(budget) },
      users: new DistinctPerGroup(budget, events.usersMax, undefined),
    };
    for (let event = 0; event < events.sessions.length; event++) {
      if (event % valuesPerCheck === 0) budget.check();
      const session = events.sessions[event];
      const user = events.users[event];
      for (let at = starts[session]; at < starts[session + 1]; at++) {
        summed.counts.add(groups[at], 1);
        if (user !== 0) summed.users.add(groups[at], user);
      }
    }
    const { sessions, values } = events.numbers ?? noNumbers;
    for (let number = 0; number < sessions.length; number++) {
      if (number % valuesPerCheck === 0) budget.check();
      const session = sessions[number];
      for (let at = starts[session]; at < starts[session + 1]; at++) {
        summed.values.add(groups[at], values[number]);
        summed.numbers.add(groups[at], 1);
      }
    }
    return summed;
  }

  private widen(): void {
    const length = 2 * this.groups.length;
    this.budget.take(length * Uint32Array.BYTES_PER_ELEMENT);
    this.groups = widened(Uint32Array, this.groups, length);
    this.sessions = widened(Uint32Array, this.sessions, length);
  }
}

export const goalSumsOf = (reached: Reached | null, budget: Budget): GoalSums | null =>
  reached === null || reached.events === null ? null : new GoalSums(reached.events, budget);

/** By group. */
interface Summed {
  readonly counts: Sums;
  readonly users: DistinctPerGroup;
  readonly values: Sums;
  /** The events with a number. */
  readonly numbers: Sums;
}

const noNumbers: GoalNumbers = { sessions: new Uint32Array(0), values: new Float64Array(0) };

/** A sum that is too large for a number is null. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
