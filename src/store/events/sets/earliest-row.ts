import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";

/** A row of a visit, and between which times its event happened; both are the same where the time is known. */
export interface Candidate {
  readonly segment: Segment;
  readonly visit: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The earliest row seen per session. Visits of a session mostly follow each other, so that their ends say which is
 * earlier: which row of a visit it is, and times of single events, which take as long to load as a column, are looked
 * at where visits overlap alone.
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

  /** Nothing is asked any more. */
  letGo(): void {
    for (const kept of [this.from, this.to, this.visit, this.segmentIndex]) {
      this.budget.giveBack(kept.byteLength);
    }
  }

  /** Returns true when this row is earlier than the session's row before, and keeps it then. */
  moves(session: number, { segment, visit, fromMs, toMs }: Candidate): boolean {
    if (fromMs > this.to[session]) return false;
    if (toMs < this.from[session]) {
      this.keep(session, segment, visit, fromMs, toMs);
      return true;
    }
    const row = this.rowOf(segment, visit);
    if (!this.isEarlier(session, segment, row)) return false;
    const timeMs = segment.timeAt(row);
    this.keep(session, segment, visit, timeMs, timeMs);
    return true;
  }

  private isEarlier(session: number, segment: Segment, row: number): boolean {
    const known = this.segments[this.segmentIndex[session]];
    const knownRow = this.rowOf(known, this.visit[session]);
    const knownMs = known.timeAt(knownRow);
    const timeMs = segment.timeAt(row);
    this.from[session] = knownMs;
    this.to[session] = knownMs;
    if (timeMs !== knownMs) return timeMs < knownMs;
    return segment.ticketAt(row) < known.ticketAt(knownRow);
  }
  private keep(
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
