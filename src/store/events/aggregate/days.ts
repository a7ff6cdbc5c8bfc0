import { timeZoneOf } from "../../../domain/time-zone";
import { rowCodesOf } from "../scan/vector";
import { leftOut } from "./by-visit";
import { countsOf } from "./counts";
import type { Aggregate, Chunk } from "./hash-aggregate";

/** The dates of the first and the last event of each group. */
export class Days implements Aggregate {
  private readonly first: number[] = [];
  private readonly last: number[] = [];

  constructor(private readonly zone: string | undefined) {}

  update({ selection, vector, groupOf }: Chunk): void {
    const { segment, rows } = selection;
    const zone = timeZoneOf(this.zone);
    const first = zone.dayAt(segment.firstTime);
    if (first === zone.dayAt(segment.lastTime)) {
      const counts = countsOf(selection, vector);
      for (let code = 0; code < groupOf.length; code++)
        if (groupOf[code] !== leftOut && counts[code] > 0) this.see(groupOf[code], first);
      return;
    }
    const codes = rowCodesOf(segment, vector);
    const { times, firstTime } = segment;
    for (let i = 0; i < times.length; i++) {
      const group = groupOf[codes === null ? 0 : codes[i]];
      if (group !== leftOut && rows[i] === 1) this.see(group, zone.dayAt(firstTime + times[i]));
    }
  }
  value(group: number, metric: string): number | null {
    return (metric === "first_day" ? this.first : this.last)[group] ?? null;
  }
  private see(group: number, day: number): void {
    if (!(day >= this.first[group])) this.first[group] = day;
    if (!(day <= this.last[group])) this.last[group] = day;
  }
}
