import type { CountRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import { roundTo } from "../../../lib/round";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { type Grouping, groupingOf, type Label } from "./dimension";
import { DistinctPerGroup } from "./distinct";
import type { Rows } from "./filter";
import type { Identity } from "./identity";
import type { CountedGroups } from "./ranking";
import type { SessionNumbers } from "./session-numbers";
import type { Sessions } from "./sessions";

/** A group's labels as one value that tells it from others. */
type Key = Label;
/** Not a group: rows that are left out. */
const leftOut = -1;

/**
 * Events, users and sessions per group, for any grouping. Each segment is counted by its own small codes; then every
 * code that occurs looks up its group once. Users and sessions are looked at once per visit and group.
 */
export class Counting implements CountedGroups {
  /** When set, other groups are left out. */
  only: ReadonlySet<Key> | null = null;
  private readonly groups: Label[][] = [];
  private readonly numberOf = new Map<Key, number>();
  private events = new Float64Array(64);
  private readonly firstDay: number[] = [];
  private readonly lastDay: number[] = [];
  private readonly users: DistinctPerGroup;
  private readonly sessionsSeen: DistinctPerGroup;
  private readonly usersInSessions: DistinctPerGroup;
  private readonly usersOutside: DistinctPerGroup;
  private readonly nobody: number[] = [];
  private readonly bounces: number[] = [];
  private readonly duration: number[] = [];
  private lonelyUsers: Float64Array | null = null;
  private readonly wantsUsers: boolean;
  private readonly wantsDays: boolean;
  private readonly wantsSessionThenUser: boolean;

  constructor(
    private readonly request: CountRequest,
    private readonly identity: Identity,
    private readonly sessionNumbers: SessionNumbers | null,
    private readonly sessions: Sessions | null,
  ) {
    const { metrics, count_mode } = request;
    this.users = new DistinctPerGroup(identity.numberLimit);
    this.usersInSessions = new DistinctPerGroup(identity.numberLimit);
    this.usersOutside = new DistinctPerGroup(identity.numberLimit);
    this.sessionsSeen = new DistinctPerGroup((sessionNumbers?.count ?? 0) + 1);
    this.wantsUsers = metrics.includes("unique_users");
    this.wantsDays = metrics.includes("first_day") || metrics.includes("last_day");
    this.wantsSessionThenUser =
      count_mode === "session_then_user" && metrics.includes("event_count");
  }

  add(segment: Segment, rows: Rows): void {
    const { codes, size, labels } = groupingOf(segment, this.request.group_by, this.identity);
    const counts = histogram(codes, size, rows, segment.eventCount);
    const groupOf = new Int32Array(size).fill(leftOut);
    for (let code = 0; code < size; code++) {
      if (counts[code] === 0) continue;
      const group = this.group(labels(code));
      groupOf[code] = group;
      if (group !== leftOut) this.events[group] += counts[code];
    }
    if (this.wantsDays) this.addDays(segment, rows, codes, groupOf, counts);
    const wantsVisits = this.wantsUsers || this.sessionNumbers !== null;
    if (wantsVisits) this.addVisits(segment, rows, codes, groupOf);
  }

  private addVisits(
    segment: Segment,
    rows: Rows,
    codes: Grouping["codes"],
    groupOf: Int32Array,
  ): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessions = this.sessionNumbers?.of.get(segment.id);
    for (let v = 0; v < users.length; v++) {
      const user = users[v];
      const session = sessions === undefined ? 0 : sessions[v];
      const isNobody = user === 0 && session === 0;
      if (isNobody && !this.wantsSessionThenUser) continue;
      let last = leftOut;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        if (rows !== null && rows[i] === 0) continue;
        const group = groupOf[codes === null ? 0 : codes[i]];
        if (group === leftOut) continue;
        if (isNobody) {
          this.nobody[group] = (this.nobody[group] ?? 0) + 1;
          continue;
        }
        if (group === last) continue; // it has just seen this visit's user and session
        last = group;
        if (this.wantsUsers && user !== 0) this.users.add(group, user);
        if (this.sessionNumbers !== null) this.addSession(group, session, user);
      }
    }
  }

  private addSession(group: number, session: number, user: number): void {
    const countsUser = this.wantsSessionThenUser && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.add(group, user);
      return;
    }
    const isNew = this.sessionsSeen.add(group, session);
    if (isNew && this.sessions !== null) {
      this.bounces[group] = (this.bounces[group] ?? 0) + this.sessions.isBounce(session);
      this.duration[group] = (this.duration[group] ?? 0) + this.sessions.duration(session);
    }
    if (countsUser) this.usersInSessions.add(group, user);
  }

  private addDays(
    segment: Segment,
    rows: Rows,
    codes: Grouping["codes"],
    groupOf: Int32Array,
    counts: Uint32Array,
  ): void {
    const see = (group: number, day: number): void => {
      if (!(day >= this.firstDay[group])) this.firstDay[group] = day;
      if (!(day <= this.lastDay[group])) this.lastDay[group] = day;
    };
    const first = dayOf(segment.firstTime);
    if (first === dayOf(segment.lastTime)) {
      groupOf.forEach((group, code) => {
        if (counts[code] > 0 && group !== leftOut) see(group, first);
      });
      return;
    }
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      const group = groupOf[codes === null ? 0 : codes[i]];
      if (group !== leftOut && (rows === null || rows[i] === 1)) {
        see(group, dayOf(firstTime + times[i]));
      }
    }
  }

  private group(labels: Label[]): number {
    if (this.request.skip_null === true && labels.includes(null)) return leftOut;
    const key = keyOf(labels);
    if (this.only !== null && !this.only.has(key)) return leftOut;
    let number = this.numberOf.get(key);
    if (number === undefined) {
      number = this.groups.push(labels) - 1;
      this.numberOf.set(key, number);
      if (number >= this.events.length) this.events = grown(this.events);
    }
    return number;
  }

  get size(): number {
    return this.groups.length;
  }
  keyOf(group: number): Key {
    return keyOf(this.groups[group]);
  }
  members(): number[] {
    return this.groups.map((_, group) => group);
  }
  /** Users are grouped by number; their names are looked up only for groups that are shown or tied. */
  label(group: number, position: number): Label {
    const label = this.groups[group][position];
    const isUser = this.request.group_by[position] === "user_id";
    return isUser && typeof label === "number" ? this.identity.nameOf(label) : label;
  }
  value(group: number, metric: string): number {
    switch (metric) {
      case "unique_users":
        return this.users.count(group);
      case "session_count":
        return this.sessionsSeen.count(group);
      case "bounce_rate":
        return roundTo(share(this.bounces[group], this.sessionsSeen.count(group)), 3);
      case "avg_duration":
        return Math.round(share(this.duration[group], this.sessionsSeen.count(group)));
      case "first_day":
        return this.firstDay[group];
      case "last_day":
        return this.lastDay[group];
      default:
        return this.wantsSessionThenUser ? this.sessionThenUser(group) : this.events[group];
    }
  }
  /** Sessions, users whose rows in the group all lack a session, and rows with neither. */
  private sessionThenUser(group: number): number {
    this.lonelyUsers ??= this.usersOutside.countsWithout(this.usersInSessions, this.size);
    const sessions = this.sessionsSeen.count(group);
    return sessions + this.lonelyUsers[group] + (this.nobody[group] ?? 0);
  }
}

const keyOf = (labels: readonly Label[]): Key =>
  labels.length === 1 ? labels[0] : JSON.stringify(labels);
const share = (part: number | undefined, whole: number): number =>
  part === undefined || whole === 0 ? 0 : part / whole;

function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}

/** How many of the rows have each code. */
function histogram(codes: Integers | null, size: number, rows: Rows, count: number): Uint32Array {
  const counts = new Uint32Array(size);
  if (codes === null) {
    if (rows === null) counts[0] = count;
    else for (let i = 0; i < count; i++) counts[0] += rows[i];
  } else if (rows === null) for (let i = 0; i < count; i++) counts[codes[i]]++;
  else for (let i = 0; i < count; i++) counts[codes[i]] += rows[i];
  return counts;
}
