/*
 * While events arrive, the engine extends a cached table of sessions.
 * Decision: the cache keeps the table of settled segments. A second table extends it by the young segments, and is
 * valid until the next event arrives. When young segments settle, a table that includes them replaces the first one.
 * Because: every commit made a new table (60 MB and 100 ms at 10M events). Several layers of young segments over one
 * table, each of which could be undone, took 500 lines more and made no slow read much faster.
 * Cost: after each commit a read processes all young segments again, and some facts are in memory twice.
 * Revisit: if young segments become so few that a table can be made for them each time.
 */

import { dayOf } from "../../../domain/event";
import type { TimeWindow } from "../../../domain/time-window";
import type { ByteBoundedCache } from "../../../lib/cache";
import { dayMs } from "../../../lib/clock";
import type { Segment } from "../segment/segment";
import { CurrentWorkspace, type Workspace } from "../sets/workspace";
import type { Tuning } from "../tuning";
import { extendNumbers, numberSessions, type SessionSource } from "./session-numbers";
import { mayShareWith } from "./session-overlap";
import { Sessions } from "./sessions";

/** The tables of sessions that the reads of a connection share. */
export class SessionTables {
  /** The tables that the current question uses, by their keys in the cache, and their bytes before it. */
  private readonly used = new Map<string, { table: Sized; bytesBefore: number }>();
  /** By project, the lists of windows for which this read has used a table. */
  private readonly windowsUsed = new Map<number, (readonly TimeWindow[])[]>();

  constructor(
    private readonly cache: ByteBoundedCache,
    private readonly workspace: Workspace,
    /** Begins the names of these tables in the cache. The tables of a share have other events. */
    private readonly prefix = "",
  ) {}

  /**
   * Puts the tables into the cache again, because they have grown, and the cache may have evicted them while the
   * question read columns. Returns the bytes by which they have grown.
   */
  endQuestion(): number {
    let bytes = 0;
    for (const [key, { table, bytesBefore }] of this.used) {
      bytes += Math.max(0, table.bytes - bytesBefore);
      this.cache.put(key, table, table.bytes);
    }
    this.used.clear();
    return bytes;
  }

  endRead(): void {
    this.windowsUsed.clear();
  }

  /** Returns the sessions of these segments of one project. Their facts follow from these segments alone. */
  within(segments: readonly Segment[]): Sessions {
    if (segments.length === 0) return new Sessions(noNumbers, this.workspace);
    const { settled, young, newestDay } = byAge(segments, this.workspace.tuning);
    const past = settled.filter(({ lastTime }) => dayOf(lastTime) < newestDay);
    const key = `session numbers of ${segments[0].projectId} until ${newestDay}: ${past.map(({ key }) => key).join()}`;
    const tables = this.cached(key, () => new CachedTables());
    const ofAll = (inside: readonly Segment[]): SessionSource => ({ inside, others: [] });
    return tables.of(ofAll(settled), ofAll(young), this.workspace);
  }

  /**
   * Returns a table that has these sessions and perhaps others, for a caller that starts from the visits of a window.
   * So the questions of one read about a period, the period before it and both together share a table.
   */
  sessionsOfAtLeast(all: readonly Segment[], ...windows: readonly TimeWindow[]): Sessions | null {
    if (all.length === 0) return null;
    const used = this.windowsUsed.get(all[0].projectId) ?? [];
    const wide = used.find((others) =>
      windows.every((one) => others.some((other) => isInside(one, other))),
    );
    if (wide === undefined) this.windowsUsed.set(all[0].projectId, [...used, windows]);
    return this.sessions(all, ...(wide ?? windows));
  }

  /**
   * Returns the sessions with an event in the segments that overlap a window. Their facts follow from all segments of
   * the project. The window grows to whole dates of UTC, like those of segments, so that several zones share a table.
   */
  sessions(all: readonly Segment[], ...requested: readonly TimeWindow[]): Sessions | null {
    if (all.length === 0) return null;
    const windows = requested.map(({ fromMs, toMs }) => ({
      fromMs: startOfDay(fromMs),
      toMs: startOfDay(toMs - 1) + dayMs,
    }));
    const isInWindows = ({ firstTime, lastTime }: Segment): boolean =>
      windows.some(({ fromMs, toMs }) => lastTime >= fromMs && firstTime < toMs);
    const sourceOf = (segments: readonly Segment[]): SessionSource => ({
      inside: segments.filter(isInWindows),
      others: segments.filter((segment) => !isInWindows(segment)),
    });
    const { settled, young, newestDay } = byAge(all, this.workspace.tuning);
    // All windows that begin before the first day, or end after the newest, select the same segments.
    const firstMs = startOfDay(
      all.reduce((first, { firstTime }) => Math.min(first, firstTime), Number.POSITIVE_INFINITY),
    );
    const clipped = windows.map(({ fromMs, toMs }) => {
      const from = Math.max(fromMs, Math.min(firstMs, toMs));
      return `${from} to ${Math.min(toMs, (newestDay + 1) * dayMs)}`;
    });
    const key = `sessions of ${all[0].projectId} in ${clipped.join(" and ")}`;
    const tables = this.cached(key, () => new CachedTables());
    return tables.of(sourceOf(settled), sourceOf(young), this.workspace);
  }

  /** Returns a value of the cache. A question of many dates computes it once, even if the cache is full. */
  private cached<T extends Sized>(key: string, make: () => T): T {
    const name = this.prefix + key;
    const inUse = this.used.get(name);
    if (inUse !== undefined) return inUse.table as T;
    const sizeOf = ({ bytes }: T): number => bytes;
    const table = this.cache.get(name, sizeOf, make);
    this.used.set(name, { table, bytesBefore: table.bytes });
    return table;
  }
}

interface Sized {
  readonly bytes: number;
}

const isInside = (one: TimeWindow, other: TimeWindow): boolean =>
  one.fromMs >= other.fromMs && one.toMs <= other.toMs;
const startOfDay = (timeMs: number): number => dayOf(timeMs) * dayMs;

const noNumbers = { count: 0, of: new Map<number, never>(), bytes: 0, areAllInSessions: true };

/** The table of settled segments, and the one that extends it by the young segments of the latest read. */
export class CachedTables {
  private settled: Sessions | null = null;
  private extended: Sessions | null = null;
  private workspace: CurrentWorkspace | null = null;
  /** The keys of all segments that were settled at the latest call. */
  private known: ReadonlySet<string> = new Set();
  /** The segments whose sessions the table has. */
  private readonly used = new Set<string>();
  /** The young segments of the extended table. */
  private youngKeys = "";

  get bytes(): number {
    const { settled, extended } = this;
    return (settled?.bytes ?? 0) + (extended === settled ? 0 : (extended?.bytes ?? 0));
  }
  /** The table of the latest call. */
  get table(): Sessions | null {
    return this.extended;
  }
  of(settled: SessionSource, young: SessionSource, ofRead: Workspace): Sessions {
    this.workspace ??= new CurrentWorkspace(ofRead);
    this.workspace.current = ofRead;
    const table = this.bringUpTo(settled, this.workspace);
    const keys = [...young.inside, ...young.others].map(({ key }) => key).join();
    if (this.extended === null || keys !== this.youngKeys) {
      const all = [...settled.inside, ...settled.others];
      // The previous table has the same memory. It is dropped first, because making the next one may fail.
      this.extended = null;
      table.takeBack();
      this.extended = extended(table, young, all, this.workspace);
      this.youngKeys = keys;
    }
    return this.extended;
  }

  private bringUpTo({ inside, others }: SessionSource, workspace: Workspace): Sessions {
    const all = [...inside, ...others];
    const isKnown = ({ key }: Segment): boolean => this.known.has(key);
    const isFresh = (segment: Segment): boolean => !isKnown(segment);
    const fresh = {
      inside: inside.filter(isFresh),
      others: mayShareWith(inside, others.filter(isFresh)),
    };
    const added = [...fresh.inside, ...fresh.others];
    const isSame = all.length === this.known.size && all.every(isKnown);
    if (this.settled !== null && isSame) return this.settled;
    this.extended = null;
    this.settled?.takeBack();
    if (this.settled === null || !this.isStillTrueOf(all) || areMany(added, workspace.tuning)) {
      const beside = mayShareWith(inside, others);
      this.settled = new Sessions(numberSessions(inside, beside, workspace.budget), workspace);
      this.used.clear();
      this.use([...inside, ...beside]);
    } else if (added.length > 0) {
      const before = all.filter(isKnown);
      const table = extended(this.settled, fresh, before, workspace);
      if (table !== this.settled) table.settle();
      this.settled = table;
      this.use([...added, ...mayShareWith(added, before)]);
    }
    this.known = new Set(all.map(({ key }) => key));
    return this.settled;
  }

  /** Tells whether all segments of the table are still there. */
  private isStillTrueOf(settled: readonly Segment[]): boolean {
    const present = new Set(settled.map(({ key }) => key));
    return this.used.values().every((key) => present.has(key));
  }
  private use(segments: readonly Segment[]): void {
    for (const { key } of segments) this.used.add(key);
  }
}

/** Returns the table that extends another by some segments; the other one if they change nothing. */
function extended(
  base: Sessions,
  source: SessionSource,
  below: readonly Segment[],
  workspace: Workspace,
): Sessions {
  const segments = [...source.inside, ...source.others];
  const extension = extendNumbers(base, source, mayShareWith(segments, below), workspace.check);
  return extension === null
    ? base
    : new Sessions(extension.numbers, workspace, { ...extension, base });
}

const areMany = (fresh: readonly Segment[], { absorbedEventsMax }: Tuning): boolean =>
  fresh.reduce((sum, { eventCount }) => sum + eventCount, 0) > absorbedEventsMax;

interface Ages {
  /** No merge will replace these soon. */
  readonly settled: readonly Segment[];
  /** Merges will replace these soon. */
  readonly young: readonly Segment[];
  readonly newestDay: number;
}

function byAge(segments: readonly Segment[], { settledEventsMin }: Tuning): Ages {
  const newestDay = dayOf(segments.reduce((last, { lastTime }) => Math.max(last, lastTime), 0));
  const isSettled = ({ info }: Segment): boolean =>
    info.encoding === "columns" &&
    (info.eventCount >= settledEventsMin || dayOf(info.lastTime) < newestDay);
  return {
    settled: segments.filter(isSettled),
    young: segments.filter((segment) => !isSettled(segment)),
    newestDay,
  };
}
