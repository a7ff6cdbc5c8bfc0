import type { CountRequest } from "../../../../domain/counting";
import { averageDuration, bounceRate } from "../../../../domain/session";
import type { Selection } from "../../scan/selection";
import { type Budget, valuesPerCheck } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import { numbersIn, type SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { Bitmap } from "../sets/bitmap";
import { PairTable } from "../sets/pair-table";
import { firstSessions, firstUsers, type SessionIds } from "./first-labels";
import type { Label } from "./label";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";

const countedPerVisit: ReadonlySet<string> = new Set([
  ...["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration"],
]);

/** With fewer visits than one for this many users, there are not visits of most users. */
const usersPerVisitMax = 8;

/**
 * Counts grouped by nothing but user or nothing but session. A visit lies in one group, and groups have small numbers
 * already: so single rows need no look, each group has its place in an array, and labels are looked up only for those
 * that are shown or tied. Group 0 has the rows without user or without session. Cost: one pass over the visits.
 */
export function visitCounting(
  request: CountRequest,
  context: Context,
  identity: Identity,
  numbers: SessionNumbers | null,
  sessions: Sessions | null,
  selected: readonly Selection[],
): UserCounting | SessionCounting | null {
  const [only, ...more] = request.group_by;
  const isPlain = more.length === 0 && request.skip_null !== true;
  if (!isPlain || !request.metrics.every((metric) => countedPerVisit.has(metric))) return null;
  const isSessionThenUser = request.count_mode === "session_then_user";
  if (only === "user_id") {
    // The visits of segments that count whole have nearly all users; for few of them room is made as it is needed.
    const segments = selected.filter(({ isAll }) => isAll).map(({ segment }) => segment);
    const visits = segments.reduce((sum, { visitCount }) => sum + visitCount, 0);
    const largest = identity.largestIn(segments, context.check);
    const places = (visits * usersPerVisitMax < largest ? visits : largest) + 1;
    return new UserCounting(context, identity, numbers, sessions, isSessionThenUser, places);
  }
  if (only !== "session_id" || numbers === null) return null;
  const needsUsers = isSessionThenUser || request.metrics.includes("unique_users");
  return new SessionCounting(context, identity, numbers, sessions, isSessionThenUser, needsUsers);
}

class UserCounting implements CountedGroups {
  private readonly rows: Sums;
  private readonly sessionCount: Sums;
  private readonly bounces: Sums;
  private readonly duration: Sums;
  private readonly pairs: SessionUsers;
  private rowsOfNobody = 0;

  constructor(
    private readonly context: Context,
    private readonly identity: Identity,
    private readonly numbers: SessionNumbers | null,
    private readonly sessions: Sessions | null,
    private readonly isSessionThenUser: boolean,
    places: number,
  ) {
    const { budget } = context;
    this.rows = new Sums(budget, places);
    this.sessionCount = new Sums(budget, numbers === null ? 0 : places);
    this.bounces = new Sums(budget, sessions === null ? 0 : places);
    this.duration = new Sums(budget, sessions === null ? 0 : places);
    this.pairs = new SessionUsers(budget, (numbers?.count ?? 0) + 1);
  }

  add(selection: Selection): void {
    const { segment } = selection;
    const users = this.identity.usersOf(segment);
    if (selection.isAll && this.numbers === null) {
      // Nothing but events is asked, and all events of the visits count.
      this.rows.addSteps(users, segment.firstRows);
      return;
    }
    const sessionOf = numbersIn(this.numbers, segment);
    const countOf = rowsOfVisit(selection);
    for (let v = 0; v < users.length; v++) {
      if (v % valuesPerCheck === 0) this.context.check();
      const count = countOf(v);
      if (count === 0) continue;
      const user = users[v];
      const session = sessionOf === undefined ? 0 : sessionOf[v];
      this.rows.add(user, count);
      if (session !== 0 && this.pairs.isNew(session, user)) this.addSession(user, session);
      if (session === 0 && user === 0) this.rowsOfNobody += count;
    }
  }
  private addSession(user: number, session: number): void {
    this.sessionCount.add(user, 1);
    if (this.sessions === null) return;
    this.bounces.add(user, this.sessions.isBounce(session));
    this.duration.add(user, this.sessions.duration(session));
  }

  members(): Uint32Array {
    return this.rows.members();
  }
  label(user: number): Label {
    return this.identity.nameOf(user);
  }
  firstByLabel(users: Uint32Array, limit: number): readonly number[] {
    return firstUsers(this.identity, users, limit, this.context.budget);
  }
  value(user: number, metric: string): number {
    // Asked of every user, where there may be millions.
    if (metric === "event_count" && !this.isSessionThenUser) return this.rows.of(user);
    const sessions = this.sessionCount.of(user);
    switch (metric) {
      case "unique_users":
        return user === 0 ? 0 : 1;
      case "session_count":
        return sessions;
      case "bounce_rate":
        return bounceRate(this.bounces.of(user), sessions);
      case "avg_duration":
        return averageDuration(this.duration.of(user), sessions);
      default:
        return user === 0 ? sessions + this.rowsOfNobody : Math.max(1, sessions);
    }
  }
}

class SessionCounting implements CountedGroups {
  private readonly rows: Sums;
  private readonly userCount: Sums;
  private readonly pairs: SessionUsers;
  private readonly usersOutside = new Bitmap();
  /** The ids of the sessions that may be shown. They are in any segments, whose ids would have to be read for each. */
  private ids: SessionIds = new Map();
  private rowsOfNobody = 0;
  /** The segment of one of each session's visits, in which its id is found. */
  private readonly homeSegment: Uint32Array;
  private readonly homeVisit: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly identity: Identity,
    private readonly numbers: SessionNumbers,
    private readonly sessions: Sessions | null,
    private readonly isSessionThenUser: boolean,
    /** Tells whether anything is asked that users say. */
    private readonly needsUsers: boolean,
  ) {
    const { budget } = context;
    this.rows = new Sums(budget, numbers.count + 1);
    this.userCount = new Sums(budget, numbers.count + 1);
    this.pairs = new SessionUsers(budget, numbers.count + 1);
    this.homeSegment = budget.words(numbers.count + 1);
    this.homeVisit = budget.words(numbers.count + 1);
  }

  add(selection: Selection): void {
    const { segment } = selection;
    const { id, firstRows } = segment;
    const users = this.needsUsers ? this.identity.usersOf(segment) : null;
    const sessionOf = numbersIn(this.numbers, segment);
    const countOf = rowsOfVisit(selection);
    const wholeVisitOf = segment.wholeVisits();
    for (let v = 0; v + 1 < firstRows.length; v++) {
      if (v % valuesPerCheck === 0) this.context.check();
      const count = countOf(v);
      if (count === 0) continue;
      const user = users === null ? 0 : users[v];
      const session = sessionOf === undefined ? 0 : sessionOf[v];
      this.rows.add(session, count);
      this.homeSegment[session] = id;
      this.homeVisit[session] = wholeVisitOf(v);
      if (session === 0) {
        if (user === 0) this.rowsOfNobody += count;
        else this.usersOutside.add(user);
      } else if (user !== 0 && this.pairs.isNew(session, user)) this.userCount.add(session, 1);
    }
  }

  members(): Uint32Array {
    return this.rows.members();
  }
  label(session: number): Label {
    if (session === 0) return null;
    const known = this.ids.get(session);
    if (known !== undefined) return known;
    return this.context.open(this.homeSegment[session]).sessionIdAt(this.homeVisit[session]);
  }
  firstByLabel(sessions: Uint32Array, limit: number): readonly number[] {
    this.ids = firstSessions(this.context, this.numbers, sessions, limit);
    return [...this.ids.keys()];
  }
  value(session: number, metric: string): number {
    switch (metric) {
      case "unique_users":
        return session === 0 ? this.usersOutside.count : this.userCount.of(session);
      case "session_count":
        return session === 0 ? 0 : 1;
      case "bounce_rate":
        return session === 0 || this.sessions === null ? 0 : this.sessions.isBounce(session);
      case "avg_duration":
        return session === 0 || this.sessions === null ? 0 : this.sessions.duration(session);
      default:
        if (!this.isSessionThenUser) return this.rows.of(session);
        return session === 0 ? this.usersOutside.count + this.rowsOfNobody : 1;
    }
  }
}

/** Returns what counts the rows of a visit. Of rows that are those of whole visits no single one is looked at. */
export function rowsOfVisit(selection: Selection): (visit: number) => number {
  const { firstRows } = selection.segment;
  const { visits } = selection;
  if (selection.isOfVisits)
    return (visit) => visits[visit] * (firstRows[visit + 1] - firstRows[visit]);
  const { rows } = selection;
  return (visit) => {
    const end = firstRows[visit + 1];
    let count = 0;
    for (let row = firstRows[visit]; row < end; row++) count += rows[row];
    return count;
  };
}

/** The users seen in each session, "none" (0) among them. Most sessions have one: it needs no table of pairs. */
class SessionUsers {
  /** User + 1, as 0 stands for a session not seen yet. */
  private readonly first: Uint32Array;
  private readonly more: PairTable;

  /** Sessions are below the limit. */
  constructor(budget: Budget, limit: number) {
    this.first = budget.words(limit);
    this.more = new PairTable(budget);
  }

  /** Tells whether the session is seen with this user for the first time. */
  isNew(session: number, user: number): boolean {
    if (this.first[session] !== 0) {
      return this.first[session] !== user + 1 && this.more.add(session, user + 1);
    }
    this.first[session] = user + 1;
    return true;
  }
}
