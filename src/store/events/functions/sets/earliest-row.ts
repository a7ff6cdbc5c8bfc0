import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";

/** A row of a visit, and between which times its event happened; both are the same where the time is known. */
export interface Candidate {
  readonly segment: Segment;
  readonly row: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The earliest row seen per session. Visits of a session mostly follow each other, so that their ends say which is
 * earlier: times of single events, which take as long to load as a column, are looked at where visits overlap alone.
 */
export class EarliestRow {
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly row: Uint32Array;
  private readonly segmentIndex: Uint32Array;
  private readonly segments: Segment[] = [];

  constructor(
    size: number,
    private readonly budget: Budget,
  ) {
    this.from = budget.doubles(size).fill(Number.POSITIVE_INFINITY);
    this.to = budget.doubles(size).fill(Number.POSITIVE_INFINITY);
    this.row = budget.words(size);
    this.segmentIndex = budget.words(size);
  }

  /** Nothing is asked any more. */
  letGo(): void {
    for (const kept of [this.from, this.to, this.row, this.segmentIndex]) {
      this.budget.giveBack(kept.byteLength);
    }
  }

  /** True when this row is earlier than what the session had. */
  moves(session: number, { segment, row, fromMs, toMs }: Candidate): boolean {
    if (fromMs > this.to[session]) return false;
    if (toMs < this.from[session]) this.keep(session, segment, row, fromMs, toMs);
    else if (!this.isEarlier(session, segment, row)) return false;
    else this.keep(session, segment, row, segment.timeAt(row), segment.timeAt(row));
    return true;
  }

  private isEarlier(session: number, segment: Segment, row: number): boolean {
    const known = this.segments[this.segmentIndex[session]];
    const knownMs = known.timeAt(this.row[session]);
    const timeMs = segment.timeAt(row);
    this.from[session] = knownMs;
    this.to[session] = knownMs;
    if (timeMs !== knownMs) return timeMs < knownMs;
    return segment.ticketAt(row) < known.ticketAt(this.row[session]);
  }
  private keep(session: number, segment: Segment, row: number, fromMs: number, toMs: number): void {
    if (this.segments[this.segments.length - 1] !== segment) this.segments.push(segment);
    this.from[session] = fromMs;
    this.to[session] = toMs;
    this.row[session] = row;
    this.segmentIndex[session] = this.segments.length - 1;
  }
}
