import type { ChangeRequest } from "../../../../domain/changes/change-counts";
import type { Days } from "../../../../domain/period";
import { type TimeZone, timeZoneOf } from "../../../../domain/time-zone";
import { bytesOfArray, type Segment } from "../../segment/segment";

/** The place of a date that is none of them. */
export const noPlace = -1;

/** The counts to which each date belongs. Dates outside all periods belong to none. */
export class PeriodDates {
  readonly zone: TimeZone;
  readonly referenceDates: number;
  readonly current: Days;
  readonly previous: Days;
  private readonly reference: Days | null;
  /** The dates from the first that counts for something to the last. */
  readonly all: { readonly first: number; readonly count: number };

  constructor({ current, previous, reference }: ChangeRequest) {
    this.zone = timeZoneOf(current.zone);
    this.current = current;
    this.previous = previous;
    this.reference = reference;
    this.referenceDates = reference === null ? 0 : reference.to - reference.from + 1;
    const first = Math.min(current.from, previous.from, reference?.from ?? current.from);
    const last = Math.max(current.to, previous.to, reference?.to ?? current.to);
    this.all = { first, count: last - first + 1 };
  }

  isCurrent(day: number): boolean {
    return isOn(day, this.current);
  }
  isPrevious(day: number): boolean {
    return isOn(day, this.previous);
  }
  /** Returns the place of a date among those of the reference; −1 for another. */
  referenceIndexOf(day: number): number {
    const { reference } = this;
    return reference !== null && isOn(day, reference) ? day - reference.from : noPlace;
  }
  /** Returns the date at a place among those of the reference. */
  dayOf(place: number): number {
    return place + (this.reference?.from ?? 0);
  }
  /** Tells whether a segment has a date of one of the two periods, or of the reference. */
  touches(segment: Segment, which: "periods" | "reference"): boolean {
    const { first, count } = this.spanOf(segment);
    const days = { from: first, to: first + count - 1 };
    if (which === "reference") return this.reference !== null && overlap(days, this.reference);
    return overlap(days, this.current) || overlap(days, this.previous);
  }

  /** The first date of a segment, and how many there are up to its last. */
  spanOf({ firstTime, lastTime }: TimeSpan): { readonly first: number; readonly count: number } {
    const first = this.zone.dayAt(firstTime);
    return { first, count: this.zone.dayAt(lastTime) - first + 1 };
  }

  /**
   * Returns for each row the number of dates after the segment's first; null where that is the only one. It is kept:
   * two bytes a row.
   */
  ofRows(segment: Segment): Uint16Array | null {
    const { first, count } = this.spanOf(segment);
    if (count === 1) return null;
    return segment.derive(`dates of rows in ${this.zone.name}`, bytesOfArray, () => {
      const ends = Array.from(
        { length: count },
        (_, at) => this.zone.startOf(first + at + 1) - segment.firstTime,
      );
      return datesOfRows(segment, ends);
    });
  }
}

const isOn = (day: number, { from, to }: Days): boolean => day >= from && day <= to;
const overlap = (a: Days, b: Days): boolean => a.from <= b.to && b.from <= a.to;

interface TimeSpan {
  readonly firstTime: number;
  readonly lastTime: number;
}

/** Nearly every visit lies within one date: times of single events are needed of the few others. */
function datesOfRows(segment: Segment, ends: readonly number[]): Uint16Array {
  const { firstRows, eventCount, visitCount } = segment;
  const starts = segment.integers("visit.start");
  const durations = segment.integers("visit.duration");
  const dates = new Uint16Array(eventCount);
  const dateAt = (time: number): number => {
    let date = 0;
    while (time >= ends[date]) date++;
    return date;
  };
  for (let v = 0; v < visitCount; v++) {
    const date = dateAt(starts[v]);
    const [first, end] = [firstRows[v], firstRows[v + 1]];
    if (starts[v] + durations[v] < ends[date]) {
      if (date > 0) dates.fill(date, first, end);
      continue;
    }
    const { times } = segment;
    for (let row = first; row < end; row++) dates[row] = dateAt(times[row]);
  }
  return dates;
}
