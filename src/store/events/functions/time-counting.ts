import type { CountRequest } from "../../../domain/counting";
import { assert } from "../../../lib/assert";
import { hourMs } from "../../../lib/clock";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { DistinctPerGroup, type SparePlane } from "./distinct";
import { type Rows, rowsBetween } from "./filter";
import type { Identity } from "./identity";
import type { Label } from "./labels";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";

const hoursOfWeek = 168;

/**
 * Counts events and users by the hour, or by the hour of the week. Nearly every visit lies within one hour, which its
 * start and duration tell: the times of single events are needed of the few others. Null for any other question.
 */
export function timeCounting(
  { group_by: groupBy, metrics }: CountRequest,
  segments: readonly Segment[],
  identity: Identity,
  spare: SparePlane,
): TimeCounting | null {
  const by = groupBy.find((name) => name === "hour" || name === "weekday_hour");
  if (by === undefined) return null;
  assert(groupBy.length === 1, "hours are counted alone");
  const firstMs = segments.reduce(
    (least, { firstTime }) => Math.min(least, firstTime),
    Number.MAX_SAFE_INTEGER,
  );
  const base = by === "weekday_hour" ? null : Math.floor(firstMs / hourMs);
  return new TimeCounting(base, metrics.includes("unique_users"), identity, spare);
}

/** A visit that lasts beyond the hour it began in. */
interface VisitRows {
  readonly rows: Rows;
  readonly gaps: Integers;
  readonly from: number;
  readonly to: number;
  /** What times are counted from. */
  readonly hour: number;
  readonly user: number;
}

class TimeCounting implements CountedGroups {
  private readonly events = new Sums();
  private readonly users: DistinctPerGroup;

  constructor(
    /** The hour that stands as group 0, as groups are small numbers; null for the hours of a week. */
    private readonly firstHour: number | null,
    private readonly wantsUsers: boolean,
    private readonly identity: Identity,
    private readonly spare: SparePlane,
  ) {
    this.users = new DistinctPerGroup(identity.numberLimit, wantsUsers ? spare : null);
  }
  /** Nothing can be asked any more. */
  end(): void {
    if (this.wantsUsers) this.users.handBack(this.spare);
  }

  add(segment: Segment, rows: Rows): void {
    const hour = Math.floor(segment.firstTime / hourMs);
    const isOfOne = hour === Math.floor(segment.lastTime / hourMs);
    if (!isOfOne) this.addVisits(segment, rows, hour);
    else if (rows === null && !this.wantsUsers) this.addEvents(hour, segment.eventCount);
    else {
      const { firstRows } = segment;
      const users = this.identity.usersOf(segment);
      for (let v = 0; v < users.length; v++) {
        const count = rowsBetween(rows, firstRows[v], firstRows[v + 1]);
        if (count > 0) this.count(hour, count, users[v]);
      }
    }
  }

  private addVisits(segment: Segment, rows: Rows, hour: number): void {
    const users = this.identity.usersOf(segment);
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const { firstRows } = segment;
    const offset = segment.firstTime - hour * hourMs;
    let gaps: Integers | null = null;
    for (let v = 0; v < users.length; v++) {
      const start = offset + starts[v];
      const first = Math.floor(start / hourMs);
      const from = firstRows[v];
      const to = firstRows[v + 1];
      if (first === Math.floor((start + durations[v]) / hourMs)) {
        const count = rowsBetween(rows, from, to);
        if (count > 0) this.count(hour + first, count, users[v]);
      } else {
        gaps ??= segment.integers("event.time");
        this.addRows({ rows, gaps, from, to, hour, user: users[v] }, start);
      }
    }
  }

  /** Event by event, in order of time: the times of a visit are stored as gaps. */
  private addRows({ rows, gaps, from, to, hour, user }: VisitRows, start: number): void {
    let time = start;
    let seen = 0;
    let passed = Math.floor(time / hourMs);
    let endMs = (passed + 1) * hourMs;
    for (let i = from; i < to; i++) {
      if (i > from) time += gaps[i];
      if (time >= endMs) {
        if (seen > 0) this.count(hour + passed, seen, user);
        seen = 0;
        passed = Math.floor(time / hourMs);
        endMs = (passed + 1) * hourMs;
      }
      if (rows === null || rows[i] === 1) seen++;
    }
    if (seen > 0) this.count(hour + passed, seen, user);
  }

  private count(hour: number, events: number, user: number): void {
    this.addEvents(hour, events);
    if (this.wantsUsers && user !== 0) this.users.add(this.groupOf(hour), user);
  }
  private addEvents(hour: number, events: number): void {
    this.events.add(this.groupOf(hour), events);
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
