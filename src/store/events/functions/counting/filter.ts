import { dayOf, isoDate } from "../../../../domain/event";
import type { Condition } from "../../../../domain/filter";
import type { TimeWindow } from "../../../../domain/period";
import { dayMs } from "../../../../lib/clock";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import { type Matcher, matcherOf } from "./matcher";
import { codeCounts } from "./visit-masks";

/** The rows of a segment that a read is about: all (null), or those marked 1. */
export type Rows = Uint8Array | null;

/** How many of the rows from `first` up to `end` are among them. */
export function rowsBetween(rows: Rows, first: number, end: number): number {
  if (rows === null) return end - first;
  let count = 0;
  for (let i = first; i < end; i++) count += rows[i];
  return count;
}

/** Narrows the rows to those that pass. False when none is left. The marks it is given may be changed. */
interface Test {
  (segment: Segment, rows: Rows): Uint8Array | false;
  /** How many rows of the whole segment pass, where that is known without marking them. */
  count?(segment: Segment): number;
}

/**
 * A compiled list of conditions. Compilation turns each into a test of texts; per segment, the test runs once per
 * distinct value (or visit, or day) and only its verdict is looked up row by row.
 */
export class Filter {
  private readonly tests: readonly Test[];

  constructor(
    private readonly context: Context,
    conditions: readonly Condition[],
    identity: Identity,
  ) {
    this.tests = conditions.map((condition) => compile(context, condition, identity));
  }

  /** How many rows pass within the window. */
  count(segment: Segment, window: TimeWindow): number {
    const [only, ...more] = this.tests;
    const isWhole = isWithin(segment, window);
    if (isWhole && only?.count !== undefined && more.length === 0) {
      this.context.check();
      return only.count(segment);
    }
    const rows = this.select(segment, window);
    return rows === false ? 0 : rowsBetween(rows, 0, segment.eventCount);
  }

  /** False when no row passes; otherwise the passing rows within the window. */
  select(segment: Segment, window: TimeWindow): Rows | false {
    this.context.check();
    let rows: Rows = null;
    for (const test of isWithin(segment, window) ? this.tests : [within(window), ...this.tests]) {
      const left = test(segment, rows);
      if (left === false) return false;
      rows = left;
    }
    return rows;
  }
}

export const isWithin = ({ firstTime, lastTime }: Segment, { fromMs, toMs }: TimeWindow): boolean =>
  firstTime >= fromMs && lastTime < toMs;
const everyRow = (segment: Segment): Uint8Array => new Uint8Array(segment.eventCount).fill(1);

function within({ fromMs, toMs }: TimeWindow): Test {
  return (segment, rows) => {
    const marks = rows ?? everyRow(segment);
    const { times } = segment;
    const low = fromMs - segment.firstTime;
    const high = toMs - segment.firstTime;
    let kept = 0;
    for (let i = 0; i < marks.length; i++) {
      if (times[i] < low || times[i] >= high) marks[i] = 0;
      kept += marks[i];
    }
    return kept > 0 && marks;
  };
}

function compile(context: Context, condition: Condition, identity: Identity): Test {
  const { field } = condition;
  switch (field) {
    case "event":
      return dictionaryTest(context, "event.name", matcherOf(condition));
    case "country":
      return dictionaryTest(context, "event.country", matcherOf(condition));
    case "date":
      return dateTest(matcherOf(condition));
    case "timestamp":
      return timestampTest(matcherOf(condition));
    case "user_id":
      return userTest(condition, identity);
    case "session_id":
      return sessionTest(context, condition);
    default:
      return dictionaryTest(
        context,
        `property.${field.slice("properties.".length)}`,
        matcherOf(condition),
      );
  }
}

/** Of values that a test is asked about. */
const valuesPerCheck = 4_096;

function dictionaryTest(context: Context, column: string, passes: Matcher): Test {
  /** Per code, 1 when its value passes; null when none does. */
  const verdictsIn = (segment: Segment): Uint8Array | null => {
    const { length, textAt } = segment.textReader(column);
    const verdicts = new Uint8Array(length + 1);
    let any = 0;
    for (let i = 0; i < length; i++) {
      if (i % valuesPerCheck === 0) context.check();
      const text = textAt(i);
      if (text !== null && passes(text)) any = verdicts[i + 1] = 1;
    }
    return any === 0 ? null : verdicts; // of no use, the codes need not even be loaded
  };
  const test: Test = (segment, rows) => {
    const verdicts = verdictsIn(segment);
    const codes = verdicts === null ? null : segment.codes(column);
    if (verdicts === null || codes === null) return false;
    const marks = rows ?? new Uint8Array(codes.length);
    let kept = 0;
    if (rows === null) {
      for (let i = 0; i < marks.length; i++) kept += marks[i] = verdicts[codes[i]];
    } else {
      for (let i = 0; i < marks.length; i++) kept += marks[i] &= verdicts[codes[i]];
    }
    return kept > 0 && marks;
  };
  test.count = (segment) => {
    const verdicts = verdictsIn(segment);
    if (verdicts === null) return 0;
    return codeCounts(segment, column).reduce(
      (sum, count, code) => sum + count * verdicts[code],
      0,
    );
  };
  return test;
}

function dateTest(passes: Matcher): Test {
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
    const first = dayOf(segment.firstTime);
    const marks = rows ?? everyRow(segment);
    if (first === dayOf(segment.lastTime)) return verdict(first) === 1 && marks;
    const { times, firstTime } = segment;
    let kept = 0;
    for (let i = 0; i < marks.length; i++) {
      kept += marks[i] &= verdict(Math.floor((firstTime + times[i]) / dayMs));
    }
    return kept > 0 && marks;
  };
}

function timestampTest(passes: Matcher): Test {
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

function userTest(condition: Condition, identity: Identity): Test {
  const { op } = condition;
  if (op === "eq" || op === "in") {
    return numbersTest(
      namesOf(condition).map((name) => identity.numberOf(name)),
      identity,
    );
  }
  const passes = matcherOf(condition);
  let numbers: Set<number> | null = null;
  return visitTest((segment) => {
    const users = identity.usersOf(segment);
    numbers ??= identity.numbersWhere(passes);
    const accepted = numbers;
    return (visit) => accepted.has(users[visit]);
  });
}

function numbersTest(numbers: readonly (number | null)[], identity: Identity): Test {
  const accepted = new Set(numbers.filter((number) => number !== null));
  if (accepted.size === 0) return () => false;
  return visitTest((segment) => {
    const users = identity.usersOf(segment);
    return (visit) => accepted.has(users[visit]);
  });
}

function sessionTest(context: Context, condition: Condition): Test {
  const { op, value } = condition;
  if (op === "eq" && typeof value === "string") {
    const [high, low] = context.sessionKeyOf(value);
    return visitTest((segment) => {
      const highs = segment.sessionHigh;
      return (visit) => highs[visit] === high && segment.sessionLow[visit] === low;
    });
  }
  const passes = matcherOf(condition);
  return visitTest((segment) => {
    const ids = segment.sessionIds;
    return (visit) => {
      const id = ids[visit];
      return id !== null && passes(id);
    };
  });
}

/** Visits that pass are nearly always few: they are marked, instead of clearing the others. */
function visitTest(prepare: (segment: Segment) => (visit: number) => boolean): Test {
  return (segment, rows) => {
    const passes = prepare(segment);
    const { visitCount } = segment;
    let marks: Uint8Array | false = false;
    let kept = 0;
    for (let v = 0; v < visitCount; v++) {
      if (!passes(v)) continue;
      const { firstRows } = segment;
      marks ||= new Uint8Array(segment.eventCount);
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        kept += marks[i] = rows === null ? 1 : rows[i];
      }
    }
    return kept > 0 && marks;
  };
}

const namesOf = ({ value }: Condition): readonly string[] =>
  typeof value === "string" ? [value] : value;
