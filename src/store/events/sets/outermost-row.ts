import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";

/** Whether the first or the last event of a session, or of a user, decides. */
export type Edge = "first" | "last";

/** A row of a visit, and bounds of the time of its event, which are equal if the time is known. */
export interface Candidate {
  readonly segment: Segment;
  readonly visit: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The first or last row seen of each session. Visits of a session mostly follow each other, so that their ends tell
 * which row is further out. Only for visits that overlap it finds the rows and reads the times of single events, which
 * take as long to load as a column.
 */
export class OutermostRow {
  /** Times and tickets count negative for the last row, so that a smaller number is always further out. */
  private readonly sign: 1 | -1;
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly visit: Uint32Array;
  private readonly segmentIndex: Uint32Array;
  private readonly segments: Segment[] = [];

  constructor(
    size: number,
    edge: Edge,
    private readonly budget: Budget,
    private readonly rowOf: (segment: Segment, visit: number) => number,
  ) {
    this.sign = edge === "first" ? 1 : -1;
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

  /** Stores a row if it is the session's outermost so far, and returns whether it is. */
  moves(session: number, { segment, visit, fromMs, toMs }: Candidate): boolean {
    const from = this.sign === 1 ? fromMs : -toMs;
    const to = this.sign === 1 ? toMs : -fromMs;
    if (from > this.to[session]) return false;
    if (to < this.from[session]) {
      this.set(session, segment, visit, from, to);
      return true;
    }
    const row = this.rowOf(segment, visit);
    if (!this.isFurther(session, segment, row)) return false;
    const time = this.sign * segment.timeAt(row);
    this.set(session, segment, visit, time, time);
    return true;
  }

  private isFurther(session: number, segment: Segment, row: number): boolean {
    const { sign } = this;
    const other = this.segments[this.segmentIndex[session]];
    const otherRow = this.rowOf(other, this.visit[session]);
    const otherTime = sign * other.timeAt(otherRow);
    const time = sign * segment.timeAt(row);
    this.from[session] = otherTime;
    this.to[session] = otherTime;
    if (time !== otherTime) return time < otherTime;
    return sign * (segment.ticketAt(row) - other.ticketAt(otherRow)) < 0;
  }
  private set(session: number, segment: Segment, visit: number, from: number, to: number): void {
    if (this.segments[this.segments.length - 1] !== segment) this.segments.push(segment);
    this.from[session] = from;
    this.to[session] = to;
    this.visit[session] = visit;
    this.segmentIndex[session] = this.segments.length - 1;
  }
}
