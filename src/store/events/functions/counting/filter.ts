import type { FilteredWindow } from "../../../../domain/filter-items";
import {
  type Did,
  eventsOfDid,
  type FilterItem,
  isAnyOf,
  isDid,
  isOncePer,
} from "../../../../domain/filter-items";
import { allTime } from "../../../../domain/period";
import type { TimeWindow } from "../../../../domain/time-window";
import { assert } from "../../../../lib/assert";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { Sessions } from "../sessions/sessions";
import { Bitmap } from "../sets/bitmap";
import type { Rows } from "../sets/rows";
import { predicateOf } from "./condition-predicates";
import {
  areOfVisits,
  countOf,
  countOfVisits,
  forgetFew,
  hasRow,
  keptName,
  keptRows,
  rowsOfPart,
  rowsOfVisits,
  visitsOfPart,
  visitsWithRow,
} from "./marked-rows";
import { oncePerPredicate } from "./once-per";
import { anyPredicate, type RowPredicate } from "./row-predicate";
import { sessionPredicate } from "./session-predicates";
import { visitPredicate } from "./visit-predicates";

/** What a window asks of its events, and what else must hold. */
export const allOf = (
  { filters = [] }: FilteredWindow,
  conditions: readonly FilterItem[] = [],
): readonly FilterItem[] => {
  if (filters.length === 0) return conditions;
  // The same list whenever it is asked for: what it found is kept for the other questions of a read.
  return conditions.length === 0 ? filters : [...filters, ...conditions];
};

export const isFiltered = ({ filters = [] }: FilteredWindow): boolean => filters.length > 0;

/**
 * A compiled list of filters, all of which must hold.
 */
export class Filter {
  private readonly predicates: readonly RowPredicate[];
  /** Equal lists find the same. */
  private readonly text: string;
  private readonly name: string | null;

  /**
   * `isKept`: what they find is kept (marked-rows.ts), as they will be asked again. `byVisit`: who asks looks at visits
   * too; for others no column of these is opened, unless a filter asks one.
   */
  constructor(
    private readonly context: Context,
    items: readonly FilterItem[],
    identity: Identity,
    isKept = false,
    private readonly byVisit = true,
  ) {
    this.predicates = items.map((item) => itemPredicate(context, item, identity));
    this.text = JSON.stringify(items);
    this.name = isKept ? keptName(items) : null;
  }

  /** Counts the rows that pass within the window. */
  count(segment: Segment, window: TimeWindow): number {
    const [only, ...more] = this.predicates;
    const isWhole = isWithin(segment, window);
    const known = isWhole ? this.context.rowsKnown(this.text, segment) : undefined;
    if (known === undefined && isWhole && only?.count !== undefined && more.length === 0) {
      this.context.check();
      return only.count(segment);
    }
    const visits = this.visitsOfPart(segment, window);
    if (visits !== null) return visits === false ? 0 : countOfVisits(segment, visits);
    const rows = this.select(segment, window);
    return rows === false ? 0 : countOf(rows, segment);
  }

  /** Returns the rows that pass within the window, or false when none does. */
  select(segment: Segment, window: TimeWindow): Rows | false {
    this.context.check();
    if (isWithin(segment, window)) return this.passing(segment);
    const inside = within(window)(segment, null);
    const passing = inside !== false && this.passing(segment);
    return inside === false || passing === false ? false : common(inside, passing);
  }

  /** The visits with a row that passes within the window, by 1; null for all of them, false for none. */
  visits(segment: Segment, window: TimeWindow): Uint8Array | null | false {
    const visits = this.visitsOfPart(segment, window);
    if (visits !== null) return visits;
    const rows = this.select(segment, window);
    return rows && visitsWithRow(segment, rows);
  }

  /**
   * The visits of a part with a row that passes; null wherever rows have to be looked at. A date of another zone is two
   * parts: to mark the rows of both again took a third of the time of a read with filters of sessions.
   */
  private visitsOfPart(segment: Segment, window: TimeWindow): Uint8Array | null | false {
    const { whole } = segment;
    if (segment === whole || this.predicates.length === 0 || !isWithin(segment, window))
      return null;
    this.context.check();
    const rows = this.passing(whole);
    if (rows === false) return false;
    if (rows === null || !areOfVisits(rows)) return null;
    const find = () => visitsOfPart(segment, rows);
    return this.context.rowsPassing(`visits, ${this.text}`, segment, find);
  }

  /**
   * Returns the rows of a whole segment that pass. The questions of a read have the same filters, and nobody changes
   * what they found.
   */
  private passing(segment: Segment): Rows | false {
    if (this.predicates.length === 0) return null;
    const { name } = this;
    return this.context.rowsPassing(this.text, segment, () => {
      const find = () => this.found(segment);
      return name === null ? find() : keptRows(segment, name, find);
    });
  }
  private found(segment: Segment): Rows | false {
    const { whole } = segment;
    if (segment === whole) return this.passingOf(whole);
    const rows = this.passing(whole);
    return rows === false || rows === null ? rows : rowsOfPart(segment, rows);
  }
  private passingOf(segment: Segment): Rows | false {
    const ofVisits = this.passingVisits(segment);
    if (ofVisits !== null) return ofVisits && rowsOfVisits(segment, ofVisits);
    let rows: Rows = null;
    for (const predicate of this.predicates) {
      const left = predicate(segment, rows);
      if (left === false) return false;
      // What one predicate knows of its rows is not so after the next.
      if (rows !== null) forgetFew(left);
      rows = left;
    }
    return rows;
  }
  /** The visits whose rows pass, by 1; false for none of them, null when not each predicate is one of whole visits. */
  private passingVisits(segment: Segment): Uint8Array | false | null {
    let passing: Uint8Array | null = null;
    const { predicates } = this;
    if (!predicates.every(({ visits }) => visits !== undefined)) return null;
    // Predicates that may find visits which pass in part come first.
    const [first, then] = [
      predicates.filter(({ count }) => count),
      predicates.filter(({ count }) => !count),
    ];
    for (const { visits } of [...first, ...then]) {
      const own = visits?.(segment, this.byVisit) ?? null;
      if (own === null || own === false) return own;
      if (passing !== null) for (let v = 0; v < own.length; v++) own[v] &= passing[v];
      passing = own;
    }
    return passing?.includes(1) === true && passing;
  }
}

/** Changes the marks that it is given first. */
function common(marks: Uint8Array, others: Rows): Uint8Array | false {
  if (others === null) return marks;
  let kept = 0;
  for (let i = 0; i < marks.length; i++) kept += marks[i] &= others[i];
  return kept > 0 && marks;
}

export const isWithin = ({ firstTime, lastTime }: Segment, { fromMs, toMs }: TimeWindow): boolean =>
  firstTime >= fromMs && lastTime < toMs;

/** Nearly every visit lies within the window or outside of it: times of single events are needed of the few others. */
function within({ fromMs, toMs }: TimeWindow): RowPredicate {
  return (segment, rows) => {
    assert(rows === null, "the window is the first thing that is asked of a segment");
    const marks = new Uint8Array(segment.eventCount);
    const { firstRows, visitCount } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const low = fromMs - segment.firstTime;
    const high = toMs - segment.firstTime;
    let kept = 0;
    for (let v = 0; v < visitCount; v++) {
      const start = starts[v];
      const end = start + durations[v];
      if (end < low || start >= high) continue;
      const first = firstRows[v];
      const next = firstRows[v + 1];
      if (start >= low && end < high) {
        kept += next - first;
        for (let i = first; i < next; i++) marks[i] = 1;
        continue;
      }
      const { times } = segment;
      for (let i = first; i < next; i++) {
        if (times[i] >= low && times[i] < high) kept += marks[i] = 1;
      }
    }
    return kept > 0 && marks;
  };
}

function itemPredicate(context: Context, item: FilterItem, identity: Identity): RowPredicate {
  if (isAnyOf(item))
    return anyPredicate(item.any.map((one) => itemPredicate(context, one, identity)));
  if (isOncePer(item)) {
    const filter = new Filter(context, item.among, identity, true, false);
    return oncePerPredicate(context, item, (segment) => filter.select(segment, item.window));
  }
  if (!isDid(item)) return predicateOf(context, item, identity);
  const didOf = item.of === "session" ? sessionDidPredicate : didPredicate;
  return didOf(context, item, identity);
}

function didPredicate(context: Context, item: Did, identity: Identity): RowPredicate {
  return visitPredicate((segment) => {
    const who = context.ofRead(item, () => usersWho(context, item, segment.projectId, identity));
    const users = identity.usersOf(segment);
    if (item.isNegated) return (visit) => users[visit] === 0 || !who.has(users[visit]);
    return (visit) => users[visit] !== 0 && who.has(users[visit]);
  });
}

/** The users with such an event in the item's window. */
function usersWho(context: Context, item: Did, project: number, identity: Identity): Bitmap {
  const { window } = item;
  assert(window !== null, "a condition on what users did has a window");
  const filter = new Filter(context, eventsOfDid(item), identity);
  const found = new Bitmap(identity.numberLimit);
  for (const segment of context.segmentsWithin(project, window)) {
    const rows = filter.select(segment, window);
    if (rows === false) continue;
    const users = identity.usersOf(segment);
    const { firstRows } = segment;
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && hasRow(rows, firstRows[v], firstRows[v + 1])) found.add(users[v]);
    }
  }
  return found;
}

function sessionDidPredicate(context: Context, item: Did, identity: Identity): RowPredicate {
  const { window } = item;
  assert(window !== null, "a condition on what sessions did has a window");
  const named = eventsOfDid(item);
  // Conditions may be on users, whom links change, and on sources.
  const name = JSON.stringify(["did", named, identity.version, context.ownHosts]);
  return sessionPredicate((project) => {
    const sessions = context.sessionsWithin(project, window);
    if (sessions === null) return null;
    const marks = sessions.values.passing(name, () => {
      const filter = new Filter(context, named, identity, true);
      return markSessions(sessions, context.segmentsWithin(project, allTime), filter, allTime);
    });
    return { sessionsOf: ({ id }) => sessions.numbersIn(id), marks };
  }, item.isNegated);
}

/** Returns a 1 for each session with an event in the window that passes. */
export function markSessions(
  sessions: Sessions,
  segments: readonly Segment[],
  filter: Filter,
  window: TimeWindow,
): Uint8Array {
  const marks = new Uint8Array(sessions.count + 1);
  for (const segment of segments) {
    if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
    const numbers = sessions.numbersIn(segment.id);
    const visits = numbers.length === 0 ? false : filter.visits(segment, window);
    if (visits === false) continue;
    for (let v = 0; v < numbers.length; v++) {
      if (numbers[v] !== 0 && (visits === null || visits[v] === 1)) marks[numbers[v]] = 1;
    }
  }
  return marks;
}
