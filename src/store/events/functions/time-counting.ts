import type { CountGroup, CountRequest } from "../../../domain/counting";
import { dayMs, hourMs } from "../../../lib/clock";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { DistinctPerGroup } from "./distinct";
import { type Rows, rowsBetween } from "./filter";
import type { Identity } from "./identity";
import type { Label } from "./labels";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";

const unitsOf: Partial<Record<CountGroup, number>> = {
  day: dayMs,
  hour: hourMs,
  weekday_hour: hourMs,
};
const hoursOfWeek = 168;

/**
 * Counts events and users by nothing but time. Nearly every visit lies within one hour, which its start and duration
 * tell: the times of single events are needed of the few others. Null for any other question.
 */
export function timeCounting(
  request: CountRequest,
  segments: readonly Segment[],
  identity: Identity,
): TimeCounting | null {
  const { group_by: groupBy, metrics, count_mode: mode } = request;
  const [by, ...more] = groupBy;
  const unitMs = by === undefined || more.length > 0 ? undefined : unitsOf[by];
  const isPlain = metrics.every((metric) => metric === "event_count" || metric === "unique_users");
  if (unitMs === undefined || !isPlain || mode === "session_then_user") return null;
  const firstMs = segments.reduce(
    (least, { firstTime }) => Math.min(least, firstTime),
    Number.MAX_SAFE_INTEGER,
  );
  const base = by === "weekday_hour" ? null : Math.floor(firstMs / unitMs);
  return new TimeCounting(unitMs, base, metrics.includes("unique_users"), identity);
}

/** A visit that lasts beyond the hour it began in. */
interface VisitRows {
  readonly rows: Rows;
  readonly gaps: Integers;
  readonly from: number;
  readonly to: number;
  /** What times are counted from. */
  readonly unit: number;
  readonly user: number;
}

class TimeCounting implements CountedGroups {
  private readonly events = new Sums();
  private readonly users: DistinctPerGroup;

  constructor(
    private readonly unitMs: number,
    /** The unit that stands as group 0, as groups are small numbers; null for the hours of a week. */
    private readonly firstUnit: number | null,
    private readonly wantsUsers: boolean,
    private readonly identity: Identity,
  ) {
    this.users = new DistinctPerGroup(identity.numberLimit);
  }

  add(segment: Segment, rows: Rows): void {
    const unit = Math.floor(segment.firstTime / this.unitMs);
    const isOfOne = unit === Math.floor(segment.lastTime / this.unitMs);
    if (!isOfOne) this.addVisits(segment, rows, unit);
    else if (rows === null && !this.wantsUsers) this.addEvents(unit, segment.eventCount);
    else {
      const { firstRows } = segment;
      const users = this.identity.usersOf(segment);
      for (let v = 0; v < users.length; v++) {
        const count = rowsBetween(rows, firstRows[v], firstRows[v + 1]);
        if (count > 0) this.count(unit, count, users[v]);
      }
    }
  }

  private addVisits(segment: Segment, rows: Rows, unit: number): void {
    const { unitMs } = this;
    const users = this.identity.usersOf(segment);
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const { firstRows } = segment;
    const offset = segment.firstTime - unit * unitMs;
    let gaps: Integers | null = null;
    for (let v = 0; v < users.length; v++) {
      const start = offset + starts[v];
      const first = Math.floor(start / unitMs);
      const from = firstRows[v];
      const to = firstRows[v + 1];
      if (first === Math.floor((start + durations[v]) / unitMs)) {
        const count = rowsBetween(rows, from, to);
        if (count > 0) this.count(unit + first, count, users[v]);
      } else {
        gaps ??= segment.integers("event.time");
        this.addRows({ rows, gaps, from, to, unit, user: users[v] }, start);
      }
    }
  }

  /** Event by event, in order of time: the times of a visit are stored as gaps. */
  private addRows({ rows, gaps, from, to, unit, user }: VisitRows, start: number): void {
    let time = start;
    let seen = 0;
    let passed = Math.floor(time / this.unitMs);
    let endMs = (passed + 1) * this.unitMs;
    for (let i = from; i < to; i++) {
      if (i > from) time += gaps[i];
      if (time >= endMs) {
        if (seen > 0) this.count(unit + passed, seen, user);
        seen = 0;
        passed = Math.floor(time / this.unitMs);
        endMs = (passed + 1) * this.unitMs;
      }
      if (rows === null || rows[i] === 1) seen++;
    }
    if (seen > 0) this.count(unit + passed, seen, user);
  }

  private count(unit: number, events: number, user: number): void {
    this.addEvents(unit, events);
    if (this.wantsUsers && user !== 0) this.users.add(this.groupOf(unit), user);
  }
  private addEvents(unit: number, events: number): void {
    this.events.add(this.groupOf(unit), events);
  }
  private groupOf(unit: number): number {
    // 1 January 1970 was a Thursday.
    return this.firstUnit === null ? (unit + 4 * 24) % hoursOfWeek : unit - this.firstUnit;
  }

  members(): Uint32Array {
    return this.events.members();
  }
  label(group: number): Label {
    return group + (this.firstUnit ?? 0);
  }
  value(group: number, metric: string): number {
    return metric === "unique_users" ? this.users.count(group) : this.events.of(group);
  }
}
