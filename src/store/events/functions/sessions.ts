import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import type { Identity } from "./identity";
import { Outermost } from "./outermost";
import { numberSessions, type SessionNumbers } from "./session-numbers";
import { type SessionPages, sessionPages } from "./session-pages";

/**
 * What is known of each session, judged on all its events (ingestion.md §7). Index = session number, from 1.
 * `segments` are those a read is about; `others` hold the rest of the project, where such sessions may go on.
 * It keeps segment ids, not segments, so that a cached table does not hold on to columns.
 */
export class Sessions {
  readonly count: number;
  readonly numbers: SessionNumbers;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly events: Uint32Array;
  readonly pageViews: Uint32Array;
  readonly interactive: Uint8Array;
  /** As stored, since who that stands for may change while the table is kept; 0 = none. */
  private readonly storedUser: Uint32Array;
  /** Segments with an event of these sessions. */
  readonly segmentIds: number[] = [];
  readonly bytes: number;
  /** Where one of a session's visits is: to find its id. */
  private readonly homeSegment: Uint32Array;
  private readonly homeVisit: Uint32Array;
  private knownPages: SessionPages | null = null;

  constructor(
    segments: readonly Segment[],
    others: readonly Segment[],
    private readonly context: Context,
  ) {
    this.numbers = numberSessions(segments, others, context.check);
    this.count = this.numbers.count;
    const size = this.count + 1;
    this.start = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    this.end = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
    this.events = new Uint32Array(size);
    this.pageViews = new Uint32Array(size);
    this.interactive = new Uint8Array(size);
    this.storedUser = new Uint32Array(size);
    this.homeSegment = new Uint32Array(size);
    this.homeVisit = new Uint32Array(size);
    const latestWithUser = new Outermost(size, "latest");
    for (const segment of [...segments, ...others]) {
      context.check();
      this.add(segment, latestWithUser);
    }
    // Pages are found later, if at all; their two columns are counted from the start.
    const visits = [...this.numbers.of.values()];
    this.bytes = size * (45 + 8) + visits.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  private add(segment: Segment, latestWithUser: Outermost): void {
    const numbers = this.numbersIn(segment.id);
    if (!numbers.some((number) => number > 0)) {
      this.numbers.of.delete(segment.id);
      return;
    }
    this.segmentIds.push(segment.id);
    const { id, firstTime, firstRows, users } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const events = segment.integers("visit.events");
    const interactive = segment.integers("visit.interactive");
    const pageViews = segment.integers("visit.page_views");
    for (let v = 0; v < numbers.length; v++) {
      const n = numbers[v];
      if (n === 0) continue;
      const start = firstTime + starts[v];
      const end = start + durations[v];
      if (start < this.start[n]) this.start[n] = start;
      if (end > this.end[n]) this.end[n] = end;
      this.events[n] += events[v];
      this.pageViews[n] += pageViews[v];
      this.interactive[n] |= interactive[v];
      this.homeSegment[n] = id;
      this.homeVisit[n] = v;
      if (users[v] !== 0 && latestWithUser.moves(n, end, segment, firstRows[v + 1] - 1)) {
        this.storedUser[n] = users[v];
      }
    }
  }

  /** One number per visit of a segment. */
  numbersIn(segmentId: number): Uint32Array {
    return this.numbers.of.get(segmentId) ?? none;
  }
  /** The user a session belongs to today; 0 = none. */
  userOf(session: number, identity: Identity): number {
    return identity.canonical(this.storedUser[session]);
  }
  idOf(session: number): string {
    return this.context.open(this.homeSegment[session]).sessionIds[this.homeVisit[session]] ?? "";
  }
  startsWithin(session: number, fromMs: number, toMs: number): boolean {
    return this.start[session] >= fromMs && this.start[session] < toMs;
  }
  isBounce(session: number): 0 | 1 {
    return this.interactive[session] === 0 ? 1 : 0;
  }
  duration(session: number): number {
    return this.end[session] - this.start[session];
  }
  /** Entry and exit pages. They need event columns, hence only on demand. */
  get pages(): SessionPages {
    this.knownPages ??= sessionPages(this, this.context);
    return this.knownPages;
  }
}

const none = new Uint32Array(0);
