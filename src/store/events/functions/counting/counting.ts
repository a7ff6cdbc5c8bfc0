import type { CountRequest } from "../../../../domain/counting";
import { lastDate, sumsGoalEvents } from "../../../../domain/metric";
import type { Selection } from "../../scan/selection";
import type { Segment } from "../../segment/segment";
import { valuesPerCheck } from "../budget";
import type { Identity } from "../identity";
import { numbersIn, type SessionNumbers } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { DistinctPerGroup, type SparePlanes } from "../sets/distinct";
import { DaysOfGroups } from "./days-of-groups";
import type { Grouping } from "./dimension";
import { firstGroups } from "./first-labels";
import { type Groups, leftOut, placed } from "./groups";
import type { Label } from "./label";
import type { Measure } from "./measures";
import type { CountedGroups } from "./ranking";
import type { Reached } from "./reached";
import { SessionsOfGroups } from "./sessions-of-groups";
import { Sums } from "./sums";
import { bitsMax, bitsOfVisits, translation, visitMasks } from "./visit-masks";

/** What only some metrics need. */
interface CountingExtras {
  /** The time zone of the days. */
  readonly zone?: string | undefined;
  /** The measures by metric. */
  readonly measures?: ReadonlyMap<string, Measure>;
  readonly reached?: Reached | null;
  readonly spare?: SparePlanes;
}

/**
 * Events, users and sessions per group, for any grouping. Each segment is counted by its own small codes; then every
 * code that occurs looks up its group once. Users and sessions are looked at once per visit and group.
 */
export class Counting implements CountedGroups {
  /** When set, groups that are not in it are left out, and the others are counted at the places it gives them. */
  private only: ReadonlyMap<number, number> | null = null;
  /** The same by group: it is asked for each value of each segment. */
  private placeOf: Int32Array | null = null;
  total: number | null = null;
  private readonly events: Sums;
  private readonly days: DaysOfGroups | null;
  private readonly users: DistinctPerGroup;
  private readonly sessionsOf: SessionsOfGroups;
  private readonly usersInSessions: DistinctPerGroup;
  private readonly usersOutside: DistinctPerGroup;
  private readonly nobody: Sums;
  private readonly measures: ReadonlyMap<string, Measure>;
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
    sessions: Sessions | null,
    { zone, measures = new Map(), reached = null, spare }: CountingExtras = {},
  ) {
    const { metrics, count_mode } = request;
    const { budget } = groups;
    this.events = new Sums(budget);
    this.nobody = new Sums(budget);
    this.measures = measures;
    this.users = new DistinctPerGroup(budget, identity.numberLimit, spare);
    this.usersInSessions = new DistinctPerGroup(budget, identity.numberLimit, spare);
    this.usersOutside = new DistinctPerGroup(budget, identity.numberLimit, spare);
    const known = { count: sessionNumbers?.count ?? 0, sessions, reached };
    this.sessionsOf = new SessionsOfGroups(request, known, budget, spare);
    this.wantsUsers = metrics.includes("unique_users");
    const wantsDays = metrics.some((one) => datesOfEvents.has(one));
    this.days = wantsDays ? new DaysOfGroups(zone) : null;
    const isByEvents = metrics.includes("event_count");
    this.wantsSessionThenUser = isByEvents && count_mode === "session_then_user";
    this.mayBeOutside = this.wantsSessionThenUser && sessionNumbers?.areAllInSessions !== true;
    this.wantsSessions =
      this.wantsSessionThenUser || sessions !== null || metrics.includes("session_count");
  }

  add(selection: Selection): void {
    const { segment } = selection;
    const found = this.groups.in(selection);
    const { column, counts, groupOf: all } = found;
    const groupOf = this.placeOf === null ? all : placed(all, this.placeOf);
    for (let code = 0; code < groupOf.length; code++) {
      if (groupOf[code] !== leftOut) this.events.add(groupOf[code], counts[code]);
    }
    if (groupOf.every((group) => group === leftOut)) return;
    for (const measure of new Set(this.measures.values()))
      measure.add(selection, { codes: found.codes, groupOf });
    this.days?.add(selection, found, groupOf);
    if (!this.wantsUsers && !this.wantsSessions) return;
    // The codes of a column are read when they are asked for; without one they are those of dates, or none.
    const isOneGroup = column === undefined && found.codes === null;
    if (selection.isOfVisits && isOneGroup) {
      this.addWhole(segment, selection.visits, groupOf[0]);
      return;
    }
    const areFew = groupOf.every((group) => group < bitsMax);
    const masks = areFew && column !== undefined ? visitMasks(selection, column) : null;
    if (masks === null && selection.list !== null) {
      this.addFew(selection, found.codes, groupOf);
      return;
    }
    const groupBits = translation(groupOf, leftOut);
    const bitsOf =
      masks !== null
        ? (visit: number) => groupBits(masks[visit])
        : areFew && !selection.isAll && found.codes !== null
          ? bitsOfVisits(selection, found.codes, groupOf)
          : null;
    this.addVisits(selection, found, groupOf, bitsOf);
  }

  /** Adds visits, which are marked by 1, of which all rows are in one group: no row is looked at. */
  private addWhole(segment: Segment, visits: Uint8Array, group: number): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? numbersIn(this.sessionNumbers, segment) : undefined;
    for (let v = 0; v < visits.length; v++) {
      if (v % valuesPerCheck === 0) this.groups.budget.check();
      if (visits[v] === 0) continue;
      const session = sessions === undefined ? 0 : sessions[v];
      if (users[v] !== 0 || session !== 0) this.addMember(group, users[v], session);
      else if (this.mayBeOutside) this.nobody.add(group, firstRows[v + 1] - firstRows[v]);
    }
  }

  private addFew(selection: Selection, codes: Grouping["codes"], groupOf: Int32Array): void {
    const { segment } = selection;
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? numbersIn(this.sessionNumbers, segment) : undefined;
    selection.eachRow((row, visit) => {
      const group = groupOf[codes?.[row] ?? 0];
      if (group === leftOut) return;
      const [user, session] = [users[visit], sessions?.[visit] ?? 0];
      if (user !== 0 || session !== 0) this.addMember(group, user, session);
      else if (this.mayBeOutside) this.nobody.add(group, 1);
    });
  }

  /** `bitsOf` tells the groups of each visit, where these are few. */
  private addVisits(
    { segment, rows }: Selection,
    found: Pick<Grouping, "codes">,
    groupOf: Int32Array,
    bitsOf: ((visit: number) => number) | null,
  ): void {
    const { firstRows } = segment;
    const users = this.identity.usersOf(segment);
    const sessions = this.wantsSessions ? numbersIn(this.sessionNumbers, segment) : undefined;
    if (bitsOf !== null && !this.mayBeOutside) {
      const areAdded = sessions === undefined || this.sessionsOf.addEach(segment, sessions, bitsOf);
      if (areAdded && this.wantsUsers) this.users.addEach(users, bitsOf);
      if (areAdded) return;
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
        if (rows[i] === 0) continue;
        const group = groupOf[codes === null ? 0 : codes[i]];
        if (group === leftOut) continue;
        if (isNobody) {
          this.nobody.add(group, 1);
          continue;
        }
        if (group === last) continue; // it has just seen this visit's user and session
        last = group;
        this.addMember(group, user, session);
        if (codes === null) break; // all rows are in this group
      }
    }
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
    this.sessionsOf.addBits(groups, session);
    if (countsUser) this.usersInSessions.addBits(groups, user);
  }

  private addMember(group: number, user: number, session: number): void {
    if (this.wantsUsers && user !== 0) this.users.add(group, user);
    if (this.wantsSessions) this.addSession(group, session, user);
  }
  private addSession(group: number, session: number, user: number): void {
    const countsUser = this.mayBeOutside && user !== 0;
    if (session === 0) {
      if (countsUser) this.usersOutside.add(group, user);
      return;
    }
    this.sessionsOf.add(group, session);
    if (countsUser) this.usersInSessions.add(group, user);
  }

  end(): void {
    const { users, usersInSessions, usersOutside, sessionsOf } = this;
    for (const one of [users, usersInSessions, usersOutside, sessionsOf]) one.handBack();
  }
  /** Before anything is added. `total` counts the groups that are left out as well. */
  countOnly(groups: readonly number[], total: number): void {
    this.only = new Map(groups.map((group, place) => [group, place]));
    const { budget, table } = this.groups;
    const placeOf = budget.integers(table.size).fill(leftOut);
    for (const [group, place] of this.only) if (group >= 0) placeOf[group] = place;
    this.placeOf = placeOf;
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
    if (sumsGoalEvents([metric])) return this.sessionsOf.ofGoal(group, metric);
    switch (metric) {
      case "unique_users":
        return this.users.count(group);
      case "session_count":
        return this.sessionsOf.count(group);
      case "bounce_rate":
        return this.sessionsOf.bounceRate(group);
      case "avg_duration":
        return this.sessionsOf.averageDuration(group);
      case "conversions":
        return this.sessionsOf.conversions(group);
      case "conversion_rate":
        return this.sessionsOf.conversionRate(group);
      case "first_day":
        return this.days?.firstOf(group) ?? null;
      case "last_day":
      case lastDate:
        return this.days?.lastOf(group) ?? null;
      default:
        return this.wantsSessionThenUser ? this.sessionThenUser(group) : this.events.of(group);
    }
  }
  /** Sessions, users whose rows in the group all lack a session, and rows with neither. */
  private sessionThenUser(group: number): number {
    const sessions = this.sessionsOf.count(group);
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

/** The metrics that look at the date of each event. */
const datesOfEvents: ReadonlySet<string> = new Set([lastDate, "first_day", "last_day"]);

/** This stands in place of a count for each of perhaps millions of groups. */
const nobodyAnywhere = new Float64Array(0);
