import type { CountRequest } from "../../../../domain/counting";
import { dayOf } from "../../../../domain/event";
import { averageDuration, bounceRate } from "../../../../domain/session";
import type { Segment } from "../../segment/segment";
import type { Identity } from "../identity";
import type { SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup } from "../sets/distinct";
import { GroupTable } from "../sets/group-table";
import { around } from "../sets/selection";
import { type Grouping, groupingOf } from "./dimension";
import type { Rows } from "./filter";
import type { Label, Labels } from "./labels";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";
import { bitsMax, codeCounts, lowestBit, translation, visitMasks } from "./visit-masks";

/** Not a group: rows that are left out. */
const leftOut = -1;

/** The groups of a segment's rows: how many rows each code has, and which group a code that occurs stands for. */
interface SegmentGroups {
  readonly grouping: Grouping;
  readonly counts: Uint32Array;
  readonly groupOf: Int32Array;
}

/** What countings that follow each other share: the same groups under the same numbers, looked up once. */
export class Groups {
  readonly table: GroupTable;
  private readonly numbers: Uint32Array;
  private readonly known = new Map<Segment, SegmentGroups>();

  constructor(
    readonly labels: readonly Labels[],
    private readonly skipsNull: boolean,
  ) {
    this.table = new GroupTable(labels.length);
    this.numbers = new Uint32Array(labels.length);
  }

  /** Called with the same rows whenever it is called with the same segment. */
  in(segment: Segment, rows: Rows): SegmentGroups {
    const known = this.known.get(segment);
    if (known !== undefined) return known;
    const grouping = groupingOf(segment, this.labels);
    const { size, numbersOf } = grouping;
    const counts = countsIn(grouping, rows, segment);
    const groupOf = new Int32Array(size).fill(leftOut);
    for (let code = 0; code < size; code++) {
      if (counts[code] === 0) continue;
      numbersOf(code, this.numbers);
      if (this.skipsNull && this.numbers.includes(0)) continue;
      groupOf[code] = this.table.groupOf(this.numbers);
    }
    const found = { grouping, counts, groupOf };
    // Codes of several dimensions were made for this and take room; those of a column are there anyway.
    if (grouping.column !== undefined) this.known.set(segment, found);
    return found;
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
  private lonelyUsers: Float64Array | null = null;
  private readonly wantsUsers: boolean;
  private readonly wantsDays: boolean;
  private readonly wantsSessions: boolean;
  private readonly wantsSessionThenUser: boolean;

  constructor(
    request: CountRequest,
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
    this.wantsUsers = metrics.includes("unique_users");
    this.wantsDays = metrics.includes("first_day") || metrics.includes("last_day");
    this.wantsSessionThenUser =
      count_mode === "session_then_user" && metrics.includes("event_count");
    this.wantsSessions =
      this.wantsSessionThenUser || sessions !== null || metrics.includes("session_count");
  }

  add(segment: Segment, rows: Rows): void {
    const { grouping, counts, groupOf: all } = this.groups.in(segment, rows);
    const { only } = this;
    const groupOf = only === null ? all : all.map((group) => (only.has(group) ? group : leftOut));
    let isAny = false;
    for (let code = 0; code < groupOf.length; code++) {
      if (groupOf[code] === leftOut) continue;
      isAny = true;
      this.events.add(groupOf[code], counts[code]);
    }
    if (!isAny) return;
    const { codes, column } = grouping;
    if (this.wantsDays) this.addDays(segment, rows, codes, groupOf, counts);
    if (!this.wantsUsers && !this.wantsSessions) return;
    const isFew =
      rows === null && column !== undefined && groupOf.every((group) => group < bitsMax);
    const masks = isFew ? visitMasks(segment, column) : null;
    this.addVisits(segment, rows, codes, groupOf, masks);
  }

  /** `masks` tells the codes of each visit, where that is known without a look at its rows. */
  private addVisits(
    segment: Segment,
    rows: Rows,
    codes: Grouping["codes"],
    groupOf: Int32Array,
    masks: Uint32Array | null,
  ): void {
    const { firstRows } = segment;
    const groupBits = translation(groupOf, leftOut);
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? this.sessionNumbers?.of.get(segment.id) : undefined;
    for (let v = 0; v < users.length; v++) {
      const user = users[v];
      const session = sessions === undefined ? 0 : sessions[v];
      const isNobody = user === 0 && session === 0;
      if (isNobody && !this.wantsSessionThenUser) continue;
      if (masks !== null && !isNobody) {
        this.addBits(groupBits(masks[v]), user, session);
        continue;
      }
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
        this.addMember(group, user, session);
      }
    }
  }

  /** The same for several of the first groups, as bits. */
  private addBits(groups: number, user: number, session: number): void {
    if (groups === 0) return;
    if (this.wantsUsers && user !== 0) this.users.addBits(groups, user);
    if (!this.wantsSessions) return;
    const countsUser = this.wantsSessionThenUser && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.addBits(groups, user);
      return;
    }
    const gained = this.sessionsSeen.addBits(groups, session);
    if (this.sessions !== null) {
      for (let bits = gained; bits !== 0; bits &= bits - 1) this.judge(lowestBit(bits), session);
    }
    if (countsUser) this.usersInSessions.addBits(groups, user);
  }

  private addMember(group: number, user: number, session: number): void {
    if (this.wantsUsers && user !== 0) this.users.add(group, user);
    if (this.wantsSessions) this.addSession(group, session, user);
  }

  private addSession(group: number, session: number, user: number): void {
    const countsUser = this.wantsSessionThenUser && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.add(group, user);
      return;
    }
    if (this.sessionsSeen.add(group, session)) this.judge(group, session);
    if (countsUser) this.usersInSessions.add(group, user);
  }
  private judge(group: number, session: number): void {
    if (this.sessions === null) return;
    this.bounces.add(group, this.sessions.isBounce(session));
    this.duration.add(group, this.sessions.duration(session));
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
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] | null {
    const { table, labels } = this.groups;
    if (labels[0]?.first === undefined) return null;
    // Each of the first labels has a group at least: those of others are not needed.
    const numbers = groups.map((group) => table.numberAt(group, 0));
    const first = labels[0].first(labels.length === 1 ? numbers : distinct(numbers), limit);
    const found: number[] = [];
    for (let i = 0; i < groups.length; i++) if (first.has(numbers[i])) found.push(groups[i]);
    return found;
  }
  value(group: number, metric: string): number {
    switch (metric) {
      case "unique_users":
        return this.users.count(group);
      case "session_count":
        return this.sessionsSeen.count(group);
      case "bounce_rate":
        return bounceRate(this.bounces.of(group), this.sessionsSeen.count(group));
      case "avg_duration":
        return averageDuration(this.duration.of(group), this.sessionsSeen.count(group));
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

/** Numbers are dense. */
function distinct(numbers: Uint32Array): Uint32Array {
  const isThere = new Uint8Array(numbers.reduce((most, number) => Math.max(most, number), 0) + 1);
  for (const number of numbers) isThere[number] = 1;
  return around(Uint32Array.from(isThere), 1).tied;
}

/** How many of the rows have each code. */
function countsIn({ codes, size, column }: Grouping, rows: Rows, segment: Segment): Uint32Array {
  const { eventCount } = segment;
  if (rows === null && column !== undefined) return codeCounts(segment, column);
  const counts = new Uint32Array(size);
  if (codes === null) {
    if (rows === null) counts[0] = eventCount;
    else for (let i = 0; i < eventCount; i++) counts[0] += rows[i];
  } else if (rows === null) for (let i = 0; i < eventCount; i++) counts[codes[i]]++;
  else for (let i = 0; i < eventCount; i++) counts[codes[i]] += rows[i];
  return counts;
}
