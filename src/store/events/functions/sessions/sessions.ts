import type { TimeWindow } from "../../../../domain/time-window";
import type { Segment } from "../../segment/segment";
import type { Identity } from "../identity";
import type { Workspace } from "../workspace";
import { FirstSessions } from "./first-sessions";
import { JudgedSessions, type SessionSource } from "./judged-sessions";
import type { SessionColumns } from "./session-columns";
import { SessionLayers } from "./session-layers";
import type { SessionNumbers } from "./session-numbers";
import { SessionPages } from "./session-pages";
import { KnownValues } from "./session-values";
import { severalAfter } from "./several-visits";

/**
 * What is known of each session, judged on all its events (definitions.md), with its pages and its fields.
 *
 * The table is made for settled segments and kept; what the few young ones add is applied to it until they are gone, so
 * that new events do not cost a new table. It keeps segment ids, not segments, so that it does not hold on to columns.
 */
export class Sessions extends JudgedSessions implements SessionNumbers {
  private readonly layers: SessionLayers;
  private knownPages: SessionPages | null = null;
  private knownFirsts: FirstSessions | null = null;
  /** Which sessions started within the window that was asked last: reads of a period ask for it again and again. */
  private knownStarts: (TimeWindow & { readonly marks: Uint8Array<ArrayBuffer> }) | null = null;
  /** Their fields. What is known of them is of no use once sessions are not what they were. */
  readonly values: KnownValues;

  constructor(settled: SessionSource, workspace: Workspace, numbers?: SessionNumbers) {
    super(settled, workspace, numbers);
    this.layers = new SessionLayers(this, workspace);
    this.values = new KnownValues(this, () => this.pages, workspace);
  }

  /** Makes the table what it would be had it been made with these segments too. `settled` are all that are settled. */
  apply(young: SessionSource, settled: readonly Segment[]): void {
    try {
      const touched = this.layers.apply(young, settled);
      if (touched.length > 0 && this.knownSeveral !== null) {
        const { budget } = this.workspace;
        this.knownSeveral = severalAfter(this.knownSeveral, touched, this.count, budget);
      }
      if (this.knownPages?.isOvergrown === true) this.knownPages = null;
      if (touched.length > 0) this.knownPages?.update(touched);
      if (touched.length > 0) this.values.forget();
      if (touched.length > 0) this.knownStarts = null;
      if (touched.length > 0) this.knownFirsts = null;
    } catch (error) {
      this.knownFirsts = null;
      this.knownStarts = null;
      this.knownSeveral = null;
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

  get bytes(): number {
    let bytes = this.columnBytes + this.layers.bytes + this.values.bytes;
    bytes += (this.knownStarts?.marks.byteLength ?? 0) + (this.knownFirsts?.bytes ?? 0);
    bytes += (this.knownPages?.bytes ?? 0) + (this.knownSeveral?.places.byteLength ?? 0);
    for (const numbers of this.of.values()) bytes += numbers.byteLength;
    return bytes;
  }
  /** The user a session belongs to today; 0 = none. */
  userOf(session: number, identity: Identity): number {
    return identity.canonical(this.user[session]);
  }
  /** The earliest session of each user among these, which must be all that are stored. */
  firstOfUsers(identity: Identity): FirstSessions {
    if (this.knownFirsts?.version !== identity.version) {
      this.knownFirsts = new FirstSessions(this, identity, this.workspace);
    }
    return this.knownFirsts;
  }
  idOf(session: number): string {
    const { segment, visit } = this.homes;
    return this.workspace.open(segment[session]).sessionIdAt(visit[session]) ?? "";
  }
  startsWithin(session: number, fromMs: number, toMs: number): boolean {
    return this.start[session] >= fromMs && this.start[session] < toMs;
  }
  /** Marks those sessions by 1; nobody changes the marks. */
  startingWithin(fromMs: number, toMs: number): Uint8Array<ArrayBuffer> {
    const known = this.knownStarts;
    if (known !== null && known.fromMs === fromMs && known.toMs === toMs) return known.marks;
    const marks = this.startsOf(fromMs, toMs);
    this.knownStarts = { fromMs, toMs, marks };
    return marks;
  }
  /**
   * While nobody has asked when each began, that is asked where segments lie across an end
   * of the window alone: a session that has all its visits in segments within began there.
   */
  private startsOf(fromMs: number, toMs: number): Uint8Array<ArrayBuffer> {
    const { budget, check } = this.workspace;
    const marks = budget.bytesOf(this.count + 1);
    if (this.areTimesKnown) {
      const { start } = this;
      for (let n = 1; n < marks.length; n++) {
        marks[n] = start[n] >= fromMs && start[n] < toMs ? 1 : 0;
      }
      return marks;
    }
    for (const id of this.segmentIds) {
      check();
      const segment = this.workspace.open(id);
      if (segment.firstTime < toMs) markVisits(marks, this.numbersIn(id), segment, fromMs, toMs);
    }
    for (let n = 0; n < marks.length; n++) if (marks[n] !== isWithin) marks[n] = 0;
    marks[0] = 0;
    return marks;
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
  protected override fill(columns: SessionColumns): void {
    this.layers.fill(columns, (segmentIds) => this.fillFrom(segmentIds, columns));
  }
  /** Returns the pages of a few sessions: only their segments have to be looked at. */
  pagesOf(few: readonly number[]): SessionPages {
    return this.knownPages ?? new SessionPages(this, this.workspace, few);
  }
}

/** Bits for a session with a visit that began within a window, and for one with a visit that began before it. */
const isWithin = 1;
const isBefore = 2;

function markVisits(
  marks: Uint8Array,
  numbers: Uint32Array,
  segment: Segment,
  fromMs: number,
  toMs: number,
): void {
  const { firstTime, lastTime } = segment;
  if (lastTime < fromMs || (firstTime >= fromMs && lastTime < toMs)) {
    const bit = lastTime < fromMs ? isBefore : isWithin;
    for (let visit = 0; visit < numbers.length; visit++) marks[numbers[visit]] |= bit;
    return;
  }
  const starts = segment.integers("visit.start");
  for (let visit = 0; visit < numbers.length; visit++) {
    const startMs = firstTime + starts[visit];
    if (startMs < toMs) marks[numbers[visit]] |= startMs < fromMs ? isBefore : isWithin;
  }
}
