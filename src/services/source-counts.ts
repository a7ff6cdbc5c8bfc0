import type { ErrorCode } from "../domain/errors";
import { hourMs } from "../lib/clock";

/** What is kept of the last day lies in slots of an hour. */
const slotsKept = 24;
/** Sources of which something is kept; beyond them the one that was silent for the longest time is forgotten. */
const sourcesCountedMax = 20_000;

export interface Refused {
  readonly code: ErrorCode;
  readonly field: string | null;
}
export interface LastRefusal extends Refused {
  readonly atMs: number;
}

export interface SourceCount {
  readonly accepted: number;
  readonly filtered: number;
  readonly unsupported: number;
  readonly refused: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly lastEventAtMs: number | null;
  readonly lastRefusal: LastRefusal | null;
}

/**
 * Counts what came to sources in the last day, item by item. It is kept in memory, hence since the start at most; of an
 * item it keeps a code and the name of a field, and nothing that a visitor wrote.
 */
export class SourceCounts {
  /** In the order of what arrived last. */
  readonly #sources = new Map<string, Counted>();

  addAccepted(sourceId: string, isEvent: boolean, nowMs: number): void {
    const counted = this.#counted(sourceId);
    counted.slot(nowMs).accepted += 1;
    if (isEvent) counted.lastEventAtMs = nowMs;
  }
  addFiltered(sourceId: string, nowMs: number): void {
    this.#counted(sourceId).slot(nowMs).filtered += 1;
  }
  addUnsupported(sourceId: string, nowMs: number): void {
    this.#counted(sourceId).slot(nowMs).unsupported += 1;
  }
  addRefused(sourceId: string, { code, field }: Refused, nowMs: number): void {
    const counted = this.#counted(sourceId);
    const { refused } = counted.slot(nowMs);
    refused.set(code, (refused.get(code) ?? 0) + 1);
    counted.lastRefusal = { code, field, atMs: nowMs };
  }

  of(sourceId: string, nowMs: number): SourceCount {
    const counted = this.#sources.get(sourceId) ?? new Counted();
    const slots = counted.recent(nowMs);
    const refused: Partial<Record<ErrorCode, number>> = {};
    for (const slot of slots) {
      for (const [code, count] of slot.refused) refused[code] = (refused[code] ?? 0) + count;
    }
    return {
      accepted: sumOf(slots, "accepted"),
      filtered: sumOf(slots, "filtered"),
      unsupported: sumOf(slots, "unsupported"),
      refused,
      lastEventAtMs: counted.lastEventAtMs,
      lastRefusal: counted.lastRefusal,
    };
  }

  #counted(sourceId: string): Counted {
    const counted = this.#sources.get(sourceId) ?? new Counted();
    this.#sources.delete(sourceId);
    this.#sources.set(sourceId, counted);
    if (this.#sources.size > sourcesCountedMax) {
      const [silent] = this.#sources.keys();
      if (silent !== undefined) this.#sources.delete(silent);
    }
    return counted;
  }
}

/** The counts of one hour. */
class Slot {
  accepted = 0;
  filtered = 0;
  unsupported = 0;
  readonly refused = new Map<ErrorCode, number>();
}

class Counted {
  lastEventAtMs: number | null = null;
  lastRefusal: LastRefusal | null = null;
  readonly #slots = new Map<number, Slot>();

  slot(nowMs: number): Slot {
    const hour = Math.floor(nowMs / hourMs);
    const known = this.#slots.get(hour);
    if (known !== undefined) return known;
    const made = new Slot();
    this.#slots.set(hour, made);
    for (const old of this.#slots.keys()) if (!isRecent(old, hour)) this.#slots.delete(old);
    return made;
  }

  recent(nowMs: number): readonly Slot[] {
    const hour = Math.floor(nowMs / hourMs);
    return [...this.#slots].filter(([one]) => isRecent(one, hour)).map(([, slot]) => slot);
  }
}

const isRecent = (slot: number, hour: number): boolean => slot > hour - slotsKept && slot <= hour;

const sumOf = (slots: readonly Slot[], of: "accepted" | "filtered" | "unsupported"): number =>
  slots.reduce((sum, slot) => sum + slot[of], 0);
