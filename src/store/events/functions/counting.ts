import type { CountRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import { roundTo } from "../../../lib/round";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { type Grouping, groupingOf } from "./dimension";
import { DistinctPerGroup } from "./distinct";
import type { Rows } from "./filter";
import { GroupTable } from "./group-table";
import type { Identity } from "./identity";
import type { Label, Labels } from "./labels";
import type { CountedGroups } from "./ranking";
import type { SessionNumbers } from "./session-numbers";
import type { Sessions } from "./sessions";
import { Sums } from "./sums";

/** Not a group: rows that are left out. */
const leftOut = -1;

/** What countings that follow each other share: the same groups under the same numbers. */
export class Groups {
  readonly table: GroupTable;
  constructor(readonly labels: readonly Labels[]) {
    this.table = new GroupTable(labels.length);
  }
}

/**
 * Events, users and sessions per group, for any grouping. Each segment is counted by its own small codes; then every
 * code that occurs looks up its group once. Users and sessions are looked at once per visit and group.
 */
export class Counting implements CountedGroups {
  /** When set, groups that are not in it are left out. */
  only: ReadonlySet<number> | null = null;
  private readonly events = new Sums();
  private readonly firstDay: number[] = [];
  private readonly lastDay: number[] = [];
  private readonly users: DistinctPerGroup;
  private readonly sessionsSeen: DistinctPerGroup;
  private readonly usersInSessions: DistinctPerGroup;
  private readonly usersOutside: DistinctPerGroup;
  private readonly nobody = new Sums();
  private readonly bounces = new Sums();
  private readonly duration = new Sums();
  private readonly numbers: Uint32Array;
  private lonelyUsers: Float64Array | null = null;
  private readonly wantsUsers: boolean;
  private readonly wantsDays: boolean;
  private readonly wantsSessions: boolean;
  private readonly wantsSessionThenUser: boolean;

  constructor(
    private readonly request: CountRequest,
    private readonly groups: Groups,
    private readonly identity: Identity,
    private readonly sessionNumbers: SessionNumbers | null,
    private readonly sessions: Sessions | null,
  ) {
    const { metrics, count_mode } = request;
    this.users = new DistinctPerGroup(identity.numberLimit);
    this.usersInSessions = new DistinctPerGroup(identity.numberLimit);
    this.usersOutside = new DistinctPerGroup(identity.numberLimit);
    this.sessionsSeen = new DistinctPerGroup((sessionNumbers?.count ?? 0) + 1);
    this.numbers = new Uint32Array(groups.labels.length);
    this.wantsUsers = metrics.includes("unique_users");
    this.wantsDays = metrics.includes("first_day") || metrics.includes("last_day");
    this.wantsSessionThenUser =
      count_mode === "session_then_user" && metrics.includes("event_count");
    this.wantsSessions =
      this.wantsSessionThenUser || sessions !== null || metrics.includes("session_count");
  }

  add(segment: Segment, rows: Rows): void {
    const { codes, size, numbersOf } = groupingOf(segment, this.groups.labels);
    const counts = histogram(codes, size, rows, segment.eventCount);
    const groupOf = new Int32Array(size).fill(leftOut);
    for (let code = 0; code < size; code++) {
      if (counts[code] === 0) continue;
      numbersOf(code, this.numbers);
      const group = this.groupOf(this.numbers);
      groupOf[code] = group;
      if (group !== leftOut) this.events.add(group, counts[code]);
    }
    if (this.wantsDays) this.addDays(segment, rows, codes, groupOf, counts);
    if (this.wantsUsers || this.wantsSessions) this.addVisits(segment, rows, codes, groupOf);
  }

  private groupOf(numbers: Uint32Array): number {
    if (this.request.skip_null === true && numbers.includes(0)) return leftOut;
    const group = this.groups.table.groupOf(numbers);
    return this.only === null || this.only.has(group) ? group : leftOut;
  }

  private addVisits(
    segment: Segment,
    rows: Rows,
    codes: Grouping["codes"],
    groupOf: Int32Array,
  ): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? this.sessionNumbers?.of.get(segment.id) : undefined;
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
          this.nobody.add(group, 1);
          continue;
        }
        if (group === last) continue; // it has just seen this visit's user and session
        last = group;
        if (this.wantsUsers && user !== 0) this.users.add(group, user);
        if (this.wantsSessions) this.addSession(group, session, user);
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
      this.bounces.add(group, this.sessions.isBounce(session));
      this.duration.add(group, this.sessions.duration(session));
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

  members(): Uint32Array {
    return this.events.members();
  }
  label(group: number, place: number): Label {
    return this.groups.labels[place].label(this.groups.table.numberAt(group, place));
  }
  value(group: number, metric: string): number {
    switch (metric) {
      case "unique_users":
        return this.users.count(group);
      case "session_count":
        return this.sessionsSeen.count(group);
      case "bounce_rate":
        return roundTo(share(this.bounces.of(group), this.sessionsSeen.count(group)), 3);
      case "avg_duration":
        return Math.round(share(this.duration.of(group), this.sessionsSeen.count(group)));
      case "first_day":
        return this.firstDay[group];
      case "last_day":
        return this.lastDay[group];
      default:
        return this.wantsSessionThenUser ? this.sessionThenUser(group) : this.events.of(group);
    }
  }
  /** Sessions, users whose rows in the group all lack a session, and rows with neither. */
  private sessionThenUser(group: number): number {
    const { table } = this.groups;
    this.lonelyUsers ??= this.usersOutside.countsWithout(this.usersInSessions, table.size);
    const sessions = this.sessionsSeen.count(group);
    return sessions + this.lonelyUsers[group] + this.nobody.of(group);
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

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
