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
  /** What the statement uses, by its key in the cache, and how large that was before. */
  private readonly used = new Map<string, { table: Sized; bytesBefore: number }>();
  /** What the read has asked for, by project. */
  private readonly asked = new Map<number, (readonly TimeWindow[])[]>();

  constructor(
    private readonly cache: ByteBoundedCache,
    private readonly workspace: Workspace,
    /** Tells tables of some of the events from those of all. */
    private readonly seen = "",
  ) {}

  /**
   * Tables grow after they were put into the cache, and what was read for them may have displaced them there. Returns
   * how much was made for them and is kept.
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
    this.asked.clear();
  }

  /** The sessions of these segments of one project, judged on these segments alone. */
  within(segments: readonly Segment[]): Sessions {
    if (segments.length === 0) return new Sessions(noNumbers, this.workspace);
    const { settled, young, newestDay } = byAge(segments, this.workspace.tuning);
    const past = settled.filter(({ lastTime }) => dayOf(lastTime) < newestDay);
    const key = `session numbers of ${segments[0].projectId} until ${newestDay}: ${past.map(({ key }) => key).join()}`;
    const kept = this.kept(key, () => new KeptSessions());
    const ofAll = (inside: readonly Segment[]): SessionSource => ({ inside, others: [] });
    return kept.of(ofAll(settled), ofAll(young), this.workspace);
  }

  /**
   * These sessions and perhaps others, for a caller that looks at visits of a window and what is known of their
   * sessions: one read's questions about a period, the one before and both then share a table.
   */
  sessionsOfAtLeast(all: readonly Segment[], ...windows: readonly TimeWindow[]): Sessions | null {
    if (all.length === 0) return null;
    const asked = this.asked.get(all[0].projectId) ?? [];
    const wide = asked.find((others) =>
      windows.every((one) => others.some((other) => isInside(one, other))),
    );
    if (wide === undefined) this.asked.set(all[0].projectId, [...asked, windows]);
    return this.sessions(all, ...(wide ?? windows));
  }

  /**
   * Sessions with an event in the segments that overlap a window, judged on all segments of the project. Its dates of
   * UTC are taken whole, as segments have them, so that the dates of several zones share a table.
   */
  sessions(all: readonly Segment[], ...asked: readonly TimeWindow[]): Sessions | null {
    if (all.length === 0) return null;
    const windows = asked.map(({ fromMs, toMs }) => ({
      fromMs: startOfDay(fromMs),
      toMs: startOfDay(toMs - 1) + dayMs,
    }));
    const isAsked = ({ firstTime, lastTime }: Segment): boolean =>
      windows.some(({ fromMs, toMs }) => lastTime >= fromMs && firstTime < toMs);
    const sourceOf = (segments: readonly Segment[]): SessionSource => ({
      inside: segments.filter(isAsked),
      others: segments.filter((segment) => !isAsked(segment)),
    });
    const { settled, young, newestDay } = byAge(all, this.workspace.tuning);
    // Outside the first and the newest day a window may end anywhere.
    const firstMs = startOfDay(
      all.reduce((first, { firstTime }) => Math.min(first, firstTime), Number.POSITIVE_INFINITY),
    );
    const known = windows.map(({ fromMs, toMs }) => {
      const from = Math.max(fromMs, Math.min(firstMs, toMs));
      return `${from} to ${Math.min(toMs, (newestDay + 1) * dayMs)}`;
    });
    const key = `sessions of ${all[0].projectId} in ${known.join(" and ")}`;
    const kept = this.kept(key, () => new KeptSessions());
    return kept.of(sourceOf(settled), sourceOf(young), this.workspace);
  }

  /** A question of many dates asks for the same table again and again: it is made once, even if the cache is full. */
  private kept<T extends Sized>(key: string, make: () => T): T {
    const name = this.seen + key;
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
export class KeptSessions {
  private settled: Sessions | null = null;
  private extended: Sessions | null = null;
  private workspace: CurrentWorkspace | null = null;
  /** All that were settled then. */
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
  /** They stay for long. */
  readonly settled: readonly Segment[];
  /** They are merged into others soon. */
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
