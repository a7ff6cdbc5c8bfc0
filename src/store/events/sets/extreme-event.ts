import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";

/** The earliest or the latest event seen per session. Tickets are looked up only when times are equal. */
export class ExtremeEvent {
  private readonly direction: 1 | -1;
  /** Time × direction, so that further out is always more. */
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

  /** Nothing is asked any more. */
  letGo(): void {
    const { reach, row, segmentIndex } = this;
    this.budget.giveBack(reach.byteLength + row.byteLength + segmentIndex.byteLength);
  }

  /** Returns true when this event is further out than the session's event before, and keeps it then. */
  moves(session: number, timeMs: number, segment: Segment, row: number): boolean {
    const { direction } = this;
    const reach = timeMs * direction;
    const known = this.reach[session];
    if (reach < known) return false;
    if (reach === known) {
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
