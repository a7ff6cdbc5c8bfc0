import type { Condition } from "../../../../domain/filter";
import type { SessionField } from "../../../../domain/session-field";
import { isVisitorField, type UserField } from "../../../../domain/visitor-field";
import { assert } from "../../../../lib/assert";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionValues } from "../sessions/kept-values";
import { type ToldBySessions, toldBySessions } from "../sessions/told-by-sessions";
import { type Matcher, matcherOf } from "./matcher";
import type { RowPredicate } from "./row-predicate";
import { markingPredicate } from "./visit-predicates";

/** Tests each value once, and finds the result for a session by the number of its value. */
export function sessionValuePredicate(
  context: Context,
  condition: Condition,
  field: SessionField | UserField,
  identity: Identity,
): RowPredicate {
  const { window, op, value, zone } = condition;
  assert(window !== undefined, "a condition on a field of sessions has a window");
  const passes = matcherOf(condition);
  // Links change whose sessions are the earliest ones.
  const version = isVisitorField(field) ? identity.version : null;
  const name = JSON.stringify([field, op, value, zone, version]);
  return sessionPredicate((project) => {
    const sessions = context.sessionsWithin(project, window);
    if (sessions === null) return null;
    // This first drops the values and marks that belong to other own hosts.
    const { values, sessionsOf } = toldBySessions(sessions, field, identity, zone);
    const find = () => passingSessions(context, sessions.count, values, passes);
    return { sessionsOf, marks: sessions.values.passing(name, find) };
  });
}

/** Marks the visits of sessions that pass; if negated, all other visits, also those without a session. */
export function sessionPredicate(
  find: (project: number) => PassingSessions | null,
  isNegated = false,
): RowPredicate {
  let found: PassingSessions | null = null;
  return markingPredicate((segment) => {
    found ??= find(segment.projectId);
    if (found !== null) return visitsOf(found, segment, isNegated);
    return isNegated && new Uint8Array(segment.visitCount).fill(1);
  });
}

/** The verdicts on values. */
const unjudged = 0;
const passed = 1;
const failed = 2;
/** They stay in the processor's cache. */
const sessionsAtOnce = 16_384;

interface PassingSessions extends Pick<ToldBySessions, "sessionsOf"> {
  /** A 1 for each session whose value passes. */
  readonly marks: Uint8Array;
}

/**
 * Returns a 1 for each session whose value passes. Values come in the order of sessions, many at a time: to ask for
 * that of each visit took four times as long.
 */
function passingSessions(
  { budget }: Context,
  count: number,
  values: SessionValues,
  passes: Matcher,
): Uint8Array {
  const marks = budget.bytesOf(count + 1);
  /** By the number of a value, which is 0 for a session without one. */
  const verdicts = new Uint8Array(values.count + 1);
  verdicts[0] = failed;
  const numbers = new Uint32Array(Math.min(count, sessionsAtOnce));
  for (let from = 1; from <= count; from += sessionsAtOnce) {
    budget.check();
    const some = numbers.subarray(0, count + 1 - from);
    values.copyInto(some, from);
    for (let at = 0; at < some.length; at++) {
      const value = some[at];
      if (verdicts[value] === unjudged)
        verdicts[value] = passes(values.text(value)) ? passed : failed;
      marks[from + at] = verdicts[value] === passed ? 1 : 0;
    }
  }
  return marks;
}
/** Returns a 1 for each visit of a session that passes, or of none that does; false when there is none. */
function visitsOf(
  { sessionsOf, marks }: PassingSessions,
  segment: Segment,
  isNegated: boolean,
): Uint8Array | false {
  // A segment in which nobody has a session has no numbers.
  const numbers = sessionsOf(segment);
  const { visitCount } = segment;
  const wanted = isNegated ? 0 : 1;
  if (numbers.length === 0) return isNegated && new Uint8Array(visitCount).fill(1);
  const visits = new Uint8Array(visitCount);
  let found = 0;
  for (let v = 0; v < visits.length; v++) {
    found |= visits[v] = marks[numbers[v]] === wanted ? 1 : 0;
  }
  return found === 1 && visits;
}
