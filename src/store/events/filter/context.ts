import type { Database } from "bun:sqlite";
import type { Goal } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import type { ByteBoundedCache } from "../../../lib/cache";
import { Identity } from "../scan/identity";
import { type Marks, Selection } from "../scan/selection";
import type { Keep } from "../segment/column";
import type { Segment } from "../segment/segment";
import { SegmentReader } from "../segment/segment-reader";
import type { Reached } from "../session/reached";
import { SessionTables } from "../session/session-tables";
import type { Sessions } from "../session/sessions";
import { Budget } from "../sets/budget";
import { SparePlanes } from "../sets/spare-planes";
import type { Workspace } from "../sets/workspace";
import { type Tuning, usualTuning } from "../tuning";

const identitiesMax = 64;

/** The facts about a goal in the sessions of a table. */
interface ReachedGoal {
  readonly sessions: Sessions;
  readonly reached: Reached;
}

/** The view of a share with filters: the segments of another context with only the events that pass. */
export interface Narrowing {
  readonly of: Context;
  /** Identifies the filters. */
  readonly name: string;
  /** Returns the part of a segment that passes, which may be empty. */
  partOf(segment: Segment): Segment;
}

/** The state that vector functions share on one connection: the segments, users and sessions of the current read. */
export class Context implements Workspace {
  private readonly reader: SegmentReader;
  private readonly identities: Map<number, Identity>;
  private readonly retainedFromMs = new Map<number, number>();
  private readonly idsWithin = new Map<number, (window: TimeWindow) => readonly number[]>();
  private readonly itemResults = new Map<object | string, unknown>();
  private readonly reached = new Map<Goal, ReachedGoal>();
  /** The rows that pass, by the text of the filters and the segment's key. */
  private readonly passing = new Map<string, Map<string, Marks>>();
  private passingBytes = 0;
  private readonly opened = new Map<number, Segment>();
  readonly tables: SessionTables;
  readonly budget: Budget;
  private droppedBefore = 0;
  private unpackedBefore = 0;
  /** The own hosts of the project that the read is about (store/port.ts, ReadRequest). */
  ownHosts: readonly string[] = [];
  /** The pool of planes that the counts of a read share. */
  readonly sparePlanes: SparePlanes;

  /**
   * `db` is the connection of the read, within its transaction.
   * `throwIfCancelled` is called at least once a segment, and within segments of many values.
   */
  constructor(
    private readonly db: Database,
    private readonly cache: ByteBoundedCache,
    private readonly throwIfCancelled: () => void,
    readonly tuning: Tuning = usualTuning,
    /** If present, this context serves one read, and shares everything except segments with the other context. */
    private readonly narrowing: Narrowing | null = null,
  ) {
    const whole = narrowing?.of;
    this.budget = whole?.budget ?? new Budget(this.check, tuning);
    this.reader = whole?.reader ?? new SegmentReader(db, cache, tuning);
    this.identities = whole?.identities ?? new Map();
    this.sparePlanes = whole?.sparePlanes ?? new SparePlanes();
    this.ownHosts = whole?.ownHosts ?? [];
    this.tables = new SessionTables(cache, this, narrowing?.name);
  }

  get isNarrowed(): boolean {
    return this.narrowing !== null;
  }
  /** Returns a context with only the events that pass, for the rest of a read. */
  narrowed(narrowing: Omit<Narrowing, "of">): Context {
    const all = { ...narrowing, of: this };
    return new Context(this.db, this.cache, this.throwIfCancelled, this.tuning, all);
  }

  /**
   * Throws if the read was cancelled. If the cache has evicted many columns, it also makes the open segments release
   * theirs. Otherwise the columns of a whole project would be in memory until the end of a question.
   */
  readonly check = (): void => {
    this.narrowing?.of.check();
    this.throwIfCancelled();
    const { unpackedBytes } = this.reader;
    if (this.narrowing === null && unpackedBytes > this.unpackedBefore) {
      this.budget.addGarbage(unpackedBytes - this.unpackedBefore);
      this.unpackedBefore = unpackedBytes;
      this.budget.collectIfDue();
    }
    if (this.cache.droppedBytes - this.droppedBefore < this.tuning.droppedBytesMax) return;
    const droppedBefore = this.droppedBefore;
    this.droppedBefore = this.cache.droppedBytes;
    for (const segment of this.opened.values()) segment.release();
    if (this.narrowing !== null) return;
    this.budget.addGarbage(this.droppedBefore - droppedBefore);
    this.budget.collectIfDue();
  };

  /** Sets the facts about a project in the read's snapshot. Call it before the first question about the project. */
  beginProject(
    number: number,
    retainedFromMs: number,
    idsWithin: (window: TimeWindow) => readonly number[],
  ): void {
    this.retainedFromMs.set(number, retainedFromMs);
    this.idsWithin.set(number, idsWithin);
    if (this.narrowing === null) this.identity(number).refresh();
    else this.narrowing.of.beginProject(number, retainedFromMs, idsWithin);
  }
  /** Releases the segments of a question, which would keep columns in memory beyond the limit of the cache. */
  endQuestion(cachedBytes = 0): void {
    this.opened.clear();
    this.reached.clear();
    const bytes = cachedBytes + this.tables.endQuestion();
    if (this.narrowing === null) this.budget.endQuestion(bytes);
    else this.narrowing.of.endQuestion(bytes);
  }
  endRead(): void {
    this.ownHosts = [];
    this.retainedFromMs.clear();
    this.idsWithin.clear();
    this.itemResults.clear();
    this.passing.clear();
    this.passingBytes = 0;
    this.reader.clearInfos();
    this.sparePlanes.clear();
    this.tables.endRead();
    if (this.identities.size > identitiesMax) this.identities.clear();
  }

  segments(ids: readonly number[]): Segment[] {
    this.reader.loadInfos(ids);
    const segments = ids.map(this.open);
    return this.narrowing === null ? segments : segments.filter(({ eventCount }) => eventCount > 0);
  }
  /** Returns the segments of a project that overlap a window. */
  segmentsWithin(project: number, window: TimeWindow): Segment[] {
    return this.segments(this.idsWithin.get(project)?.(window) ?? []);
  }
  /** Returns the sessions of a project that have an event in a window. */
  sessionsWithin(project: number, window: TimeWindow): Sessions | null {
    return this.tables.sessions(this.segmentsWithin(project, allTime), window);
  }
  /** Computes the result of a filter item that depends on other events once for all questions of the read. */
  ofRead<Result>(item: object | string, find: () => Result): Result {
    const cached = this.itemResults.get(item);
    if (cached !== undefined) return cached as Result;
    const result = find();
    this.itemResults.set(item, result);
    return result;
  }
  /** Returns the rows of a segment that pass filters, and stores them for the other questions of the read. */
  rowsPassing(filters: string, segment: Segment, find: () => Selection): Selection {
    const ofFilters = this.passing.get(filters) ?? new Map<string, Marks>();
    const marks = ofFilters.get(segment.key);
    if (marks !== undefined) return Selection.ofMarks(segment, marks);
    const rows = find();
    if (this.passingBytes + rows.byteLength > this.tuning.passingRowsBytesMax) return rows;
    this.passingBytes += rows.byteLength;
    this.passing.set(filters, ofFilters.set(segment.key, rows.marks));
    return rows;
  }
  /** Returns the sessions that reached a goal, and stores them, as a question may need them for each date. */
  sessionsReaching(goal: Goal, sessions: Sessions, find: () => Reached): Reached {
    const stored = this.reached.get(goal);
    if (stored?.sessions === sessions) return stored.reached;
    const reached = find();
    this.reached.set(goal, { sessions, reached });
    return reached;
  }
  readonly open = (id: number): Segment => {
    this.check();
    const opened = this.opened.get(id);
    if (opened !== undefined) return opened;
    const segment =
      this.narrowing === null
        ? this.reader.open(id, this.retainedFrom)
        : this.narrowing.partOf(this.narrowing.of.open(id));
    this.opened.set(id, segment);
    return segment;
  };
  private readonly retainedFrom = (project: number): number =>
    this.retainedFromMs.get(project) ?? 0;

  /** Returns a value that depends only on these segments and the links of users. The cache keeps it for these. */
  cached<T>(
    name: string,
    segments: readonly Segment[],
    bytesOf: (value: T) => number,
    make: () => T,
  ): T {
    if (segments.length === 0) return make();
    const { version } = this.identity(segments[0].projectId);
    const key = `${name} in ${segments.map((one) => one.key).join()} at ${version}`;
    return this.cache.get(key, (value: T) => key.length + bytesOf(value), make);
  }
  /** Returns a text that depends only on these segments and the links of users. */
  cachedText(name: string, segments: readonly Segment[], make: () => string): string {
    return this.cached(name, segments, ({ length }) => 2 * length, make);
  }

  /** Returns a function that caches values computed from some rows, under the key of these rows. */
  keeper(key: string): Keep {
    return (name, bytesOf, make) => this.cache.get(`${key}:${name}`, bytesOf, make);
  }

  /** A secret seed for hash tables whose texts come from outside. */
  get secret(): number {
    return Number(BigInt.asUintN(32, this.reader.seed));
  }

  sessionKeyOf(sessionId: string): readonly [high: number, low: number] {
    return this.reader.sessionKeyOf(sessionId);
  }

  identity(project: number): Identity {
    let identity = this.identities.get(project);
    if (identity === undefined) {
      identity = new Identity(this.db, project);
      this.identities.set(project, identity);
    }
    return identity;
  }
}
