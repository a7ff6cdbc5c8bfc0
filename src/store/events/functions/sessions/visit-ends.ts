import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";

/** When the visits of a segment ended. Its columns are looked up once for all of them. */
export class VisitEnds {
  private readonly starts: Integers;
  private readonly durations: Integers;

  constructor(private readonly segment: Segment) {
    this.starts = segment.integers("visit.start");
    this.durations = segment.integers("visit.duration");
  }
  of(visit: number): number {
    return this.segment.firstTime + this.starts[visit] + this.durations[visit];
  }
  ticketOfLast(visit: number): number {
    return this.segment.ticketAt(this.segment.firstRows[visit + 1] - 1);
  }
}
