import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";

/** A row of a visit, and bounds of the time of its event, which are equal if the time is known. */
export interface Candidate {
  readonly segment: Segment;
  readonly visit: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Finds the earliest row of each session. The visits of a session rarely overlap, so their bounds mostly show which row
 * is earlier. Only visits that overlap need the exact row and the times of events, which are a column to load.
 */
export class EarliestRow {
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly visit: Uint32Array;
  private readonly segmentIndex: Uint32Array;
  private readonly segments: Segment[] = [];

  constructor(
    size: number,
    private readonly budget: Budget,
    private readonly rowOf: (segment: Segment, visit: number) => number,
  ) {
    this.from = budget.doubles(size).fill(Number.POSITIVE_INFINITY);
    this.to = budget.doubles(size).fill(Number.POSITIVE_INFINITY);
    this.visit = budget.words(size);
    this.segmentIndex = budget.words(size);
  }

  /** Gives back the arrays. The caller must not use the object again. */
  release(): void {
    for (const array of [this.from, this.to, this.visit, this.segmentIndex]) {
      this.budget.giveBack(array.byteLength);
    }
  }

  /** Stores a row if it is the session's earliest so far, and returns whether it is. */
  moves(session: number, { segment, visit, fromMs, toMs }: Candidate): boolean {
    if (fromMs > this.to[session]) return false;
    if (toMs < this.from[session]) {
      this.set(session, segment, visit, fromMs, toMs);
      return true;
    }
    const row = this.rowOf(segment, visit);
    if (!this.isEarlier(session, segment, row)) return false;
    const timeMs = segment.timeAt(row);
    this.set(session, segment, visit, timeMs, timeMs);
    return true;
  }

  private isEarlier(session: number, segment: Segment, row: number): boolean {
    const other = this.segments[this.segmentIndex[session]];
    const otherRow = this.rowOf(other, this.visit[session]);
    const otherMs = other.timeAt(otherRow);
    const timeMs = segment.timeAt(row);
    this.from[session] = otherMs;
    this.to[session] = otherMs;
    if (timeMs !== otherMs) return timeMs < otherMs;
    return segment.ticketAt(row) < other.ticketAt(otherRow);
  }
  private set(
    session: number,
    segment: Segment,
    visit: number,
    fromMs: number,
    toMs: number,
  ): void {
    if (this.segments[this.segments.length - 1] !== segment) this.segments.push(segment);
    this.from[session] = fromMs;
    this.to[session] = toMs;
    this.visit[session] = visit;
    this.segmentIndex[session] = this.segments.length - 1;
  }
}
