import { eventsOf, type Goal } from "../../../../domain/goal";
import { allTime } from "../../../../domain/period";
import { assert } from "../../../../lib/assert";
import { Filter } from "../../filter/filter";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup } from "../sets/distinct";
import { widened } from "../sets/widened";
import { numbersIn as numbersOfColumn } from "./measures";
import type { GoalEvents, Reached } from "./reached";
import { Sums } from "./sums";

/** Cost: the goal's conditions, where its events are, and an array entry for each of these events. */
export function goalEvents(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  goal: Goal,
): GoalEvents {
  const { budget } = context;
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, eventsOf(goal), identity, true);
  const found = new GrowingEvents(budget);
  for (const segment of all) {
    const numbers = sessions.numbersIn(segment.id);
    if (numbers.length === 0) continue;
    const selection = filter.select(segment, allTime);
    if (selection.isNone) continue;
    const users = identity.usersOf(segment);
    const column = goal.value === undefined ? null : `property.${goal.value.property}`;
    const codes = column === null ? null : segment.codes(column);
    const values = column === null || codes === null ? null : numbersOfColumn(segment, column);
    let seen = 0;
    selection.eachRow((row, visit) => {
      if (seen++ % valuesPerCheck === 0) context.check();
      if (numbers[visit] === 0) return;
      const value = values === null || codes === null ? Number.NaN : values[codes[row]];
      found.add(segment.ticketAt(row), numbers[visit], users[visit], value);
    });
  }
  const limits = { usersMax: identity.numberLimit, sessionsMax: sessions.count };
  return { ...found.inOrder(), hasValue: goal.value !== undefined, ...limits };
}

/** A growing list of events, in the order in which a read finds them. */
class GrowingEvents {
  private count = 0;
  private tickets = new Float64Array(1_024);
  private sessions = new Uint32Array(1_024);
  private users = new Uint32Array(1_024);
  private values = new Float64Array(1_024);

  constructor(private readonly budget: Budget) {}

  add(ticket: number, session: number, user: number, value: number): void {
    const { count } = this;
    if (count === this.tickets.length) this.widen();
    this.tickets[count] = ticket;
    this.sessions[count] = session;
    this.users[count] = user;
    this.values[count] = value;
    this.count++;
  }
  inOrder(): Pick<GoalEvents, "sessions" | "users" | "values"> {
    const { tickets, sessions, users, values, count } = this;
    const order = Uint32Array.from({ length: count }, (_, at) => at);
    order.sort((a, b) => tickets[a] - tickets[b]);
    return {
      sessions: order.map((at) => sessions[at]),
      users: order.map((at) => users[at]),
      values: Float64Array.from(order, (at) => values[at]),
    };
  }
  private widen(): void {
    const length = 2 * this.tickets.length;
    this.budget.take((length / 2) * bytesPerEvent);
    this.tickets = widened(Float64Array, this.tickets, length);
    this.sessions = widened(Uint32Array, this.sessions, length);
    this.users = widened(Uint32Array, this.users, length);
    this.values = widened(Float64Array, this.values, length);
  }
}
const bytesPerEvent = 2 * Float64Array.BYTES_PER_ELEMENT + 2 * Uint32Array.BYTES_PER_ELEMENT;

export function reachedBy(events: GoalEvents): Reached {
  const marks = new Uint8Array(events.sessionsMax + 1);
  for (const session of events.sessions) marks[session] = 1;
  return { marks, events };
}

/**
 * The sums over the events of a goal in the sessions of each group. A session may be in several groups: its events
 * count in each. It adds numbers in the order of the events' ids, as the last digits of a sum depend on the order.
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
    if (!this.events.hasValue) return null;
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
      for (let at = starts[session]; at < starts[session + 1]; at++)
        addTo(summed, groups[at], events.users[event], events.values[event]);
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

function addTo(
  { counts, users, values, numbers }: Summed,
  group: number,
  user: number,
  value: number,
) {
  counts.add(group, 1);
  if (user !== 0) users.add(group, user);
  if (Number.isNaN(value)) return;
  values.add(group, value);
  numbers.add(group, 1);
}

/** A sum that is too large for a number is null. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
