import type { FilteredWindow } from "../../../domain/filter-items";
import {
  type Did,
  eventsOfDid,
  type FilterItem,
  isAnyOf,
  isDid,
  isOncePer,
} from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { isVisitorField } from "../../../domain/visitor-field";
import { assert } from "../../../lib/assert";
import type { Identity } from "../scan/identity";
import { rowsWithin } from "../scan/range";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Sessions } from "../session/sessions";
import { Bitmap } from "../sets/bitmap";
import { cacheName } from "./cache-name";
import { predicateOf } from "./condition-predicates";
import type { Context } from "./context";
import { oncePerPredicate } from "./once-per";
import { anyOf, type Predicate, visitPredicate } from "./predicate";
import { sessionPredicate } from "./session-predicates";

/** Returns the filters of a window and further conditions, all of which must hold. */
export const allOf = (
  { filters = [] }: FilteredWindow,
  conditions: readonly FilterItem[] = [],
): readonly FilterItem[] => {
  if (filters.length === 0) return conditions;
  // It returns the same list if it can, as a read caches results by list.
  return conditions.length === 0 ? filters : [...filters, ...conditions];
};

export const isFiltered = ({ filters = [] }: FilteredWindow): boolean => filters.length > 0;

/** A compiled list of filters, all of which must hold. */
export class Filter {
  private readonly predicates: readonly Predicate[];
  /** The list as JSON: within a read, equal texts select the same rows. */
  private readonly text: string;
  private readonly name: string | null;

  /** If `isCached`, the cache keeps the selected rows for later reads (cache-name.ts). */
  constructor(
    private readonly context: Context,
    items: readonly FilterItem[],
    identity: Identity,
    isCached = false,
  ) {
    this.predicates = items.map((item) => itemPredicate(context, item, identity));
    this.text = JSON.stringify(items);
    this.name = isCached ? cacheName(items) : null;
  }

  /** Returns the rows that pass within the window. */
  select(segment: Segment, window: TimeWindow): Selection {
    this.context.check();
    const inside = rowsWithin(segment, window);
    if (inside.isNone || this.predicates.length === 0) return inside;
    const find = () => inside.and(this.passing(segment));
    if (inside.isAll || inside.name === null || this.name === null) return find();
    return Selection.cached(segment, `${inside.name}&${this.name}`, find);
  }

  /** Returns the rows that pass, and stores them, as the questions of a read have the same filters. */
  private passing(segment: Segment): Selection {
    const find = () => this.evaluate(segment);
    return this.name === null
      ? this.context.rowsPassing(this.text, segment, find)
      : Selection.cached(segment, this.name, find);
  }
  private evaluate(segment: Segment): Selection {
    let selection = Selection.all(segment);
    for (const predicate of this.predicates) {
      if (selection.isNone) return selection;
      selection = selection.and(predicate(segment));
    }
    return selection;
  }
}

function itemPredicate(context: Context, item: FilterItem, identity: Identity): Predicate {
  if (isAnyOf(item)) return anyOf(item.any.map((one) => itemPredicate(context, one, identity)));
  if (isOncePer(item)) {
    const filter = new Filter(context, item.among, identity, true);
    return oncePerPredicate(context, item, (segment) => filter.select(segment, item.window));
  }
  if (!isDid(item)) return predicateOf(context, item, identity);
  const didOf = item.of === "session" ? sessionDidPredicate : didPredicate;
  return didOf(context, item, identity);
}

function didPredicate(context: Context, item: Did, identity: Identity): Predicate {
  return visitPredicate((segment) => {
    const who = context.ofRead(item, () => usersWho(context, item, segment.projectId, identity));
    const users = identity.usersOf(segment);
    if (item.isNegated) return (visit) => users[visit] === 0 || !who.has(users[visit]);
    return (visit) => users[visit] !== 0 && who.has(users[visit]);
  });
}

/** Returns the users with such an event in the item's window. */
function usersWho(context: Context, item: Did, project: number, identity: Identity): Bitmap {
  const { window } = item;
  assert(window !== null, "a condition on what users did has a window");
  const filter = new Filter(context, eventsOfDid(item), identity);
  const who = new Bitmap(identity.numberLimit);
  for (const segment of context.segmentsWithin(project, window)) {
    const selection = filter.select(segment, window);
    if (selection.isNone) continue;
    const users = identity.usersOf(segment);
    const { visits } = selection;
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && visits[v] === 1) who.add(users[v]);
    }
  }
  return who;
}

function sessionDidPredicate(context: Context, item: Did, identity: Identity): Predicate {
  const { window } = item;
  assert(window !== null, "a condition on what sessions did has a window");
  const named = eventsOfDid(item);
  const areOfOwnSession = named.every(isOfOwnSession);
  return sessionPredicate((project) => {
    const sessions = context.sessionsWithin(project, window);
    if (sessions === null) return null;
    const segments = context.segmentsWithin(project, allTime);
    // The table of sessions does not change when events of other sessions arrive.
    const others = areOfOwnSession ? [] : segments.map(({ key }) => key);
    // Conditions may be on users, whom links change, and on sources.
    const facts = [identity.version, context.ownHosts, others];
    const marks = sessions.values.passing(JSON.stringify(["did", named, ...facts]), () =>
      markSessions(sessions, segments, new Filter(context, named, identity, true), allTime),
    );
    return { sessionsOf: ({ id }) => sessions.numbersIn(id), marks };
  }, item.isNegated);
}

/** Tells whether the result of an item follows from the session of an event alone. */
const isOfOwnSession = (item: FilterItem): boolean =>
  isAnyOf(item)
    ? item.any.every(isOfOwnSession)
    : !isOncePer(item) && !isDid(item) && !isVisitorField(item.field);

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
    if (numbers.length === 0) continue;
    const { visits } = filter.select(segment, window);
    for (let v = 0; v < numbers.length; v++) {
      if (numbers[v] !== 0 && visits[v] === 1) marks[numbers[v]] = 1;
    }
  }
  return marks;
}
