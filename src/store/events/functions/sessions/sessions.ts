import type { Segment } from "../../segment/segment";
import type { Identity } from "../identity";
import type { Workspace } from "../workspace";
import { SessionLayers } from "./session-layers";
import { numberSessions, type SessionNumbers } from "./session-numbers";
import { SessionPages } from "./session-pages";
import { SessionTable } from "./session-table";
import { KnownValues } from "./session-values";

/** The segments a read is about, and the rest of the project, where the same sessions may go on. */
export interface SessionSource {
  readonly inside: readonly Segment[];
  readonly others: readonly Segment[];
}

/**
 * What is known of each session, judged on all its events (definitions.md).
 *
 * The table is made for settled segments and kept; what the few young ones add is applied to it until they are gone, so
 * that new events do not cost a new table. It keeps segment ids, not segments, so that it does not hold on to columns.
 */
export class Sessions extends SessionTable implements SessionNumbers {
  readonly of: Map<number, Uint32Array>;
  /** Segments with an event of these sessions. */
  readonly segmentIds: number[] = [];
  private readonly layers: SessionLayers;
  private knownPages: SessionPages | null = null;
  /** Their fields. What is known of them is of no use once sessions are not what they were. */
  readonly values: KnownValues;

  constructor(
    settled: SessionSource,
    private readonly workspace: Workspace,
  ) {
    const numbers = numberSessions(settled.inside, settled.others, workspace.budget);
    super(numbers.count, workspace.budget);
    this.of = numbers.of;
    const all = [...settled.inside, ...settled.others];
    for (const segment of all) {
      workspace.check();
      if (numbers.of.has(segment.id)) this.addSegment(segment);
    }
    this.layers = new SessionLayers(this, workspace);
    this.values = new KnownValues(this, workspace);
  }

  /** Makes the table what it would be had it been made with these segments too. `settled` are all that are settled. */
  apply(young: SessionSource, settled: readonly Segment[]): void {
    try {
      const touched = this.layers.apply(young, settled);
      if (this.knownPages?.isOvergrown === true) this.knownPages = null;
      if (touched.size > 0) this.knownPages?.update(touched);
      if (touched.size > 0) this.values.forget();
    } catch (error) {
      this.knownPages = null;
      this.values.forget();
      throw error;
    }
  }

  /** Makes segments that have settled since part of the table. Young ones are not applied to it any more. */
  absorb(fresh: SessionSource, settled: readonly Segment[]): void {
    this.apply(fresh, settled);
    this.layers.settle();
  }

  private addSegment(segment: Segment): void {
    this.segmentIds.push(segment.id);
    const numbers = this.numbersIn(segment.id);
    const add = this.adder(segment);
    this.workspace.budget.each(numbers.length, (v) => {
      if (numbers[v] !== 0) add(numbers[v], v);
    });
  }

  /** Takes visits of one segment into sessions. */
  adder(segment: Segment): (session: number, visit: number) => void {
    const { id, firstTime, users } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    const events = segment.integers("visit.events");
    const interactive = segment.integers("visit.interactive");
    const pageViews = segment.integers("visit.page_views");
    return (n, v) => {
      const start = firstTime + starts[v];
      const end = start + durations[v];
      const isFirst = this.events[n] === 0;
      if (isFirst || this.isHome(n, segment, v, end)) {
        this.user[n] = users[v];
        this.homeSegment[n] = id;
        this.homeVisit[n] = v;
      }
      if (isFirst || start < this.start[n]) this.start[n] = start;
      if (isFirst || end > this.end[n]) this.end[n] = end;
      this.events[n] += events[v];
      this.pageViews[n] += pageViews[v];
      this.interactive[n] |= interactive[v];
    };
  }

  /** Whether a further visit says whose the session is: the user of its latest event that has one. */
  private isHome(n: number, segment: Segment, visit: number, end: number): boolean {
    if (segment.users[visit] === 0) return false;
    if (this.user[n] === 0 || end > this.end[n]) return true;
    const known = this.workspace.open(this.homeSegment[n]);
    const knownVisit = this.homeVisit[n];
    const knownEnd =
      known.firstTime +
      known.integers("visit.start")[knownVisit] +
      known.integers("visit.duration")[knownVisit];
    if (end !== knownEnd) return end > knownEnd;
    return ticketOfLast(segment, visit) > ticketOfLast(known, knownVisit);
  }

  get bytes(): number {
    let bytes = this.tableBytes + this.layers.bytes + this.values.bytes;
    bytes += this.knownPages?.bytes ?? 0;
    for (const numbers of this.of.values()) bytes += numbers.byteLength;
    return bytes;
  }
  /** One number per visit of a segment. */
  numbersIn(segmentId: number): Uint32Array {
    return this.of.get(segmentId) ?? none;
  }
  /** The user a session belongs to today; 0 = none. */
  userOf(session: number, identity: Identity): number {
    return identity.canonical(this.user[session]);
  }
  idOf(session: number): string {
    return (
      this.workspace.open(this.homeSegment[session]).sessionIdAt(this.homeVisit[session]) ?? ""
    );
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
    this.knownPages ??= new SessionPages(this, this.workspace);
    return this.knownPages;
  }
  /** Those of a few sessions: only the segments where these are have to be looked at. */
  pagesOf(few: readonly number[]): SessionPages {
    return this.knownPages ?? new SessionPages(this, this.workspace, few);
  }
}

const none = new Uint32Array(0);
const ticketOfLast = (segment: Segment, visit: number): number =>
  segment.ticketAt(segment.firstRows[visit + 1] - 1);
