import type { ChangeRequest } from "../../../domain/changes/change-counts";
import { type Days, windowOf } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { type TimeZone, timeZoneOf } from "../../../domain/time-zone";
import { dayMs } from "../../../lib/clock";
import { valuesPerCheck } from "../sets/budget";

/** The dates of both periods and of the reference, with numbers from 1; other dates have the number 0. */
export class PeriodDates {
  private readonly zone: TimeZone;
  /** The first date that has a number, and how many dates have one. */
  private readonly first: number;
  readonly count: number;

  constructor(private readonly request: Pick<ChangeRequest, "current" | "previous" | "reference">) {
    const { current, previous, reference } = request;
    this.zone = timeZoneOf(current.zone);
    this.first = Math.min(current.from, previous.from, reference?.from ?? current.from);
    const last = Math.max(current.to, previous.to, reference?.to ?? current.to);
    this.count = last - this.first + 1;
  }

  /** Returns the windows of the periods, and of each date of the reference. */
  get windows(): Record<"current" | "previous", TimeWindow> & { readonly dates: TimeWindow[] } {
    const { current, previous } = this.request;
    const dates = this.reference.map((day) => windowOf({ ...current, from: day, to: day }));
    return { current: windowOf(current), previous: windowOf(previous), dates };
  }
  /** The numbers of the dates of a period. */
  numbersOf(period: "current" | "previous" | "reference"): number[] {
    const days = period === "reference" ? this.reference : daysOf(this.request[period]);
    return days.map((day) => day - this.first + 1);
  }
  private get reference(): number[] {
    return this.request.reference === null ? [] : daysOf(this.request.reference);
  }

  /**
   * Returns the number of the date of each of the first moments. It computes the midnights of all dates first,
   * because there are many moments.
   */
  ofMoments(times: Float64Array, count: number, check: () => void): Uint16Array<ArrayBuffer> {
    const numbers = new Uint16Array(count);
    const midnights = Float64Array.from({ length: this.count + 1 }, (_, at) =>
      this.zone.startOf(this.first + at),
    );
    const [startMs, endMs] = [midnights[0], midnights[this.count]];
    for (let place = 0; place < count; place++) {
      if (place % valuesPerCheck === 0) check();
      const timeMs = times[place];
      if (timeMs < startMs || timeMs >= endMs) continue;
      // Dates that are longer or shorter than 24 hours move the number by less than one.
      let at = Math.min(Math.floor((timeMs - startMs) / dayMs), this.count - 1);
      while (timeMs < midnights[at]) at--;
      while (timeMs >= midnights[at + 1]) at++;
      numbers[place] = at + 1;
    }
    return numbers;
  }
}

const daysOf = ({ from, to }: Days): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
