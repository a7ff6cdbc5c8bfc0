import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";

/** When the visits of a segment ended. Its columns are looked up once, when the first is asked for. */
export class VisitEnds {
  private starts: Integers | null = null;
  private durations: Integers | null = null;

  constructor(private readonly segment: Segment) {}

  of(visit: number): number {
    this.starts ??= this.segment.integers("visit.start");
    this.durations ??= this.segment.integers("visit.duration");
    return this.segment.firstTime + this.starts[visit] + this.durations[visit];
  }
  ticketOfLast(visit: number): number {
    return this.segment.ticketAt(this.segment.firstRows[visit + 1] - 1);
  }
}
