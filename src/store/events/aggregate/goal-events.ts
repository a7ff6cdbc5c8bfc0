import { eventsOf, type Goal } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import type { GoalEvents, Reached } from "../session/reached";
import type { Sessions } from "../session/sessions";
import { type Budget, valuesPerCheck } from "../sets/budget";
import { widened } from "../sets/widened";
import { numbersOfCodes } from "./each-value";

/** Finds the events of a goal in all segments. */
export function reachedWithEvents(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  goal: Goal,
): Reached {
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, eventsOf(goal), identity, true);
  const events = new FoundEvents(context.budget);
  const column = goal.value === undefined ? null : `property.${goal.value.property}`;
  for (const segment of all) {
    const sessionOf = sessions.numbersIn(segment.id);
    if (sessionOf.length === 0) continue;
    const selection = filter.select(segment, allTime);
    if (selection.isNone) continue;
    const users = identity.usersOf(segment);
    const numberAt = column === null ? null : numbersByRow(segment, column);
    let seen = 0;
    selection.eachRow((row, visit) => {
      if (seen++ % valuesPerCheck === 0) context.check();
      const session = sessionOf[visit];
      if (session !== 0) events.add(session, users[visit], numberAt?.(row) ?? Number.NaN);
    });
  }
  const marks = new Uint8Array(sessions.count + 1);
  const bySession = events.bySession(marks);
  const numbers = column === null ? null : bySession.numbers;
  return { marks, events: { ...bySession, numbers, usersMax: identity.numberLimit } };
}

/** Returns the number that a row has in a column, or NaN. */
function numbersByRow(segment: Segment, column: string): (row: number) => number {
  const codes = segment.codes(column);
  if (codes === null) return () => Number.NaN;
  const numbers = numbersOfCodes(segment, column);
  return (row) => numbers[codes[row]];
}

const bytesPerEvent = 2 * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;

/** A growing list of events. */
class FoundEvents {
  private count = 0;
  private sessions = new Uint32Array(1_024);
  private users = new Uint32Array(1_024);
  private numbers = new Float64Array(1_024);

  constructor(private readonly budget: Budget) {}

  add(session: number, user: number, number: number): void {
    const { count } = this;
    if (count === this.sessions.length) this.widen();
    this.sessions[count] = session;
    this.users[count] = user;
    this.numbers[count] = number;
    this.count++;
  }
  /** Sorts the events by session and marks their sessions. */
  bySession(marks: Uint8Array): Pick<GoalEvents, "starts" | "users"> & { numbers: Float64Array } {
    const { budget, count, sessions } = this;
    const starts = budget.words(marks.length + 1);
    for (let at = 0; at < count; at++) {
      marks[sessions[at]] = 1;
      starts[sessions[at]]++;
    }
    let before = 0;
    for (let session = 0; session < starts.length; session++) {
      before += starts[session];
      starts[session] = before;
    }
    const [users, numbers] = [budget.words(count), budget.doubles(count)];
    for (let at = count - 1; at >= 0; at--) {
      const place = --starts[sessions[at]];
      users[place] = this.users[at];
      numbers[place] = this.numbers[at];
    }
    budget.giveBack(sessions.length * bytesPerEvent);
    return { starts, users, numbers };
  }
  private widen(): void {
    const length = 2 * this.sessions.length;
    this.budget.take((length / 2) * bytesPerEvent);
    this.sessions = widened(Uint32Array, this.sessions, length);
    this.users = widened(Uint32Array, this.users, length);
    this.numbers = widened(Float64Array, this.numbers, length);
  }
}
