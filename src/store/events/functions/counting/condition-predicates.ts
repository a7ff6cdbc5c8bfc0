import { isoDate } from "../../../../domain/event";
import type { Condition } from "../../../../domain/filter";
import { timeZoneOf } from "../../../../domain/time-zone";
import { isOfSessions } from "../../../../domain/visitor-field";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import { firstWithSession, visitsOfSession } from "../sessions/session-key-table";
import type { Bitmap } from "../sets/bitmap";
import { VisitsOfUsers } from "../visits-of-users";
import { dictionaryPredicate } from "./dictionary-predicate";
import { type Matcher, matcherOf } from "./matcher";
import { pagePredicate } from "./page-predicate";
import type { RowPredicate } from "./row-predicate";
import { sessionValuePredicate } from "./session-predicates";
import { markingPredicate, visitPredicate } from "./visit-predicates";

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

const namesOf = ({ value }: Condition): readonly string[] =>
  typeof value === "string" ? [value] : value;
