import { timeZoneOf } from "../../../../domain/time-zone";
import type { Segment } from "../../segment/segment";
import type { Rows } from "../sets/rows";
import type { Grouping } from "./dimension";
import { leftOut } from "./groups";

/** The first and the last day, in a time zone, on which each group has an event. Index = group. */
export class DaysPerGroup {
  readonly first: number[] = [];
  readonly last: number[] = [];

  constructor(private readonly zone: string | undefined) {}

  /**
   * `counts` has the number of events by code, `groupOf` the group. Times and codes of rows are read where the events
   * are of several days alone.
   */
  add(
    segment: Segment,
    rows: Rows,
    found: Pick<Grouping, "codes"> & { readonly counts: Uint32Array },
    groupOf: Int32Array,
  ): void {
    const zone = timeZoneOf(this.zone);
    const first = zone.dayAt(segment.firstTime);
    if (first === zone.dayAt(segment.lastTime)) {
      groupOf.forEach((group, code) => {
        if (found.counts[code] > 0 && group !== leftOut) this.see(group, first);
      });
      return;
    }
    const [{ times, firstTime }, { codes }] = [segment, found];
    for (let i = 0; i < times.length; i++) {
      const group = groupOf[codes === null ? 0 : codes[i]];
      if (group !== leftOut && (rows === null || rows[i] === 1)) {
        this.see(group, zone.dayAt(firstTime + times[i]));
      }
    }
  }

  private see(group: number, day: number): void {
    if (!(day >= this.first[group])) this.first[group] = day;
    if (!(day <= this.last[group])) this.last[group] = day;
  }
}
