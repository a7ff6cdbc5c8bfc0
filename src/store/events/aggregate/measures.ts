import { DaysOfGroups } from "../functions/counting/days-of-groups";
import type { Measure } from "../functions/counting/measures";
import type { Integers } from "../segment/codec";
import { leftOut } from "./by-visit";
import { countsOf } from "./counts";
import type { Aggregate, Chunk } from "./hash-aggregate";
import { rowCodesOf } from "./vector";

/** A measure of the values that single rows have in a column. */
export class MeasureOfRows implements Aggregate {
  constructor(private readonly measure: Measure) {}

  update({ selection, vector, groupOf }: Chunk): void {
    let known: Integers | null | undefined;
    this.measure.add(selection, {
      groupOf,
      // A measure that has stored counts of its values reads no codes.
      get codes() {
        if (known === undefined) known = rowCodesOf(selection.segment, vector);
        return known;
      },
    });
  }
  value(group: number, metric: string): number | null {
    return this.measure.value(group, metric);
  }
}

/** The dates of the first and the last event of each group. */
export class Days implements Aggregate {
  private readonly days: DaysOfGroups;

  constructor(zone: string | undefined) {
    this.days = new DaysOfGroups(zone);
  }
  update({ selection, vector, groupOf }: Chunk): void {
    const counts = countsOf(selection, vector);
    const groups = groupOf.map((group, code) => (counts[code] > 0 ? group : leftOut));
    this.days.add(selection, rowCodesOf(selection.segment, vector), groups);
  }
  value(group: number, metric: string): number | null {
    return (metric === "first_day" ? this.days.firstOf(group) : this.days.lastOf(group)) ?? null;
  }
}
