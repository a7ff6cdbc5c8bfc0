import { isoDate } from "../../../domain/event";
import type { Condition } from "../../../domain/filter";
import { timeZoneOf } from "../../../domain/time-zone";
import { isOfSessions } from "../../../domain/visitor-field";
import type { Identity } from "../scan/identity";
import { type Matcher, matcherOf } from "../scan/matcher";
import { Selection } from "../scan/selection";
import { VisitsOfUsers } from "../scan/visits-of-users";
import { firstWithSession, visitsOfSession } from "../session/session-key-table";
import type { Bitmap } from "../sets/bitmap";
import type { Context } from "./context";
import { dictionaryPredicate } from "./dictionary-predicate";
import { pagePredicate } from "./page-predicate";
import { allOrNone, not, type Predicate, visitPredicate } from "./predicate";
import { sessionValuePredicate } from "./session-predicates";

/** Compiles a condition. The predicate tests each distinct value (or visit, or day) once instead of each row. */
export function predicateOf(context: Context, condition: Condition, identity: Identity): Predicate {
  const { op } = condition;
  if (op === "not_in") return not(predicateOf(context, { ...condition, op: "in" }, identity));
  if (op === "is_null")
    return not(predicateOf(context, { ...condition, op: "not_null" }, identity));
  return compile(context, condition, identity);
}

function compile(context: Context, condition: Condition, identity: Identity): Predicate {
  const { field } = condition;
  if (isOfSessions(field)) return sessionValuePredicate(context, condition, field, identity);
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

function datePredicate(passes: Matcher, zoneName: string | undefined): Predicate {
  const zone = timeZoneOf(zoneName);
  const verdicts = new Map<number, number>();
  const verdict = (day: number): number => {
    let cached = verdicts.get(day);
    if (cached === undefined) {
      cached = passes(isoDate(day)) ? 1 : 0;
      verdicts.set(day, cached);
    }
    return cached;
  };
  return (segment) => {
    const first = zone.dayAt(segment.firstTime);
    if (first === zone.dayAt(segment.lastTime)) return allOrNone(segment, verdict(first) === 1);
    const { times, firstTime } = segment;
    const rows = new Uint8Array(times.length);
    for (let i = 0; i < rows.length; i++) rows[i] = verdict(zone.dayAt(firstTime + times[i]));
    return Selection.ofRows(segment, rows);
  };
}

const timestampPredicate =
  (passes: Matcher): Predicate =>
  (segment) => {
    const { times, firstTime } = segment;
    const rows = new Uint8Array(times.length);
    for (let i = 0; i < rows.length; i++) if (passes(String(firstTime + times[i]))) rows[i] = 1;
    return Selection.ofRows(segment, rows);
  };

function userPredicate(context: Context, condition: Condition, identity: Identity): Predicate {
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

function numbersPredicate(numbers: readonly (number | null)[], identity: Identity): Predicate {
  const users = numbers.filter((number) => number !== null);
  if (users.length === 0) return Selection.none;
  const visits = new VisitsOfUsers(identity, users);
  return (segment) => {
    const marks = new Uint8Array(segment.visitCount);
    visits.forEachIn(segment, (visit) => {
      marks[visit] = 1;
    });
    return Selection.ofVisits(segment, marks);
  };
}

function sessionIdPredicate(context: Context, condition: Condition): Predicate {
  const { op, value } = condition;
  if (op === "not_null") {
    return visitPredicate((segment) => {
      const first = firstWithSession(segment);
      return (visit) => visit >= first;
    });
  }
  if (op === "eq" && typeof value === "string") {
    const key = context.sessionKeyOf(value);
    return (segment) => {
      const [first, end] = visitsOfSession(segment, key);
      if (first === end) return Selection.none(segment);
      return Selection.ofVisits(segment, new Uint8Array(segment.visitCount).fill(1, first, end));
    };
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

const namesOf = ({ value }: Condition): readonly string[] =>
  typeof value === "string" ? [value] : value;
