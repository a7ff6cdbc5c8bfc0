import type { Database } from "bun:sqlite";
import type { TimeWindow } from "../../../domain/period";
import type { ByteBoundedCache } from "../../../lib/cache";
import { SegmentReader } from "../segment/reader";
import type { Segment } from "../segment/segment";
import { Identity } from "./identity";
import { numberSessions, type SessionNumbers } from "./session-numbers";
import { Sessions } from "./sessions";

const identitiesMax = 64;

/** What the functions of one connection share: segments, users and sessions as the current read sees them. */
export class Context {
  private readonly reader: SegmentReader;
  private readonly identities = new Map<number, Identity>();
  private readonly retainedFromMs = new Map<number, number>();
  private readonly opened = new Map<number, Segment>();

  /**
   * `columns` is a second connection: a function cannot use the one whose statement called it.
   * `check` throws when the read has been cancelled; it is called at least once a segment.
   */
  constructor(
    private readonly columns: Database,
    private readonly cache: ByteBoundedCache,
    readonly check: () => void,
  ) {
    this.reader = new SegmentReader(columns, cache);
  }

  /** Before a read's statements about a project: what is true of it within the read's snapshot. */
  beginProject(snapshot: Database, number: number, retainedFromMs: number): void {
    this.retainedFromMs.set(number, retainedFromMs);
    this.identity(number).refresh(snapshot);
  }
  /** After a statement: lets go of its views of segments, which would pin columns beyond the cache's bound. */
  endStatement(): void {
    this.opened.clear();
  }
  endRead(): void {
    this.retainedFromMs.clear();
    if (this.identities.size > identitiesMax) this.identities.clear();
  }

  /** A segment set is a JSON array of segment ids. */
  segments(set: string): Segment[] {
    return (JSON.parse(set) as number[]).map(this.open);
  }
  readonly open = (id: number): Segment => {
    this.check();
    const known = this.opened.get(id);
    if (known !== undefined) return known;
    const segment = this.reader.open(id, this.retainedFrom);
    this.opened.set(id, segment);
    return segment;
  };
  private readonly retainedFrom = (project: number): number =>
    this.retainedFromMs.get(project) ?? 0;

  sessionKeyOf(sessionId: string): readonly [high: number, low: number] {
    return this.reader.sessionKeyOf(sessionId);
  }

  identity(project: number): Identity {
    let identity = this.identities.get(project);
    if (identity === undefined) {
      identity = new Identity(this.columns, project);
      this.identities.set(project, identity);
    }
    return identity;
  }

  /** Numbers for the sessions of these segments. Cached. */
  numberSessions(segments: readonly Segment[]): SessionNumbers {
    return this.cache.get(
      `session numbers of ${keyOf(segments)}`,
      (numbers) => numbers.bytes,
      () => numberSessions(segments, [], this.check),
    );
  }
  /** Sessions with an event in the segments that overlap the window, judged on all segments of the project. Cached. */
  sessions(all: readonly Segment[], { fromMs, toMs }: TimeWindow): Sessions | null {
    if (all.length === 0) return null;
    const isInside = (segment: Segment): boolean =>
      segment.lastTime >= fromMs && segment.firstTime < toMs;
    const inside = all.filter(isInside);
    const others = all.filter((segment) => !isInside(segment));
    return this.cache.get(
      `sessions of ${keyOf(inside)} and ${keyOf(others)}`,
      (sessions) => sessions.bytes,
      () => new Sessions(inside, others, this),
    );
  }
}

const keyOf = (segments: readonly Segment[]): string => segments.map(({ key }) => key).join();
