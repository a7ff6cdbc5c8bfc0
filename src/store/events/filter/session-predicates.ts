import type { Condition } from "../../../domain/filter";
import type { SessionField } from "../../../domain/session-field";
import { isVisitorField, type UserField } from "../../../domain/visitor-field";
import { assert } from "../../../lib/assert";
import type { Identity } from "../scan/identity";
import { marksWith } from "../scan/marks";
import { type Matcher, matcherOf } from "../scan/matcher";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { SessionValues } from "../session/field-values";
import { type VisitField, visitField } from "../session/visit-field";
import type { Context } from "./context";
import type { Predicate } from "./predicate";

/** Tests each value of the field once. A session passes if its value does. */
export function sessionValuePredicate(
  context: Context,
  condition: Condition,
  field: SessionField | UserField,
  identity: Identity,
): Predicate {
  const { window, op, value, zone } = condition;
  assert(window !== undefined, "a condition on a field of sessions has a window");
  const passes = matcherOf(condition);
  // Links change which session of a visitor is the earliest.
  const version = isVisitorField(field) ? identity.version : null;
  const name = JSON.stringify([field, op, value, zone, version]);
  return sessionPredicate((project) => {
    const sessions = context.sessionsWithin(project, window);
    if (sessions === null) return null;
    // Call this first: it drops values and marks that were computed for another list of own hosts.
    const { values, sessionsOf } = visitField(sessions, field, identity, zone);
    const find = () => passingSessions(context, sessions.count, values, passes);
    return { sessionsOf, marks: sessions.values.passing(name, find) };
  });
}

/** Marks the visits of sessions that pass; if negated, all other visits, also those without a session. */
export function sessionPredicate(
  find: (project: number) => PassingSessions | null,
  isNegated = false,
): Predicate {
  let sessions: PassingSessions | null = null;
  return (segment) => {
    sessions ??= find(segment.projectId);
    const visits = sessions === null ? Selection.none(segment) : visitsOf(sessions, segment);
    return isNegated ? visits.not() : visits;
  };
}

/* The verdicts on values. */
const untested = 0;
const passed = 1;
const failed = 2;
/** The numbers of this many sessions fit in the processor's cache. */
const sessionsAtOnce = 16_384;

interface PassingSessions extends Pick<VisitField, "sessionsOf"> {
  /** A 1 for each session whose value passes. */
  readonly marks: Uint8Array;
}

/**
 * Returns a 1 for each session whose value passes. It reads the values of many sessions at a time, in their order: a
 * look-up for each visit took four times as long.
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
      if (verdicts[value] === untested)
        verdicts[value] = passes(values.text(value)) ? passed : failed;
      marks[from + at] = verdicts[value] === passed ? 1 : 0;
    }
  }
  return marks;
}
/** Returns the visits of the sessions that pass. A segment without sessions has no numbers. */
function visitsOf({ sessionsOf, marks }: PassingSessions, segment: Segment): Selection {
  const numbers = sessionsOf(segment);
  return numbers.length === 0
    ? Selection.none(segment)
    : Selection.ofVisits(segment, marksWith(numbers, marks));
}
