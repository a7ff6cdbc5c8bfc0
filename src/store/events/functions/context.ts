import type { Database } from "bun:sqlite";
import { dayOf } from "../../../domain/event";
import type { TimeWindow } from "../../../domain/period";
import type { ByteBoundedCache } from "../../../lib/cache";
import { SegmentReader } from "../segment/reader";
import type { Segment } from "../segment/segment";
import { SparePlane } from "./distinct";
import { Identity } from "./identity";
import { mayShareWith } from "./related";
import { numberSessions, type SessionNumbers, withYoung } from "./session-numbers";
import { type SessionSource, Sessions } from "./sessions";

const identitiesMax = 64;
/** Smaller segments of the newest day will soon be merged into others. */
const settledEventsMin = 8_192;

/** What the functions of one connection share: segments, users and sessions as the current read sees them. */
export class Context {
  private readonly reader: SegmentReader;
  private readonly identities = new Map<number, Identity>();
  private readonly retainedFromMs = new Map<number, number>();
  private readonly opened = new Map<number, Segment>();
  /** The tables of sessions that the statement uses, by their keys in the cache. */
  private readonly tables = new Map<string, Sessions>();
  /** Shared by the countings of a read. */
  readonly sparePlane = new SparePlane();

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
    // Young sessions and pages came to them after they were put into the cache.
    for (const [key, sessions] of this.tables) this.cache.weigh(key, sessions.bytes);
    this.tables.clear();
  }
  endRead(): void {
    this.retainedFromMs.clear();
    this.reader.forgetInfos();
    this.sparePlane.letGo();
    if (this.identities.size > identitiesMax) this.identities.clear();
  }

  /** A segment set is a JSON array of segment ids. */
  segments(set: string): Segment[] {
    const ids = JSON.parse(set) as number[];
    this.reader.learn(ids);
    return ids.map(this.open);
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

  /** Numbers for the sessions of these segments. Those of the settled ones are cached. */
  numberSessions(segments: readonly Segment[]): SessionNumbers {
    const { settled, young } = byAge(segments);
    const numbers = this.cache.get(
      `session numbers of ${keyOf(settled)}`,
      ({ bytes }) => bytes,
      () => numberSessions(settled, [], this.check),
    );
    return withYoung(numbers, mayShareWith(young, settled), young, this.check);
  }
  /**
   * Sessions with an event in the segments that overlap the window, judged on all segments of the project. The table of
   * settled segments is cached; young ones are laid over it.
   */
  sessions(all: readonly Segment[], { fromMs, toMs }: TimeWindow): Sessions | null {
    if (all.length === 0) return null;
    const isInside = (segment: Segment): boolean =>
      segment.lastTime >= fromMs && segment.firstTime < toMs;
    const sourceOf = (segments: readonly Segment[]): SessionSource => ({
      inside: segments.filter(isInside),
      others: segments.filter((segment) => !isInside(segment)),
    });
    const ages = byAge(all);
    const source = sourceOf(ages.settled);
    const settled = { ...source, others: mayShareWith(source.inside, source.others) };
    const key = `sessions of ${all[0].projectId}: ${keyOf(settled.inside)} and ${keyOf(settled.others)}`;
    const sessions = this.cache.get(
      key,
      ({ bytes }) => bytes,
      () => new Sessions(settled, this),
    );
    this.tables.set(key, sessions);
    sessions.layOver(sourceOf(ages.young), mayShareWith(ages.young, ages.settled));
    return sessions;
  }
}

/** Settled segments stay for long; young ones are merged into others soon. */
function byAge(segments: readonly Segment[]): Readonly<Record<"settled" | "young", Segment[]>> {
  const newestDay = dayOf(segments.reduce((last, { lastTime }) => Math.max(last, lastTime), 0));
  const isSettled = ({ info }: Segment): boolean =>
    info.encoding === "columns" &&
    (info.eventCount >= settledEventsMin || dayOf(info.lastTime) < newestDay);
  return {
    settled: segments.filter(isSettled),
    young: segments.filter((segment) => !isSettled(segment)),
  };
}

const keyOf = (segments: readonly Segment[]): string => segments.map(({ key }) => key).join();
