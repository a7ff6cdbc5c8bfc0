import type { CountRequest } from "../../../../domain/counting";
import { averageDuration, bounceRate, conversionRate } from "../../../../domain/session";
import type { Segment } from "../../segment/segment";
import { valuesPerCheck } from "../budget";
import type { Identity } from "../identity";
import { numbersIn, type SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup, type SparePlanes } from "../sets/distinct";
import type { Rows } from "../sets/rows";
import { DaysPerGroup } from "./days-per-group";
import type { Grouping } from "./dimension";
import { firstGroups } from "./first-labels";
import { type Groups, leftOut } from "./groups";
import type { Label } from "./label";
import type { Measure } from "./measures";
import type { CountedGroups } from "./ranking";
import { SingleVisits } from "./single-visits";
import { Sums } from "./sums";
import { bitsMax, bitsOfVisits, lowestBit, translation, visitMasks } from "./visit-masks";

/** What only some metrics need. */
interface CountingExtras {
  /** The time zone of the days. */
  readonly zone?: string | undefined;
  /** The measures by metric. */
  readonly measures?: ReadonlyMap<string, Measure>;
  /** A 1 for each session that reached the goal. */
  readonly reached?: Uint8Array | null;
  readonly spare?: SparePlanes;
}

/**
 * Events, users and sessions per group, for any grouping. Each segment is counted by its own small codes; then every
 * code that occurs looks up its group once. Users and sessions are looked at once per visit and group.
 */
export class Counting implements CountedGroups {
  /** When set, groups that are not in it are left out, and the others are counted at the places it gives them. */
  private only: ReadonlyMap<number, number> | null = null;
  total: number | null = null;
  private readonly events: Sums;
  private readonly days: DaysPerGroup | null;
  private readonly users: DistinctPerGroup;
  private readonly sessionsSeen: DistinctPerGroup;
  private readonly usersInSessions: DistinctPerGroup;
  private readonly usersOutside: DistinctPerGroup;
  private readonly nobody: Sums;
  private readonly bounces: Sums | null;
  private readonly duration: Sums | null;
  private readonly conversions: Sums;
  private readonly measures: ReadonlyMap<string, Measure>;
  private readonly reached: Uint8Array | null;
  private readonly singleVisits = new SingleVisits();
  private lonelyUsers: Float64Array | null = null;
  private readonly wantsUsers: boolean;
  private readonly wantsSessions: boolean;
  private readonly wantsSessionThenUser: boolean;
  /** What is counted by session may have none, and is counted by user then, or event by event. */
  private readonly mayBeOutside: boolean;

  constructor(
    request: CountRequest,
    private readonly groups: Groups,
    private readonly identity: Identity,
    private readonly sessionNumbers: SessionNumbers | null,
    private readonly sessions: Sessions | null,
    { zone, measures = new Map(), reached = null, spare }: CountingExtras = {},
  ) {
    const { metrics, count_mode } = request;
    const { budget } = groups;
    this.events = new Sums(budget);
    this.nobody = new Sums(budget);
    this.bounces = metrics.includes("bounce_rate") ? new Sums(budget) : null;
    this.duration = metrics.includes("avg_duration") ? new Sums(budget) : null;
    this.conversions = new Sums(budget);
    this.measures = measures;
    this.reached = reached;
    this.users = new DistinctPerGroup(budget, identity.numberLimit, spare);
    this.usersInSessions = new DistinctPerGroup(budget, identity.numberLimit, spare);
    this.usersOutside = new DistinctPerGroup(budget, identity.numberLimit, spare);
    this.sessionsSeen = new DistinctPerGroup(budget, (sessionNumbers?.count ?? 0) + 1, spare);
    this.wantsUsers = metrics.includes("unique_users");
    const wantsDays = metrics.includes("first_day") || metrics.includes("last_day");
    this.days = wantsDays ? new DaysPerGroup(zone) : null;
    const isByEvents = metrics.includes("event_count");
    this.wantsSessionThenUser = isByEvents && count_mode === "session_then_user";
    this.mayBeOutside = this.wantsSessionThenUser && sessionNumbers?.areAllInSessions !== true;
    this.wantsSessions =
      this.wantsSessionThenUser || sessions !== null || metrics.includes("session_count");
  }

  add(segment: Segment, rows: Rows): void {
    const found = this.groups.in(segment, rows);
    const { column, counts, groupOf: all } = found;
    const groupOf = this.only === null ? all : all.map((one) => this.only?.get(one) ?? leftOut);
    for (let code = 0; code < groupOf.length; code++) {
      if (groupOf[code] !== leftOut) this.events.add(groupOf[code], counts[code]);
    }
    if (groupOf.every((group) => group === leftOut)) return;
    for (const measure of new Set(this.measures.values()))
      measure.add(segment, rows, { codes: found.codes, groupOf });
    this.days?.add(segment, rows, found, groupOf);
    if (!this.wantsUsers && !this.wantsSessions) return;
    const areFew = groupOf.every((group) => group < bitsMax);
    const masks = areFew && column !== undefined ? visitMasks(segment, column, rows) : null;
    const groupBits = translation(groupOf, leftOut);
    const bitsOf =
      masks !== null
        ? (visit: number) => groupBits(masks[visit])
        : areFew && rows !== null && found.codes !== null
          ? bitsOfVisits(segment, rows, found.codes, groupOf)
          : null;
    this.addVisits(segment, rows, found, groupOf, bitsOf);
  }

  /** `bitsOf` tells the groups of each visit, where these are few. */
  private addVisits(
    segment: Segment,
    rows: Rows,
    found: Pick<Grouping, "codes">,
    groupOf: Int32Array,
    bitsOf: ((visit: number) => number) | null,
  ): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? numbersIn(this.sessionNumbers, segment) : undefined;
    if (bitsOf !== null && this.sessions === null && !this.mayBeOutside) {
      if (this.wantsUsers) this.users.addEach(users, bitsOf);
      if (sessions !== undefined) this.sessionsSeen.addEach(sessions, bitsOf);
      return;
    }
    if (bitsOf !== null && sessions !== undefined && this.isOfSingleVisits(segment)) {
      if (this.wantsUsers) this.users.addEach(users, bitsOf);
      this.addSingleVisits(segment, sessions, bitsOf);
      return;
    }
    let codes = bitsOf === null ? found.codes : undefined;
    for (let v = 0; v < users.length; v++) {
      if (v % valuesPerCheck === 0) this.groups.budget.check();
      const user = users[v];
      const session = sessions === undefined ? 0 : sessions[v];
      const isNobody = user === 0 && session === 0;
      if (isNobody && !this.mayBeOutside) continue;
      if (bitsOf !== null && !isNobody) {
        this.addBits(bitsOf(v), user, session);
        continue;
      }
      if (codes === undefined) codes = found.codes;
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
        if (codes === null) break; // all rows are in this group
      }
    }
  }

  /** A visit of a part is not all that there is of its session. */
  private isOfSingleVisits(segment: Segment): boolean {
    return segment.whole === segment && !this.mayBeOutside && this.reached === null;
  }
  private addSingleVisits(
    segment: Segment,
    sessions: Uint32Array,
    bitsOf: (visit: number) => number,
  ): void {
    if (this.sessions === null) return;
    this.singleVisits.add(segment, sessions, this.sessions, bitsOf, (groups, session) =>
      this.addBits(groups, 0, session),
    );
    this.singleVisits.take(({ group, sessions: count, bounces, durationMs }) => {
      this.sessionsSeen.addOthers(group, count);
      this.bounces?.add(group, bounces);
      this.duration?.add(group, durationMs);
    });
  }

  /** Adds a visit to several of the first groups, as bits. */
  private addBits(groups: number, user: number, session: number): void {
    if (groups === 0) return;
    if (this.wantsUsers && user !== 0) this.users.addBits(groups, user);
    if (!this.wantsSessions) return;
    const countsUser = this.mayBeOutside && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.addBits(groups, user);
      return;
    }
    const gained = this.sessionsSeen.addBits(groups, session);
    if (gained !== 0) this.judge(gained, session);
    if (countsUser) this.usersInSessions.addBits(groups, user);
  }

  private addSession(group: number, session: number, user: number): void {
    const countsUser = this.mayBeOutside && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.add(group, user);
      return;
    }
    if (this.sessionsSeen.add(group, session) && this.sessions !== null) {
      this.bounces?.add(group, this.sessions.isBounce(session));
      this.duration?.add(group, this.sessions.duration(session));
      if (this.reached !== null) this.conversions.add(group, this.reached[session]);
    }
    if (countsUser) this.usersInSessions.add(group, user);
  }
  /** A session that is new to some of the first groups, told as bits. */
  private judge(groups: number, session: number): void {
    if (this.sessions === null) return;
    const isBounce = this.bounces === null ? 0 : this.sessions.isBounce(session);
    const duration = this.duration === null ? 0 : this.sessions.duration(session);
    const conversion = this.reached?.[session] ?? 0;
    for (let bits = groups; bits !== 0; bits &= bits - 1) {
      const group = lowestBit(bits);
      this.bounces?.add(group, isBounce);
      this.duration?.add(group, duration);
      if (conversion !== 0) this.conversions.add(group, conversion);
    }
  }

  end(): void {
    const { users, usersInSessions, usersOutside, sessionsSeen } = this;
    for (const one of [users, usersInSessions, usersOutside, sessionsSeen]) one.handBack();
  }
  /** Before anything is added. `total` counts the groups that are left out as well. */
  countOnly(groups: readonly number[], total: number): void {
    this.only = new Map(groups.map((group, place) => [group, place]));
    this.total = total;
  }
  /** The users of the first groups, or of those at the first places (`DistinctPerGroup.takePlanes`). */
  takeUsers(groups: number): Uint32Array<ArrayBuffer>[] {
    return this.users.takePlanes(groups);
  }
  members(): Uint32Array {
    const places = this.events.members();
    if (this.only === null) return places;
    const groups = [...this.only.keys()];
    return places.map((place) => groups[place]);
  }
  label(group: number, place: number): Label {
    return this.groups.labels[place].label(this.groups.table.numberAt(group, place));
  }
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] {
    return firstGroups(this.groups, groups, limit);
  }
  value(ofGroup: number, metric: string): number | null {
    const group = this.only === null ? ofGroup : (this.only.get(ofGroup) ?? leftOut);
    const measure = this.measures.get(metric);
    if (measure !== undefined) return measure.value(group, metric);
    switch (metric) {
      case "unique_users":
        return this.users.count(group);
      case "session_count":
        return this.sessionsSeen.count(group);
      case "bounce_rate":
        return bounceRate(this.bounces?.of(group) ?? 0, this.sessionsSeen.count(group));
      case "avg_duration":
        return averageDuration(this.duration?.of(group) ?? 0, this.sessionsSeen.count(group));
      case "conversions":
        return this.conversions.of(group);
      case "conversion_rate":
        return conversionRate(this.conversions.of(group), this.sessionsSeen.count(group));
      case "first_day":
        return this.days?.first[group] ?? null;
      case "last_day":
        return this.days?.last[group] ?? null;
      default:
        return this.wantsSessionThenUser ? this.sessionThenUser(group) : this.events.of(group);
    }
  }
  /** Sessions, users whose rows in the group all lack a session, and rows with neither. */
  private sessionThenUser(group: number): number {
    const sessions = this.sessionsSeen.count(group);
    return sessions + this.lonely(group) + this.nobody.of(group);
  }
  private lonely(group: number): number {
    const { usersOutside, usersInSessions } = this;
    const { size } = this.only ?? this.groups.table;
    this.lonelyUsers ??= usersOutside.isEmpty
      ? nobodyAnywhere
      : usersOutside.countsWithout(usersInSessions, size);
    return this.lonelyUsers === nobodyAnywhere ? 0 : this.lonelyUsers[group];
  }
}

/** This stands in place of a count for each of perhaps millions of groups. */
const nobodyAnywhere = new Float64Array(0);
