import type { Segment } from "../../segment/segment";
import { valuesPerCheck } from "../budget";
import type { Workspace } from "../workspace";
import { numberSessions } from "./session-numbers";
import { SessionTable } from "./session-table";
import { type SeveralVisits, severalVisitsIn } from "./several-visits";

/** The segments a read is about, and the rest of the project, where the same sessions may go on. */
export interface SessionSource {
  readonly inside: readonly Segment[];
  readonly others: readonly Segment[];
}

/** The table of sessions with what the visits of segments tell of each. */
export class JudgedSessions extends SessionTable {
  readonly of: Map<number, Uint32Array>;
  /** Segments with an event of these sessions. */
  readonly segmentIds: number[] = [];

  /** To be forgotten when sessions are not what they were. */
  protected knownSeveral: SeveralVisits | null = null;

  constructor(
    settled: SessionSource,
    protected readonly workspace: Workspace,
  ) {
    const numbers = numberSessions(settled.inside, settled.others, workspace.budget);
    super(numbers.count, workspace.budget);
    this.of = numbers.of;
    for (const segment of [...settled.inside, ...settled.others]) {
      workspace.check();
      if (numbers.of.has(segment.id)) this.addSegment(segment);
    }
  }

  /** One number per visit of a segment. */
  numbersIn(segmentId: number): Uint32Array {
    return this.of.get(segmentId) ?? none;
  }

  /** Those of which more than one visit may say something: of the others nothing has to be compared. */
  get severalVisits(): SeveralVisits {
    this.knownSeveral ??= severalVisitsIn(this, this.workspace.budget);
    return this.knownSeveral;
  }
  /**
   * What `adder` does. Most sessions are of one visit, which is all that is known of them: one loop writes that down in
   * half the time that a call for each of them takes.
   */
  private addSegment(segment: Segment): void {
    this.segmentIds.push(segment.id);
    const numbers = this.numbersIn(segment.id);
    const add = this.adder(segment);
    const { id, firstTime, users } = segment;
    const visits = columnsOf(segment);
    const { start, end, events, pageViews, interactive, user, homeSegment, homeVisit } = this;
    for (let v = 0; v < numbers.length; v++) {
      if (v % valuesPerCheck === 0) this.workspace.check();
      const n = numbers[v];
      if (n === 0) continue;
      if (events[n] > 0) {
        add(n, v);
        continue;
      }
      const startMs = firstTime + visits.starts[v];
      start[n] = startMs;
      end[n] = startMs + visits.durations[v];
      events[n] = visits.events[v];
      pageViews[n] = visits.pageViews[v];
      interactive[n] = visits.interactive[v];
      user[n] = users[v];
      homeSegment[n] = id;
      homeVisit[n] = v;
    }
  }

  /** Takes visits of one segment into sessions. */
  adder(segment: Segment): (session: number, visit: number) => void {
    const { id, firstTime, users } = segment;
    const { starts, durations, events, pageViews, interactive } = columnsOf(segment);
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
}

/** What a segment says of its visits. */
const columnsOf = (segment: Segment) => ({
  starts: segment.integers("visit.start"),
  durations: segment.integers("visit.duration"),
  events: segment.integers("visit.events"),
  pageViews: segment.integers("visit.page_views"),
  interactive: segment.integers("visit.interactive"),
});

const none = new Uint32Array(0);
const ticketOfLast = (segment: Segment, visit: number): number =>
  segment.ticketAt(segment.firstRows[visit + 1] - 1);
