import type { CountRequest } from "../../../../domain/counting";
import { assert } from "../../../../lib/assert";
import { hourMs } from "../../../../lib/clock";
import { bytesOfArray, type Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import { DistinctPerGroup, type SparePlane } from "../sets/distinct";
import { type Rows, rowsBetween } from "./filter";
import type { Label } from "./labels";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";

const hoursOfWeek = 168;
/** Stands for the hour of a visit that touches several: a segment spans 2^32 ms at the most, which is 1,194 hours. */
const ofSeveral = 0xffff;

/**
 * Counts events and users by the hour, or by the hour of the week. Nearly every visit lies within one hour: the times
 * of single events are needed of the few others. Null for any other question.
 */
export function timeCounting(
  { group_by: groupBy }: CountRequest,
  segments: readonly Segment[],
  identity: Identity,
  { sparePlane, budget }: Context,
): TimeCounting | null {
  const by = groupBy.find((name) => name === "hour" || name === "weekday_hour");
  if (by === undefined) return null;
  assert(groupBy.length === 1, "hours are counted alone");
  const firstMs = segments.reduce(
    (least, { firstTime }) => Math.min(least, firstTime),
    Number.MAX_SAFE_INTEGER,
  );
  const base = by === "weekday_hour" ? null : Math.floor(firstMs / hourMs);
  return new TimeCounting(base, identity, sparePlane, budget);
}

class TimeCounting implements CountedGroups {
  private readonly events: Sums;
  private readonly users: DistinctPerGroup;

  constructor(
    /** The hour that stands as group 0, as groups are small numbers; null for the hours of a week. */
    private readonly firstHour: number | null,
    private readonly identity: Identity,
    private readonly spare: SparePlane,
    budget: Budget,
  ) {
    this.events = new Sums(budget);
    this.users = new DistinctPerGroup(budget, identity.numberLimit, spare);
  }
  /** Nothing can be asked any more. */
  end(): void {
    this.users.handBack(this.spare);
  }

  add(segment: Segment, rows: Rows): void {
    const users = this.identity.usersOf(segment);
    const { firstRows } = segment;
    const hours = hoursOfVisits(segment);
    const groups = this.groupsOf(segment);
    let isAnyOfSeveral = false;
    for (let v = 0; v < hours.length; v++) {
      const hour = hours[v];
      if (hour === ofSeveral) {
        isAnyOfSeveral = true;
        continue;
      }
      const count = rowsBetween(rows, firstRows[v], firstRows[v + 1]);
      if (count > 0) this.count(groups[hour], count, users[v]);
    }
    if (isAnyOfSeveral) this.addOfSeveral(segment, rows, groups);
  }
  /** The group of each hour of the segment. */
  private groupsOf(segment: Segment): Uint32Array {
    const first = firstHourOf(segment);
    const hours = Math.floor(segment.lastTime / hourMs) - first + 1;
    return new Uint32Array(hours).map((_, hour) => this.groupOf(first + hour));
  }

  /** The visits of several hours, event by event in order of time: times are stored as gaps within a visit. */
  private addOfSeveral(segment: Segment, rows: Rows, groups: Uint32Array): void {
    const users = this.identity.usersOf(segment);
    const { firstRows } = segment;
    const hours = hoursOfVisits(segment);
    const starts = segment.integers("visit.start");
    const gaps = segment.integers("event.time");
    const offset = offsetOf(segment);
    for (let v = 0; v < hours.length; v++) {
      if (hours[v] !== ofSeveral) continue;
      let time = offset + starts[v];
      let hour = Math.floor(time / hourMs);
      let endMs = (hour + 1) * hourMs;
      let seen = 0;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        if (i > firstRows[v]) time += gaps[i];
        if (time >= endMs) {
          if (seen > 0) this.count(groups[hour], seen, users[v]);
          seen = 0;
          hour = Math.floor(time / hourMs);
          endMs = (hour + 1) * hourMs;
        }
        if (rows === null || rows[i] === 1) seen++;
      }
      if (seen > 0) this.count(groups[hour], seen, users[v]);
    }
  }

  private count(group: number, events: number, user: number): void {
    this.events.add(group, events);
    if (user !== 0) this.users.add(group, user);
  }
  private groupOf(hour: number): number {
    // 1 January 1970 was a Thursday.
    return this.firstHour === null ? (hour + 4 * 24) % hoursOfWeek : hour - this.firstHour;
  }

  members(): Uint32Array {
    return this.events.members();
  }
  label(group: number): Label {
    return group + (this.firstHour ?? 0);
  }
  value(group: number, metric: string): number {
    return metric === "unique_users" ? this.users.count(group) : this.events.of(group);
  }
}

const firstHourOf = ({ firstTime }: Segment): number => Math.floor(firstTime / hourMs);
/** Of the segment's first event within its hour, in ms. */
const offsetOf = (segment: Segment): number => segment.firstTime - firstHourOf(segment) * hourMs;

/** The hour that each visit lies in, counted from the segment's first. Kept in the cache: two bytes a visit. */
function hoursOfVisits(segment: Segment): Uint16Array {
  return segment.derive("hours of visits", bytesOfArray, () => {
    const hours = new Uint16Array(segment.visitCount);
    const first = firstHourOf(segment);
    if (first === Math.floor(segment.lastTime / hourMs)) return hours;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const offset = offsetOf(segment);
    for (let v = 0; v < hours.length; v++) {
      const start = offset + starts[v];
      const hour = Math.floor(start / hourMs);
      const isOfOne = hour === Math.floor((start + durations[v]) / hourMs);
      hours[v] = isOfOne ? hour : ofSeveral;
    }
    return hours;
  });
}
