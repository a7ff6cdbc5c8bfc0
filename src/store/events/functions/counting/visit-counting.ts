import type { CountRequest } from "../../../../domain/counting";
import { averageDuration, bounceRate } from "../../../../domain/session";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { Bitmap } from "../sets/bitmap";
import { PairTable } from "../sets/distinct";
import { type Rows, rowsBetween } from "./filter";
import type { Label } from "./labels";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";

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
): UserCounting | SessionCounting | null {
  const [only, ...more] = request.group_by;
  const isPlain = more.length === 0 && request.skip_null !== true;
  if (!isPlain || request.metrics.some((metric) => metric.endsWith("_day"))) return null;
  const isSessionThenUser = request.count_mode === "session_then_user";
  if (only === "user_id") return new UserCounting(identity, numbers, sessions, isSessionThenUser);
  if (only !== "session_id" || numbers === null) return null;
  return new SessionCounting(context, identity, numbers, sessions, isSessionThenUser);
}

class UserCounting implements CountedGroups {
  private readonly rows = new Sums();
  private readonly sessionCount = new Sums();
  private readonly bounces = new Sums();
  private readonly duration = new Sums();
  private readonly pairs = new SessionUsers();
  private rowsOfNobody = 0;

  constructor(
    private readonly identity: Identity,
    private readonly numbers: SessionNumbers | null,
    private readonly sessions: Sessions | null,
    private readonly isSessionThenUser: boolean,
  ) {}

  add(segment: Segment, rows: Rows): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessionOf = this.numbers?.of.get(segment.id);
    for (let v = 0; v < users.length; v++) {
      const count = rowsBetween(rows, firstRows[v], firstRows[v + 1]);
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
    const wanted = new Set(Array.from(users));
    const nobody = wanted.delete(0) ? [0] : []; // null sorts before every name
    const named = this.identity.firstByName((user) => wanted.has(user), limit - nobody.length);
    return [...nobody, ...named];
  }
  value(user: number, metric: string): number {
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
        if (!this.isSessionThenUser) return this.rows.of(user);
        return user === 0 ? sessions + this.rowsOfNobody : Math.max(1, sessions);
    }
  }
}

class SessionCounting implements CountedGroups {
  private readonly rows = new Sums();
  private readonly userCount = new Sums();
  private readonly pairs = new SessionUsers();
  private readonly usersOutside = new Bitmap();
  private rowsOfNobody = 0;
  /** Where one of a session's visits is: to find its id. */
  private readonly homeSegment: Uint32Array;
  private readonly homeVisit: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly identity: Identity,
    private readonly numbers: SessionNumbers,
    private readonly sessions: Sessions | null,
    private readonly isSessionThenUser: boolean,
  ) {
    this.homeSegment = new Uint32Array(numbers.count + 1);
    this.homeVisit = new Uint32Array(numbers.count + 1);
  }

  add(segment: Segment, rows: Rows): void {
    const { id, firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessionOf = this.numbers.of.get(id);
    for (let v = 0; v < users.length; v++) {
      const count = rowsBetween(rows, firstRows[v], firstRows[v + 1]);
      if (count === 0) continue;
      const user = users[v];
      const session = sessionOf === undefined ? 0 : sessionOf[v];
      this.rows.add(session, count);
      this.homeSegment[session] = id;
      this.homeVisit[session] = v;
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
    return this.context.open(this.homeSegment[session]).sessionIds[this.homeVisit[session]];
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

/** The users seen in each session, "none" (0) among them. Most sessions have one: it needs no table of pairs. */
class SessionUsers {
  /** User + 1, as 0 stands for a session not seen yet. */
  private first = new Uint32Array(1024);
  private readonly more = new PairTable();

  /** True when the session is seen with this user for the first time. */
  isNew(session: number, user: number): boolean {
    if (session >= this.first.length) {
      const larger = new Uint32Array(Math.max(session + 1, this.first.length * 2));
      larger.set(this.first);
      this.first = larger;
    }
    if (this.first[session] !== 0) {
      return this.first[session] !== user + 1 && this.more.add(session, user + 1);
    }
    this.first[session] = user + 1;
    return true;
  }
}
