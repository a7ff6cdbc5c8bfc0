import type { Budget } from "../budget";
import { widened } from "../sets/widened";

/** What is known of one session. */
export interface SessionRow {
  readonly start: number;
  readonly end: number;
  readonly events: number;
  readonly pageViews: number;
  readonly interactive: number;
  readonly user: number;
  readonly homeSegment: number;
  readonly homeVisit: number;
}

/** This number of sessions can be added before the columns have to grow. */
const spareShare = 1 / 16;
const spareMin = 4_096;
/** Of a session in all columns below. */
const rowBytes = 37;

/** Columns of sessions; index = session number, from 1. Rows can be saved, restored, and added at the end. */
export class SessionTable {
  start: Float64Array<ArrayBuffer>;
  end: Float64Array<ArrayBuffer>;
  events: Uint32Array<ArrayBuffer>;
  pageViews: Uint32Array<ArrayBuffer>;
  interactive: Uint8Array<ArrayBuffer>;
  /** As stored, since who that stands for may change while the table is kept; 0 = none. */
  user: Uint32Array<ArrayBuffer>;
  /** Where the session's latest visit with a user is, or any visit while it has none. */
  homeSegment: Uint32Array<ArrayBuffer>;
  homeVisit: Uint32Array<ArrayBuffer>;

  constructor(
    public count: number,
    private readonly budget: Budget,
  ) {
    const size = count + Math.max(spareMin, Math.ceil(count * spareShare));
    budget.take(rowBytes * size);
    this.start = new Float64Array(size);
    this.end = new Float64Array(size);
    this.events = new Uint32Array(size);
    this.pageViews = new Uint32Array(size);
    this.interactive = new Uint8Array(size);
    this.user = new Uint32Array(size);
    this.homeSegment = new Uint32Array(size);
    this.homeVisit = new Uint32Array(size);
  }

  get tableBytes(): number {
    return this.start.length * rowBytes;
  }

  save(n: number): SessionRow {
    return {
      start: this.start[n],
      end: this.end[n],
      events: this.events[n],
      pageViews: this.pageViews[n],
      interactive: this.interactive[n],
      user: this.user[n],
      homeSegment: this.homeSegment[n],
      homeVisit: this.homeVisit[n],
    };
  }
  restore(n: number, row: SessionRow): void {
    this.start[n] = row.start;
    this.end[n] = row.end;
    this.events[n] = row.events;
    this.pageViews[n] = row.pageViews;
    this.interactive[n] = row.interactive;
    this.user[n] = row.user;
    this.homeSegment[n] = row.homeSegment;
    this.homeVisit[n] = row.homeVisit;
  }

  /** A further session, without an event yet. Returns its number. */
  add(): number {
    const n = ++this.count;
    if (n >= this.start.length) this.grow();
    // A reverted layer may have left its values here; the other columns are written with the first visit.
    this.events[n] = 0;
    this.pageViews[n] = 0;
    this.interactive[n] = 0;
    this.user[n] = 0;
    return n;
  }

  private grow(): void {
    const size = this.start.length * 2;
    this.budget.take(rowBytes * this.start.length);
    this.start = widened(Float64Array, this.start, size);
    this.end = widened(Float64Array, this.end, size);
    this.events = widened(Uint32Array, this.events, size);
    this.pageViews = widened(Uint32Array, this.pageViews, size);
    this.interactive = widened(Uint8Array, this.interactive, size);
    this.user = widened(Uint32Array, this.user, size);
    this.homeSegment = widened(Uint32Array, this.homeSegment, size);
    this.homeVisit = widened(Uint32Array, this.homeVisit, size);
  }
}
