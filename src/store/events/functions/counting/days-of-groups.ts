import { timeZoneOf } from "../../../../domain/time-zone";
import { leftOut } from "../../aggregate/by-visit";
import type { Selection } from "../../scan/selection";
import type { Integers } from "../../segment/codec";

/** The dates of the first and the last event of each group. The caller passes `leftOut` for codes without rows. */
export class DaysOfGroups {
  private readonly first: number[] = [];
  private readonly last: number[] = [];

  constructor(private readonly zone: string | undefined) {}

  add({ segment, rows }: Selection, codes: Integers | null, groupOf: Int32Array): void {
    const zone = timeZoneOf(this.zone);
    const first = zone.dayAt(segment.firstTime);
    if (first === zone.dayAt(segment.lastTime)) {
      for (const group of groupOf) if (group !== leftOut) this.see(group, first);
      return;
    }
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      const group = groupOf[codes === null ? 0 : codes[i]];
      if (group !== leftOut && rows[i] === 1) {
        this.see(group, zone.dayAt(firstTime + times[i]));
      }
    }
  }
  firstOf(group: number): number {
    return this.first[group];
  }
  lastOf(group: number): number {
    return this.last[group];
  }
  private see(group: number, day: number): void {
    if (!(day >= this.first[group])) this.first[group] = day;
    if (!(day <= this.last[group])) this.last[group] = day;
  }
}
