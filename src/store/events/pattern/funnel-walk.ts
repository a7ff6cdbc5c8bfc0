import type { FunnelRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { eventsOf } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import { isVisitorField } from "../../../domain/visitor-field";
import type { FunnelResult, StepActivity } from "../../questions";
import { keyOf } from "../aggregate/plan";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { Identity } from "../scan/identity";
import type { Selection } from "../scan/selection";
import type { Key } from "../scan/vector";
import type { Segment } from "../segment/segment";
import type { SessionLinks } from "../session/session-links";
import type { SessionNumbers } from "../session/session-numbers";
import { Bitmap } from "../sets/bitmap";
import { FunnelSums } from "./funnel-sums";
import { SingleVisitSteps } from "./single-visit-steps";
import { nextOfStep, type StepRows, stepRows } from "./step-rows";
import { UsedEvents } from "./used-events";

/** The number of visits that the walk reads together. */
const visitsAtOnce = 256;

/** Stands for a row that the walk has not searched for yet. */
const notSearched = -1;

/** The sessions of a funnel's segments. */
export interface SessionsOfFunnel {
  readonly numbers: Pick<SessionNumbers, "count" | "of">;
  /** Null where entities are users. */
  readonly links: Pick<SessionLinks, "count" | "places"> | null;
}

/** The users and sessions with an event of a step. */
export interface StepTaken {
  eventCount: number;
  readonly users: Bitmap;
  /** Without sessions of one visit, if `singleSessions` counts them. */
  readonly sessions: Bitmap;
  singleSessions: number;
}

export function activityOf(
  { eventCount, users, sessions, singleSessions }: StepTaken,
  countBy: FunnelRequest["count_by"],
): StepActivity {
  const [userCount, sessionCount] = [users.count, sessions.count + singleSessions];
  return {
    event_count: eventCount,
    unique_users: userCount,
    sessions: sessionCount,
    joinable_entities: countBy === "user_id" ? userCount : sessionCount,
  };
}

/**
 * Walks the steps of a funnel over segments. Entities are users by their numbers, or linked sessions by their places;
 * 0 is an event without an entity, which takes no part.
 */
export class FunnelWalk {
  /** The event that each entity used, per step. */
  readonly used: UsedEvents[] = [];
  readonly counted: FunnelSums;
  /** The group of the event that each entity used for step 1; null without a breakdown. */
  groups: Uint32Array<ArrayBuffer> | null;
  private readonly single: SingleVisitSteps;
  private readonly segments: readonly Segment[];
  private readonly identity: Identity;
  private readonly entityMax: number;
  /** Some visits with the step, and their entities. */
  private readonly visits = new Uint32Array(visitsAtOnce);
  /** Their first rows with the step, or `notSearched`. */
  private readonly marked = new Int32Array(visitsAtOnce);
  private readonly entities = new Uint32Array(visitsAtOnce);
  /** When each entity used an event: of this step so far, of the step before, and of the first one. */
  private readonly taken = new Float64Array(visitsAtOnce);
  private readonly before = new Float64Array(visitsAtOnce);
  private readonly begun = new Float64Array(visitsAtOnce);

  constructor(
    private readonly context: Context,
    segments: readonly Segment[],
    private readonly window: FilteredWindow,
    private readonly request: FunnelRequest,
    private readonly sessions: SessionsOfFunnel,
  ) {
    this.segments = segments.toSorted((a, b) => a.firstTime - b.firstTime);
    this.identity = context.identity(segments[0].projectId);
    const { budget } = context;
    this.entityMax = sessions.links?.count ?? this.identity.largestIn(this.segments, context.check);
    this.groups = request.breakdown === null ? null : budget.words(this.entityMax + 1);
    this.counted = new FunnelSums(request.steps.length, this.breakdownKey(), budget);
    this.single = new SingleVisitSteps(request.window_ms, this.counted, budget);
  }

  private breakdownKey(): Key | null {
    const { context, identity, window, segments } = this;
    const { breakdown } = this.request;
    if (breakdown === null) return null;
    const sessions = isVisitorField(breakdown)
      ? context.sessionsWithin(segments[0].projectId, allTime)
      : null;
    const inputs = { context, identity, window, sessions };
    return keyOf(breakdown, { ...inputs, selected: [], reached: null });
  }

  sums(): Pick<FunnelResult, "overall" | "groups"> {
    this.counted.add(this.used, this.groups);
    return this.counted.end();
  }

  take(step: number): StepTaken {
    const conditions = eventsOf(this.request.steps[step]);
    const filter = new Filter(this.context, allOf(this.window, conditions), this.identity, true);
    this.used[step] = UsedEvents.none(this.entityMax, this.segments, this.context.budget);
    const seen: StepTaken = {
      eventCount: 0,
      users: new Bitmap(this.identity.numberLimit),
      sessions: new Bitmap(this.sessions.numbers.count + 1),
      singleSessions: 0,
    };
    const begun = step === 0 ? new UsersOfEarlierDates() : null;
    this.segments.forEach((segment, index) => {
      this.context.check();
      const selection = filter.select(segment, this.window);
      if (selection.isNone) return;
      seen.eventCount += selection.count;
      if (step === 0) this.counted.beginSegment(index, selection);
      if (this.isByUser) begun?.beginSegment(segment, seen.users);
      this.look(step, selection, index, seen, begun);
    });
    return seen;
  }

  /** Counts the visits with the step, and lets their entities use its events. */
  private look(
    step: number,
    selection: Selection,
    index: number,
    seen: StepTaken,
    begun: UsersOfEarlierDates | null,
  ): void {
    const { segment, visits: visitsWithStep } = selection;
    const userOf = this.identity.usersOf(segment);
    const sessionOf = this.sessionsOf(segment);
    const { users, sessions } = seen;
    const places = this.sessions.links?.places ?? null;
    const { firstRows } = segment;
    const { visits, marked, entities } = this;
    let known: StepRows | null = null;
    const lookedAt = (): StepRows => {
      known ??= stepRows(selection, index);
      return known;
    };
    let takeSingle: ((visit: number) => void) | null | undefined;
    let count = 0;
    for (let v = 0; v < userOf.length; v++) {
      if (visitsWithStep[v] === 0) continue;
      if (userOf[v] !== 0) users.add(userOf[v]);
      const session = sessionOf[v];
      const entity = places === null ? userOf[v] : places[session];
      if (places !== null && entity === 0) {
        if (session === 0) continue;
        seen.singleSessions++;
        if (takeSingle === undefined)
          takeSingle = this.single.taker(step, index, firstRows, lookedAt);
        takeSingle?.(v);
        continue;
      }
      if (session !== 0) sessions.add(session);
      if (entity === 0 || begun?.has(entity) === true) continue;
      visits[count] = v;
      marked[count] = notSearched;
      entities[count++] = entity;
      if (count < visitsAtOnce) continue;
      this.use(step, segment, lookedAt, count);
      count = 0;
    }
    this.use(step, segment, lookedAt, count);
  }

  /**
   * Finds the events that the entities of some visits use: rows of a visit are in order, so this is the first one after
   * the step before. Entities and rows do not fit into the processor's caches, and look-ups that depend on each other
   * wait for memory one by one. So each loop reads one column for all these visits. It reads no row of a visit that
   * begins too late, or whose entity did not take the step before.
   */
  private use(step: number, segment: Segment, lookedAt: () => StepRows, count: number): void {
    const { visits, marked, entities, taken, before, begun, used } = this;
    const { window_ms: windowMs } = this.request;
    const earlier = step === 0 ? null : used[step - 1];
    used[step].readTimes(entities, count, taken);
    earlier?.readTimes(entities, count, before);
    if (step > 1) used[0].readTimes(entities, count, begun);
    else begun.set(before);
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    // The visits that are left come first. From here on, `begun` is the last time that counts.
    let left = 0;
    for (let place = 0; place < count; place++) {
      const startMs = firstTime + starts[visits[place]];
      if (startMs > taken[place]) continue;
      const lastMs = step === 0 ? Number.POSITIVE_INFINITY : begun[place] + windowMs;
      if (earlier !== null && (before[place] === Number.POSITIVE_INFINITY || startMs > lastMs))
        continue;
      visits[left] = visits[place];
      marked[left] = marked[place];
      entities[left] = entities[place];
      begun[left++] = lastMs;
    }
    if (left === 0) return;
    const rows = lookedAt();
    const { times } = rows;
    const groups = step === 0 ? this.groups : null;
    for (let place = 0; place < left; place++) {
      if (marked[place] === notSearched)
        marked[place] = nextOfStep(rows, firstRows[visits[place]], firstRows[visits[place] + 1]);
    }
    // This loop only loads the times into the processor's cache.
    for (let place = 0; place < left; place++) taken[place] = times[marked[place]];
    for (let place = 0; place < left; place++) {
      const end = firstRows[visits[place] + 1];
      const entity = entities[place];
      const first = marked[place];
      if (first === end) continue;
      const row =
        earlier === null
          ? first
          : nextAfter(earlier, entity, rows, { first, end, lastMs: begun[place] });
      if (row === end) continue;
      const isUsed = used[step].offer(entity, firstTime + times[row], rows.index, row);
      if (isUsed && groups !== null) groups[entity] = this.counted.groupAt(rows.index, row);
    }
  }

  private get isByUser(): boolean {
    return this.request.count_by === "user_id";
  }
  private sessionsOf(segment: Segment): Uint32Array {
    return this.sessions.numbers.of.get(segment.id) ?? new Uint32Array(segment.visitCount);
  }
}

/**
 * The users who took the first step in segments that ended before this one begins. The caches of the processor hold one
 * bit for each user, but not the times of the steps of many users.
 */
class UsersOfEarlierDates {
  private readonly users = new Bitmap();
  private lastTime = Number.NEGATIVE_INFINITY;

  /** Segments come in order of their first times. `seen` are the users of the segments before. */
  beginSegment({ firstTime, lastTime }: Segment, seen: Bitmap): void {
    if (firstTime > this.lastTime) this.users.addAll(seen);
    this.lastTime = Math.max(this.lastTime, lastTime);
  }
  has(user: number): boolean {
    return user < this.users.limit && this.users.has(user);
  }
}

/** Returns the first row of the step after the event of the step before, up to `lastMs`; `end` if there is none. */
function nextAfter(
  before: UsedEvents,
  entity: number,
  rows: StepRows,
  { first, end, lastMs }: { readonly first: number; readonly end: number; readonly lastMs: number },
): number {
  const { firstTime, times, index } = rows;
  for (let row = first; row < end; row = nextOfStep(rows, row + 1, end)) {
    const timeMs = firstTime + times[row];
    if (timeMs > lastMs) return end;
    if (before.isBefore(entity, timeMs, index, row)) return row;
  }
  return end;
}
