import { isoDate } from "../../../../domain/event";
import type { Condition } from "../../../../domain/filter";
import { isSessionField, type SessionField } from "../../../../domain/session-field";
import { timeZoneOf } from "../../../../domain/time-zone";
import { assert } from "../../../../lib/assert";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionValues } from "../sessions/kept-values";
import { firstWithSession, visitsOfSession } from "../sessions/session-key-table";
import type { Sessions } from "../sessions/sessions";
import type { Bitmap } from "../sets/bitmap";
import { VisitsOfUsers } from "../visits-of-users";
import { dictionaryPredicate } from "./dictionary-predicate";
import { markedVisits } from "./marked-rows";
import { type Matcher, matcherOf } from "./matcher";
import { pagePredicate } from "./page-predicate";
import type { RowPredicate } from "./row-predicate";

const everyRow = (segment: Segment): Uint8Array => new Uint8Array(segment.eventCount).fill(1);

/** The predicate that a condition is: it runs once per distinct value (or visit, or day), not once per row. */
export function predicateOf(
  context: Context,
  condition: Condition,
  identity: Identity,
): RowPredicate {
  const { op } = condition;
  if (op === "not_in") return not(predicateOf(context, { ...condition, op: "in" }, identity));
  if (op === "is_null")
    return not(predicateOf(context, { ...condition, op: "not_null" }, identity));
  return compile(context, condition, identity);
}

/** The rows that a predicate leaves out. */
function not(predicate: RowPredicate): RowPredicate {
  return (segment, rows) => {
    const passing = predicate(segment, null);
    if (passing === false) return rows ?? everyRow(segment);
    const marks = rows ?? everyRow(segment);
    let kept = 0;
    for (let i = 0; i < marks.length; i++) kept += marks[i] &= 1 - passing[i];
    return kept > 0 && marks;
  };
}

function compile(context: Context, condition: Condition, identity: Identity): RowPredicate {
  const { field } = condition;
  if (isSessionField(field)) return sessionValuePredicate(context, condition, field);
  switch (field) {
    case "event":
      return dictionaryPredicate(context, "event.name", condition);
    case "country":
      return dictionaryPredicate(context, "event.country", condition);
    case "date":
      return datePredicate(matcherOf(condition), condition.zone);
    case "timestamp":
      return timestampPredicate(matcherOf(condition));
    case "page":
      return pagePredicate(context, condition);
    case "user_id":
      return userPredicate(context, condition, identity);
    case "session_id":
      return sessionIdPredicate(context, condition);
    default:
      return dictionaryPredicate(
        context,
        `property.${field.slice("properties.".length)}`,
        condition,
      );
  }
}

function datePredicate(passes: Matcher, zoneName: string | undefined): RowPredicate {
  const zone = timeZoneOf(zoneName);
  const verdicts = new Map<number, number>();
  const verdict = (day: number): number => {
    let known = verdicts.get(day);
    if (known === undefined) {
      known = passes(isoDate(day)) ? 1 : 0;
      verdicts.set(day, known);
    }
    return known;
  };
  return (segment, rows) => {
    const first = zone.dayAt(segment.firstTime);
    const marks = rows ?? everyRow(segment);
    if (first === zone.dayAt(segment.lastTime)) return verdict(first) === 1 && marks;
    const { times, firstTime } = segment;
    let kept = 0;
    for (let i = 0; i < marks.length; i++) {
      kept += marks[i] &= verdict(zone.dayAt(firstTime + times[i]));
    }
    return kept > 0 && marks;
  };
}

function timestampPredicate(passes: Matcher): RowPredicate {
  return (segment, rows) => {
    const marks = rows ?? everyRow(segment);
    const { times, firstTime } = segment;
    let kept = 0;
    for (let i = 0; i < marks.length; i++) {
      if (marks[i] === 1 && !passes(String(firstTime + times[i]))) marks[i] = 0;
      kept += marks[i];
    }
    return kept > 0 && marks;
  };
}

function userPredicate(context: Context, condition: Condition, identity: Identity): RowPredicate {
  const { op } = condition;
  if (op === "not_null") {
    return visitPredicate((segment) => {
      const users = identity.usersOf(segment);
      return (visit) => users[visit] !== 0;
    });
  }
  if (op === "eq" || op === "in") {
    return numbersPredicate(
      namesOf(condition).map((name) => identity.numberOf(name)),
      identity,
    );
  }
  const passes = matcherOf(condition);
  let numbers: Bitmap | null = null;
  return visitPredicate((segment) => {
    const users = identity.usersOf(segment);
    numbers ??= identity.numbersWhere(passes, context.check);
    const accepted = numbers;
    return (visit) => accepted.has(users[visit]);
  });
}

function numbersPredicate(numbers: readonly (number | null)[], identity: Identity): RowPredicate {
  const users = numbers.filter((number) => number !== null);
  if (users.length === 0) return () => false;
  const visits = new VisitsOfUsers(identity, users);
  return markingPredicate((segment) => {
    let marks: Uint8Array | false = false;
    visits.forEachIn(segment, (visit) => {
      marks ||= new Uint8Array(segment.visitCount);
      marks[visit] = 1;
    });
    return marks;
  });
}

function sessionIdPredicate(context: Context, condition: Condition): RowPredicate {
  const { op, value } = condition;
  if (op === "not_null") {
    return visitPredicate((segment) => {
      const first = firstWithSession(segment);
      return (visit) => visit >= first;
    });
  }
  if (op === "eq" && typeof value === "string") {
    const key = context.sessionKeyOf(value);
    return markingPredicate((segment) => {
      const [first, end] = visitsOfSession(segment, key);
      return first < end && new Uint8Array(segment.visitCount).fill(1, first, end);
    });
  }
  const passes = matcherOf(condition);
  return visitPredicate((segment) => {
    const ids = segment.sessionIds;
    return (visit) => {
      const id = ids[visit];
      return id !== null && passes(id);
    };
  });
}

/** Each value is judged once, and a session by the number of its value. */
function sessionValuePredicate(
  context: Context,
  condition: Condition,
  field: SessionField,
): RowPredicate {
  const { window } = condition;
  assert(window !== undefined, "fields of sessions are asked of a window");
  const passes = matcherOf(condition);
  const name = JSON.stringify([field, condition.op, condition.value]);
  return sessionPredicate((project) => {
    const sessions = context.sessionsWithin(project, window);
    if (sessions === null) return null;
    // With other own hosts, nothing is known from here on.
    const values = sessions.values.of(field);
    const find = () => passingSessions(context, sessions.count, values, passes);
    return { sessions, marks: sessions.values.passing(name, find) };
  });
}

/** Marks the visits of sessions that pass, which are found once; or of all others, and those of no session. */
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

interface PassingSessions {
  readonly sessions: Sessions;
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
  { sessions, marks }: PassingSessions,
  { id, visitCount }: Segment,
  isNegated: boolean,
): Uint8Array | false {
  // A segment in which nobody has a session has no numbers.
  const numbers = sessions.numbersIn(id);
  const wanted = isNegated ? 0 : 1;
  if (numbers.length === 0) return isNegated && new Uint8Array(visitCount).fill(1);
  const visits = new Uint8Array(visitCount);
  let found = 0;
  for (let v = 0; v < visits.length; v++) {
    found |= visits[v] = marks[numbers[v]] === wanted ? 1 : 0;
  }
  return found === 1 && visits;
}

/** Visits that pass are nearly always few: they are marked, instead of clearing the others. */
export function visitPredicate(
  prepare: (segment: Segment) => (visit: number) => boolean,
): RowPredicate {
  return markingPredicate((segment) => {
    const passes = prepare(segment);
    const { visitCount } = segment;
    let marks: Uint8Array | false = false;
    for (let v = 0; v < visitCount; v++) {
      if (!passes(v)) continue;
      marks ||= new Uint8Array(visitCount);
      marks[v] = 1;
    }
    return marks;
  });
}

/** `visits` has a 1 for each visit that passes; false when none does. */
function markingPredicate(visits: (segment: Segment) => Uint8Array | false): RowPredicate {
  const predicate: RowPredicate = (segment, rows) => {
    const passing = visits(segment);
    if (passing === false) return false;
    const marks = markedVisits(segment, passing);
    if (rows === null) return marks;
    let kept = 0;
    for (let i = 0; i < rows.length; i++) kept += rows[i] &= marks[i];
    return kept > 0 && rows;
  };
  predicate.visits = visits;
  return predicate;
}

const namesOf = ({ value }: Condition): readonly string[] =>
  typeof value === "string" ? [value] : value;
