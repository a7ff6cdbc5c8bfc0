import type { Segment } from "../../segment/segment";
import type { Workspace } from "../workspace";
import type { JudgedSessions, SessionSource } from "./judged-sessions";
import type { SessionColumns } from "./session-columns";
import { keysOf, SessionKeyTable, WantedKeys } from "./session-key-table";

/** The bytes of what columns keep of a session, at most; of its number; and of an object of four fields. */
const savedBytes = 24;
const changedBytes = 4;
const numberedBytes = 64;

/** A visit of a segment below whose session began to matter with the young ones. */
interface FoundVisit {
  readonly segment: Segment;
  readonly visit: number;
  readonly key: number;
}
/** Such a visit as it is kept, without its segment: a view of that would hold on to columns. */
interface NumberedVisit {
  readonly numbers: Uint32Array;
  readonly segmentId: number;
  readonly visit: number;
  readonly session: number;
}

/**
 * What some young segments add to the sessions of those below: of the settled ones of the table, and of the young ones
 * of lower layers. It can be reverted. Cost: one look at the key of every visit of the segments below that may
 * share sessions with the young ones, and the young visits themselves.
 */
export class SessionLayer {
  private readonly countBelow: number;
  /** The number of segments below the layer. */
  readonly segmentsBelow: number;
  private changedBelow = new Uint32Array(0);
  /** What makes these what they were before the layer touched them, by each of the columns that the table has. */
  private readonly saved = new Map<SessionColumns, () => void>();
  private readonly numbered: NumberedVisit[] = [];
  private readonly addedSegments: number[] = [];
  /** Its own. */
  private readonly youngSegments: number[] = [];

  constructor(
    private readonly sessions: JudgedSessions,
    private readonly workspace: Workspace,
  ) {
    this.countBelow = sessions.count;
    this.segmentsBelow = sessions.segmentIds.length;
  }

  /** The sessions below that it changes. */
  get changed(): Uint32Array {
    return this.changedBelow;
  }

  /** Roughly the bytes that are kept to revert it. */
  get bytes(): number {
    const rows = this.saved.size * this.changedBelow.length;
    const places = changedBytes * this.changedBelow.length + numberedBytes * this.numbered.length;
    return savedBytes * rows + places;
  }

  /** `below` are those of the segments below that may hold sessions of the young ones. */
  apply({ inside, others }: SessionSource, below: readonly Segment[]): void {
    const { sessions } = this;
    const keys = new SessionKeyTable();
    const keysIn = [...inside, ...others].map((segment) => ({
      segment,
      of: keysOf(segment, keys),
    }));
    const isInside = new Uint8Array(keys.count + 1);
    for (const { of } of keysIn.slice(0, inside.length)) for (const key of of) isInside[key] = 1;

    const numberOf = new Uint32Array(keys.count + 1);
    const found = this.findBelow(below, keys, numberOf);
    for (let key = 1; key <= keys.count; key++) {
      if (numberOf[key] === 0 && isInside[key] === 1) numberOf[key] = sessions.add();
    }
    // Each key is that of a session of its own.
    this.changedBelow = numberOf.filter((n) => n > 0 && n <= this.countBelow);
    for (const { segment, visit, key } of found) {
      if (numberOf[key] !== 0) this.takeBelow(segment, visit, numberOf[key]);
    }
    for (const { segment, of } of keysIn) {
      this.workspace.check();
      const numbers = of.map((key) => numberOf[key]);
      if (numbers.every((n) => n === 0)) continue;
      sessions.of.set(segment.id, numbers);
      sessions.segmentIds.push(segment.id);
      this.addedSegments.push(segment.id);
      this.youngSegments.push(segment.id);
    }
    for (const columns of sessions.columns) this.addTo(columns);
  }

  /** Adds what its visits say to columns of what is below, and keeps what these were. */
  addTo(columns: SessionColumns): void {
    const { workspace, sessions } = this;
    this.saved.set(columns, columns.save(this.changedBelow));
    for (const { segmentId, visit, session } of this.numbered) {
      columns.adder(workspace.open(segmentId))(session, visit);
    }
    for (const id of this.youngSegments) {
      workspace.check();
      columns.addSegment(workspace.open(id), sessions.numbersIn(id));
    }
  }
  /** Columns that were not filled to their end are of no use. */
  forget(columns: SessionColumns): void {
    this.saved.delete(columns);
  }

  /** Makes the visits of segments below what they are without the layer, and then again what they are with it. */
  hide(): void {
    for (const { numbers, visit } of this.numbered) numbers[visit] = 0;
  }
  show(): void {
    for (const { numbers, visit, session } of this.numbered) numbers[visit] = session;
  }

  /** Learns the numbers of young sessions that are known; returns their visits that are in no known session. */
  private findBelow(
    below: readonly Segment[],
    keys: SessionKeyTable,
    numberOf: Uint32Array,
  ): FoundVisit[] {
    const found: FoundVisit[] = [];
    const wanted = new WantedKeys(keys);
    for (const segment of below) {
      this.workspace.check();
      wanted.matchVisits(segment, (visit, key) => {
        const n = this.sessions.of.get(segment.id)?.[visit] ?? 0;
        if (n === 0) found.push({ segment, visit, key });
        else numberOf[key] = n;
      });
    }
    return found;
  }

  /** A visit of a segment outside the window, of a session that only young events bring inside. */
  private takeBelow(segment: Segment, visit: number, n: number): void {
    const { sessions } = this;
    let numbers = sessions.of.get(segment.id);
    if (numbers === undefined) {
      numbers = new Uint32Array(segment.visitCount);
      sessions.of.set(segment.id, numbers);
      sessions.segmentIds.push(segment.id);
      this.addedSegments.push(segment.id);
    }
    numbers[visit] = n;
    this.numbered.push({ numbers, segmentId: segment.id, visit, session: n });
  }

  /** Makes the table what it was before. */
  revert(): void {
    const { sessions } = this;
    for (const restore of this.saved.values()) restore();
    this.hide();
    for (const id of this.addedSegments) sessions.of.delete(id);
    sessions.count = this.countBelow;
    sessions.segmentIds.length = this.segmentsBelow;
  }
}
