/*
 * Young sessions are layers over a kept table.
 * Decision: the session table of settled segments is kept; it absorbs segments that settle; young ones are applied to
 * it in layers, the ones that stay longest lowest, and only what has changed is reverted and applied again.
 * Because: every commit made a new table (60 MB and 100 ms at 10M events), later every segment that settled did; and
 * with one layer a read applied up to 40,000 events again for the twenty that had come (6 ms of 20, now 2).
 * Cost: a mutable table, an undo list per layer, and rules on when a layer is still true (session-layers.ts).
 * Revisit: if young segments become so few that a table can be made for them each time.
 */

import { dayOf } from "../../../../domain/event";
import type { TimeWindow } from "../../../../domain/time-window";
import type { ByteBoundedCache } from "../../../../lib/cache";
import { dayMs } from "../../../../lib/clock";
import type { Segment } from "../../segment/segment";
import type { Tuning } from "../../tuning";
import type { Budget } from "../budget";
import { CurrentWorkspace, type Workspace } from "../workspace";
import type { SessionSource } from "./judged-sessions";
import { numberSessions, type SessionNumbers, withYoung } from "./session-numbers";
import { mayShareWith } from "./session-overlap";
import { Sessions } from "./sessions";
import { type SeveralBySegment, severalBySegment } from "./several-by-segment";

/**
 * The tables of sessions that the reads of a connection share. A table is made for settled segments and kept. Segments
 * that settle later are absorbed, and young ones are applied as layers: so a new table is made when days pass or
 * settled segments are merged, and not whenever events come in.
 */
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

  /** Numbers for the sessions of these segments of one project. */
  numbers(segments: readonly Segment[]): SessionNumbers {
    return this.numbered(segments)?.numbers ?? noNumbers;
  }
  /** Those of the sessions that have several visits in these segments. */
  severalVisits(segments: readonly Segment[]): SeveralBySegment {
    const { budget } = this.workspace;
    return this.numbered(segments)?.severalVisits(budget) ?? severalBySegment(noNumbers, budget);
  }
  private numbered(segments: readonly Segment[]): Numbered | null {
    if (segments.length === 0) return null;
    const { settled, young, newestDay } = byAge(segments, this.workspace.tuning);
    const past = settled.filter(({ lastTime }) => dayOf(lastTime) < newestDay);
    const key = `session numbers of ${segments[0].projectId} until ${newestDay}: ${past.map(({ key }) => key).join()}`;
    const kept = this.kept(key, () => new KeptNumbers());
    kept.bringUpTo(settled, this.workspace.budget);
    return kept.with(young, settled, this.workspace.check);
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
    const sessions = kept.bringUpTo(sourceOf(settled), this.workspace);
    sessions.apply(sourceOf(young), settled);
    return sessions;
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

const noNumbers: SessionNumbers = { count: 0, of: new Map(), bytes: 0, areAllInSessions: true };

/** Numbers of sessions, and which of these have several visits, once that was asked. */
class Numbered {
  private several: SeveralBySegment | null = null;

  constructor(readonly numbers: SessionNumbers) {}

  get bytes(): number {
    return this.numbers.bytes + (this.several?.bytes ?? 0);
  }
  severalVisits(budget: Budget): SeveralBySegment {
    this.several ??= severalBySegment(this.numbers, budget);
    return this.several;
  }
}

class KeptNumbers {
  private numbers = noNumbers;
  private known: ReadonlySet<string> = new Set();
  /** Those of young segments too, which are the same until an event comes in. */
  private all: { readonly keys: string; readonly numbered: Numbered } | null = null;

  get bytes(): number {
    return this.all?.numbered.bytes ?? this.numbers.bytes;
  }
  with(young: readonly Segment[], settled: readonly Segment[], check: () => void): Numbered {
    const keys = young.map(({ key }) => key).join();
    if (this.all?.keys !== keys) {
      const numbers = withYoung(this.numbers, mayShareWith(young, settled), young, check);
      this.all = { keys, numbered: new Numbered(numbers) };
    }
    return this.all.numbered;
  }
  bringUpTo(settled: readonly Segment[], budget: Budget): void {
    const before = settled.filter(({ key }) => this.known.has(key));
    const fresh = settled.filter(({ key }) => !this.known.has(key));
    // Numbers of segments that are gone would add up.
    const isWhole = before.length === this.known.size && before.length > 0;
    if (before.length === this.known.size && fresh.length === 0) return;
    this.all = null;
    if (!isWhole || areMany(fresh, budget.tuning))
      this.numbers = numberSessions(settled, [], budget);
    else this.numbers = withYoung(this.numbers, mayShareWith(fresh, before), fresh, budget.check);
    this.known = new Set(settled.map(({ key }) => key));
  }
}

export class KeptSessions {
  table: Sessions | null = null;
  private workspace: CurrentWorkspace | null = null;
  /** All that were settled then. */
  private known: ReadonlySet<string> = new Set();
  /** The segments whose sessions the table has. */
  private readonly used = new Set<string>();

  get bytes(): number {
    return this.table?.bytes ?? 0;
  }
  bringUpTo(settled: SessionSource, ofRead: Workspace): Sessions {
    this.workspace ??= new CurrentWorkspace(ofRead);
    const { workspace } = this;
    workspace.current = ofRead;
    const { inside, others } = settled;
    const all = [...inside, ...others];
    const isKnown = ({ key }: Segment): boolean => this.known.has(key);
    const isFresh = (segment: Segment): boolean => !isKnown(segment);
    const fresh = {
      inside: inside.filter(isFresh),
      others: mayShareWith(inside, others.filter(isFresh)),
    };
    const added = [...fresh.inside, ...fresh.others];
    if (this.table === null || !this.isStillTrueOf(all) || areMany(added, workspace.tuning)) {
      const source = { inside, others: mayShareWith(inside, others) };
      this.table = new Sessions(source, workspace);
      this.used.clear();
      this.use([...source.inside, ...source.others]);
    } else if (all.some(isFresh)) {
      const before = all.filter(isKnown);
      this.table.absorb(fresh, before);
      this.use([...added, ...mayShareWith(added, before)]);
    }
    this.known = new Set(all.map(({ key }) => key));
    return this.table;
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
