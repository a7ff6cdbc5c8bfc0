import type { Segment } from "../../segment/segment";

export interface FoundEvent {
  readonly timeMs: number;
  readonly segment: Segment;
  readonly row: number;
}

/** Collects events and cuts them back to the newest `limit` whenever they have doubled. */
export class Newest {
  /** Nothing earlier than this can still get in. */
  barMs = Number.NEGATIVE_INFINITY;
  private readonly found: FoundEvent[] = [];

  constructor(private readonly limit: number) {}

  offer(timeMs: number, segment: Segment, row: number): void {
    this.found.push({ timeMs, segment, row });
    if (this.found.length >= 2 * this.limit + 64) this.cut();
  }
  /** Returns the events by (time, ticket), descending. */
  events(): readonly FoundEvent[] {
    this.cut();
    return this.found;
  }

  private cut(): void {
    const { found, limit } = this;
    found.sort(
      (a, b) => b.timeMs - a.timeMs || b.segment.ticketAt(b.row) - a.segment.ticketAt(a.row),
    );
    found.length = Math.min(found.length, limit);
    if (found.length === limit && limit > 0) this.barMs = found[limit - 1].timeMs;
  }
}

/** Segments whose events may be newer come first, so that a full list can end the search. */
export const newestFirst = (segments: readonly Segment[]): Segment[] =>
  [...segments].sort((a, b) => b.lastTime - a.lastTime);
