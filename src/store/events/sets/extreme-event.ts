import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";

/** Finds the earliest or the latest event of each session. It compares tickets only if times are equal. */
export class ExtremeEvent {
  private readonly direction: 1 | -1;
  /** Time × direction, so that the largest value is the extreme one. */
  private readonly reach: Float64Array;
  private readonly row: Uint32Array;
  private readonly segmentIndex: Uint32Array;
  private readonly segments: Segment[] = [];

  constructor(
    size: number,
    which: "earliest" | "latest",
    private readonly budget: Budget,
  ) {
    this.direction = which === "latest" ? 1 : -1;
    this.reach = budget.doubles(size).fill(Number.NEGATIVE_INFINITY);
    this.row = budget.words(size);
    this.segmentIndex = budget.words(size);
  }

  /** Gives back the arrays. The caller must not use the object again. */
  release(): void {
    const { reach, row, segmentIndex } = this;
    this.budget.giveBack(reach.byteLength + row.byteLength + segmentIndex.byteLength);
  }

  /** Stores an event if it is the session's extreme one so far, and returns whether it is. */
  moves(session: number, timeMs: number, segment: Segment, row: number): boolean {
    const { direction } = this;
    const reach = timeMs * direction;
    const before = this.reach[session];
    if (reach < before) return false;
    if (reach === before) {
      const other = this.segments[this.segmentIndex[session]].ticketAt(this.row[session]);
      if ((segment.ticketAt(row) - other) * direction < 0) return false;
    }
    if (this.segments[this.segments.length - 1] !== segment) this.segments.push(segment);
    this.reach[session] = reach;
    this.segmentIndex[session] = this.segments.length - 1;
    this.row[session] = row;
    return true;
  }
}
