import type { CountRequest } from "../../../../domain/counting";
import { clockValue, isClockGroup } from "../../../../domain/time-groups";
import { type TimeZone, timeZoneOf } from "../../../../domain/time-zone";
import { assert } from "../../../../lib/assert";
import { hourMs } from "../../../../lib/clock";
import type { Selection } from "../../scan/selection";
import { bytesOfArray, type Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import type { Context } from "../context";
import type { Identity } from "../identity";
import type { SparePlanes } from "../sets/distinct";
import { DistinctPerHour } from "../sets/distinct-per-hour";
import type { Label } from "./label";
import type { CountedGroups } from "./ranking";
import { Sums } from "./sums";
import { rowsOfVisit } from "./visit-counting";

/** Stands for the hour of a visit that touches several: a segment spans 2^32 ms at the most, which is 1,194 hours. */
const ofSeveral = 0xffff;

/**
 * Counts events and users by the hour, by the hour of the week, by weekday or by the hour of the day. Nearly every
 * visit lies within one hour: the times of single events are needed of the few others. Null for any other question.
 */
export function timeCounting(
  request: CountRequest,
  segments: readonly Segment[],
  identity: Identity,
  { sparePlanes, budget }: Context,
  zoneName?: string,
): TimeCounting | null {
  const { group_by: groupBy } = request;
  const zone = timeZoneOf(zoneName);
  const counting = (named: NamedHours) =>
    new TimeCounting(named, zone, identity, sparePlanes, budget);
  const by = groupBy.find((name) => name === "epoch_hour" || name === "weekday_hour");
  if (by !== undefined) {
    assert(groupBy.length === 1, "hours are counted alone");
    return counting(by === "weekday_hour" ? hoursOfWeek : hoursFrom(leastHour(segments, zone)));
  }
  const [only, ...more] = groupBy;
  const isAlone = more.length === 0 && request.count_mode !== "session_then_user";
  if (!isAlone || !request.metrics.every((metric) => countedByHour.has(metric))) return null;
  return only !== undefined && isClockGroup(only)
    ? counting({ groupOf: clockValue[only], labelOf: (group) => group })
    : null;
}

const countedByHour: ReadonlySet<string> = new Set(["event_count", "unique_users"]);

/** The groups of hours, which are counted since 1970. Groups are small numbers. */
interface NamedHours {
  groupOf(hour: number): number;
  labelOf(group: number): number;
}
const hoursOfDay = 24;
const hoursOfWeek: NamedHours = {
  groupOf: (hour) => clockValue.weekday(hour) * hoursOfDay + clockValue.hour_of_day(hour),
  labelOf: (group) => group,
};
const hoursFrom = (first: number): NamedHours => ({
  groupOf: (hour) => hour - first,
  labelOf: (group) => group + first,
});

/** The least hour that clocks showed: not always the first. */
function leastHour(segments: readonly Segment[], zone: TimeZone): number {
  const fromMs = Math.min(...segments.map(({ firstTime }) => firstTime));
  const toMs = Math.max(...segments.map(({ lastTime }) => lastTime)) + 1;
  const stretches = zone.stretchesWithin({ fromMs, toMs });
  return Math.min(...stretches.map((stretch) => zone.hourAt(stretch.fromMs)));
}

class TimeCounting implements CountedGroups {
  private readonly events: Sums;
  private readonly users: DistinctPerHour;

  constructor(
    private readonly named: NamedHours,
    private readonly zone: TimeZone,
    private readonly identity: Identity,
    spare: SparePlanes,
    budget: Budget,
  ) {
    this.events = new Sums(budget);
    this.users = new DistinctPerHour(budget, () => identity.numberLimit, spare);
  }
  /** Nothing can be asked any more. */
  end(): void {
    this.users.handBack();
  }

  add(selection: Selection): void {
    const { segment } = selection;
    const users = this.identity.usersOf(segment);
    const placing = placingIn(segment, this.zone);
    const hours = hoursOfVisits(segment, placing);
    const groups = this.groupsOf(segment, placing);
    if (selection.isAll) this.addWhole(segment, placing, hours, groups);
    else {
      const countOf = rowsOfVisit(selection);
      for (let v = 0; v < hours.length; v++) {
        if (hours[v] === ofSeveral) continue;
        const count = countOf(v);
        if (count > 0) this.count(groups[hours[v]], count, users[v]);
      }
    }
    if (hours.includes(ofSeveral)) this.addOfSeveral(selection, hours);
  }
  /** Adds the visits of one hour each, of a segment that counts whole: how many events each hour has is known of it. */
  private addWhole(
    segment: Segment,
    placing: Placing | null,
    hours: Uint16Array,
    groups: Uint32Array,
  ): void {
    const { events, users: distinct } = this;
    const users = this.identity.usersOf(segment);
    eventsOfHours(segment, placing, hours).forEach((count, hour) => {
      if (count > 0) events.add(groups[hour], count);
    });
    for (let v = 0; v < hours.length; v++) {
      const hour = hours[v];
      if (hour !== ofSeveral && users[v] !== 0) distinct.add(groups[hour], users[v]);
    }
  }
  /** The group of each hour of the segment. */
  private groupsOf(segment: Segment, placing: Placing | null): Uint32Array {
    if (placing === null) return new Uint32Array(0);
    return new Uint32Array(hoursIn(segment, placing)).map((_, place) =>
      this.named.groupOf(
        this.zone.hourAt(Math.max(segment.firstTime, placing.fromMs + place * hourMs)),
      ),
    );
  }

  /** The visits of several hours, hour by hour. */
  private addOfSeveral({ segment, rows }: Selection, hoursOfVisit: Uint16Array): void {
    const users = this.identity.usersOf(segment);
    const { firstRows } = segment;
    const { visits, hours, ends } = hoursOfSeveral(segment, hoursOfVisit, this.zone);
    let first = 0;
    for (let i = 0; i < visits.length; i++) {
      const visit = visits[i];
      if (first < firstRows[visit]) first = firstRows[visit];
      let count = 0;
      for (let row = first; row < ends[i]; row++) count += rows[row];
      if (count > 0) this.count(this.named.groupOf(hours[i]), count, users[visit]);
      first = ends[i];
    }
  }

  private count(group: number, events: number, user: number): void {
    this.events.add(group, events);
    if (user !== 0) this.users.add(group, user);
  }
  members(): Uint32Array {
    return this.events.members();
  }
  label(group: number): Label {
    return this.named.labelOf(group);
  }
  value(group: number, metric: string): number {
    return metric === "unique_users" ? this.users.count(group) : this.events.of(group);
  }
}

/** The places of a segment's hours in time, when clocks are not changed within any of them. */
interface Placing {
  /** When the hour of its first event begins. */
  readonly fromMs: number;
  /** The time from the beginning of an hour of UTC back to that of a local hour, which half-hour zones have. */
  readonly phaseMs: number;
}

/** Returns the places, or null where clocks are changed by part of an hour: then events are told apart one by one. */
function placingIn({ firstTime, lastTime }: Segment, zone: TimeZone): Placing | null {
  const [first, ...later] = zone.stretchesWithin({ fromMs: firstTime, toMs: lastTime + 1 });
  const phaseMs = partOfHour(first.offsetMs);
  const isEven = later.every(
    ({ fromMs, offsetMs }) =>
      partOfHour(offsetMs) === phaseMs && partOfHour(fromMs + phaseMs) === 0,
  );
  return isEven ? { fromMs: firstTime - partOfHour(firstTime + phaseMs), phaseMs } : null;
}

const partOfHour = (ms: number): number => ((ms % hourMs) + hourMs) % hourMs;

/** The hour that each visit lies in, counted from the segment's first. Kept in the cache: two bytes a visit. */
function hoursOfVisits(segment: Segment, placing: Placing | null): Uint16Array {
  if (placing === null) return new Uint16Array(segment.visitCount).fill(ofSeveral);
  const { fromMs, phaseMs } = placing;
  return segment.derive(`hours of visits, ${phaseMs}`, bytesOfArray, () => {
    const hours = new Uint16Array(segment.visitCount);
    if (segment.lastTime < fromMs + hourMs) return hours;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const offset = segment.firstTime - fromMs;
    for (let v = 0; v < hours.length; v++) {
      const start = offset + starts[v];
      const hour = Math.floor(start / hourMs);
      const isOfOne = hour === Math.floor((start + durations[v]) / hourMs);
      hours[v] = isOfOne ? hour : ofSeveral;
    }
    return hours;
  });
}

/** The number of events of each hour, in visits that lie within one. Kept in the cache: four bytes an hour. */
function eventsOfHours(
  segment: Segment,
  placing: Placing | null,
  hours: Uint16Array,
): Uint32Array<ArrayBuffer> {
  if (placing === null) return new Uint32Array(0);
  return segment.derive(`events of hours, ${placing.phaseMs}`, bytesOfArray, () => {
    const { firstRows } = segment;
    const counts = new Uint32Array(hoursIn(segment, placing));
    for (let v = 0; v < hours.length; v++) {
      if (hours[v] !== ofSeveral) counts[hours[v]] += firstRows[v + 1] - firstRows[v];
    }
    return counts;
  });
}

/** The hours of the visits that touch several, in order: the events of each hour lie before those of the next. */
interface HoursOfSeveral {
  readonly visits: Uint32Array;
  /** What clocks showed, in hours since 1970. */
  readonly hours: Int32Array;
  /** The row behind the last one of the visit's events in that hour. */
  readonly ends: Uint32Array;
}

/**
 * Found event by event in order of time, as times are stored as gaps within a visit. Kept in the cache: twelve bytes
 * for each hour of such a visit, which are few but where clocks change by half an hour.
 */
const hoursOfSeveral = (
  segment: Segment,
  hoursOfVisit: Uint16Array,
  zone: TimeZone,
): HoursOfSeveral =>
  segment.derive(`hours of several, ${zone.name}`, bytesOfSeveral, () => {
    const { firstRows, firstTime } = segment;
    const starts = segment.integers("visit.start");
    const gaps = segment.integers("event.time");
    const [visits, hours, ends]: [number[], number[], number[]] = [[], [], []];
    for (let v = 0; v < hoursOfVisit.length; v++) {
      if (hoursOfVisit[v] !== ofSeveral) continue;
      let time = firstTime + starts[v];
      let endMs = Number.NEGATIVE_INFINITY;
      for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
        if (i > firstRows[v]) time += gaps[i];
        if (time >= endMs) {
          if (i > firstRows[v]) ends.push(i);
          visits.push(v);
          hours.push(zone.hourAt(time));
          endMs = zone.hourEndAt(time);
        }
      }
      ends.push(firstRows[v + 1]);
    }
    return {
      visits: new Uint32Array(visits),
      hours: new Int32Array(hours),
      ends: new Uint32Array(ends),
    };
  });

const bytesOfSeveral = ({ visits, hours, ends }: HoursOfSeveral): number =>
  visits.byteLength + hours.byteLength + ends.byteLength;

const hoursIn = ({ lastTime }: Segment, { fromMs }: Placing): number =>
  Math.floor((lastTime - fromMs) / hourMs) + 1;
