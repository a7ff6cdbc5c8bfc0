import type { Segment } from "../../segment/segment";
import type { Workspace } from "../workspace";
import type { JudgedSessions, SessionSource } from "./judged-sessions";
import { KeyTable, keysOf, WantedKeys } from "./session-key-table";
import type { SessionRow } from "./session-table";

/** Of an object of eight fields, some of them doubles, and its place in the map; and of one of two. */
const savedBytes = 240;
const numberedBytes = 48;

/** A visit of a segment below whose session began to matter with the young ones. */
interface FoundVisit {
  readonly segment: Segment;
  readonly visit: number;
  readonly key: number;
}

/**
 * What some young segments add to the sessions of those below: of the settled ones of the table, and of the young ones
 * of lower layers. It can be reverted. Cost: one look at the key of every visit of the segments below that may
 * share sessions with the young ones, and the young visits themselves.
 */
export class SessionLayer {
  private readonly countBelow: number;
  private readonly segmentsBelow: number;
  /** What sessions below were before the layer touched them. */
  private readonly saved = new Map<number, SessionRow>();
  private readonly numbered: { readonly numbers: Uint32Array; readonly visit: number }[] = [];
  private readonly addedSegments: number[] = [];

  constructor(
    private readonly sessions: JudgedSessions,
    private readonly workspace: Workspace,
  ) {
    this.countBelow = sessions.count;
    this.segmentsBelow = sessions.segmentIds.length;
  }

  /** The sessions below that it changes. */
  get changed(): Iterable<number> {
    return this.saved.keys();
  }

  /** Roughly the bytes that are kept to revert it. */
  get bytes(): number {
    return savedBytes * this.saved.size + numberedBytes * this.numbered.length;
  }

  /** `below` are those of the segments below that may hold sessions of the young ones. */
  apply({ inside, others }: SessionSource, below: readonly Segment[]): void {
    const { sessions } = this;
    const keys = new KeyTable();
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
      const add = sessions.adder(segment);
      numbers.forEach((n, visit) => {
        if (n === 0) return;
        this.save(n);
        add(n, visit);
      });
    }
  }

  /** Learns the numbers of young sessions that are known; returns their visits that are in no known session. */
  private findBelow(
    below: readonly Segment[],
    keys: KeyTable,
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
    this.numbered.push({ numbers, visit });
    this.save(n);
    sessions.adder(segment)(n, visit);
  }

  private save(n: number): void {
    if (n > this.countBelow || this.saved.has(n)) return;
    this.saved.set(n, this.sessions.save(n));
  }

  /** Makes the table what it was before. */
  revert(): void {
    const { sessions } = this;
    for (const [n, row] of this.saved) sessions.restore(n, row);
    for (const { numbers, visit } of this.numbered) numbers[visit] = 0;
    for (const id of this.addedSegments) sessions.of.delete(id);
    sessions.count = this.countBelow;
    sessions.segmentIds.length = this.segmentsBelow;
  }
}
