/*
 * Ingestion stops before the disk is full.
 * Decision: below a reserve of free bytes the server stores no events; sign-in, deletion, retention, exports and
 * backups go on with what is left.
 * Because: whoever must make room needs a server that can write a cookie and delete a project.
 * Cost: the reserve holds no events.
 */

import {
  type DiskLevel,
  daysToFullOf,
  diskLevelOf,
  growthPerDay,
  noRoom,
  reserveBytesOf,
} from "../../domain/disk";
import type { ApiError } from "../../domain/errors";
import { dayOf } from "../../domain/event";
import { clock, dayMs, hourMs, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { Control } from "../../store/control/control";
import { settingQueries } from "../../store/control/settings";
import type { DiskRoom } from "../../store/free-bytes";
import { type UsedBytes, usedBytesIn } from "../../store/used-bytes";

interface Parts {
  readonly control: Control;
  readonly dataDir: string;
  /** DISK_RESERVE_MB in bytes; null where the size of the file system decides. */
  readonly reserveBytes: number | null;
  readonly roomIn: (folder: string) => Promise<DiskRoom>;
}

const lookEveryMs = 10 * secondMs;
/** While the disk is full, senders wait for the moment when it is not. */
const lookWhenFullEveryMs = 1 * secondMs;
/** Compaction asks before each round, and may use an answer of this age. */
const freshMs = 1 * secondMs;
/** A setting of control.db: the bytes in use at the start of the last days. */
const startsSetting = "disk_day_starts";
const startsKept = 9;
/** A day counts from its start: a server that starts later does not know how the day began. */
const startMsMax = 1 * hourMs;

/** The figures of the disk at the last look. */
export interface DiskFigures {
  readonly freeBytes: number;
  readonly reserveBytes: number;
  readonly perDayBytes: number | null;
  readonly daysToFull: number | null;
  readonly level: DiskLevel;
}

/** Looks at the disk of the data folder, and refuses what has no room on it. */
export class Disk {
  #figures: DiskFigures = {
    ...{ freeBytes: 0, reserveBytes: 0, perDayBytes: null, daysToFull: null, level: "ok" },
  };
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #used: { readonly atMs: number; readonly bytes: UsedBytes } | null = null;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #settings: ReturnType<typeof settingQueries>;

  constructor(private readonly parts: Parts) {
    this.#settings = settingQueries(parts.control.db);
    this.#timer = setInterval(() => this.#lookIfDue(), lookWhenFullEveryMs);
  }

  get figures(): DiskFigures {
    return this.#figures;
  }
  get isFull(): boolean {
    return this.#figures.level === "full";
  }

  /** Returns the refusal of events while the disk is full. */
  refusal(): ApiError | null {
    return this.isFull ? noRoomForEvents() : null;
  }

  /** Throws UNAVAILABLE while the disk has no room for something large that can wait. */
  refuseUnlessRoom(what: "recordings" | "imports" | "archives"): void {
    const { level } = this.#figures;
    if (level !== "tight" && level !== "full") return;
    throw noRoom(
      `The disk of the server is nearly full, so it takes no new ${what}. Try again later, or ask the operator to ` +
        "make room.",
    );
  }

  /** Looks at the free bytes. A look that fails leaves what the last one found. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Tells whether a compaction may take bytes now, which it gives back later. */
  async mayCompact(): Promise<boolean> {
    if (performance.now() - this.#lookedAtMs > freshMs) await this.look();
    return !this.isFull;
  }

  /** The bytes of the parts of the data folder, as of now or of this long ago at most. */
  async usedBytes(goodForMs = 0): Promise<UsedBytes> {
    const nowMs = performance.now();
    if (this.#used === null || nowMs - this.#used.atMs >= goodForMs) {
      this.#used = { atMs: nowMs, bytes: await usedBytesIn(this.parts.dataDir) };
    }
    return this.#used.bytes;
  }

  /** Notes how much is in use at the start of a day. */
  async noteDay(nowMs: number): Promise<void> {
    const today = dayOf(nowMs);
    const starts = this.#starts();
    if (starts.has(today) || nowMs - today * dayMs > startMsMax) return;
    const { logs: _, ...parts } = await this.usedBytes();
    starts.set(
      today,
      Object.values(parts).reduce((sum, bytes) => sum + bytes, 0),
    );
    const kept = [...starts].filter(([day]) => day > today - startsKept && day <= today);
    this.parts.control.write(() => this.#settings.put(startsSetting, JSON.stringify(kept)));
    await this.look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #lookIfDue(): void {
    const isDue = performance.now() - this.#triedAtMs >= lookEveryMs;
    if (isDue || this.isFull) void this.look();
  }

  async #look(): Promise<void> {
    const { dataDir, roomIn, reserveBytes: configured } = this.parts;
    this.#triedAtMs = performance.now();
    try {
      const { freeBytes, totalBytes } = await roomIn(dataDir);
      this.#lookedAtMs = performance.now();
      const reserveBytes = reserveBytesOf(totalBytes, configured);
      const perDayBytes = growthPerDay(this.#starts(), dayOf(clock.nowMs()));
      const daysToFull = daysToFullOf({ freeBytes, reserveBytes }, perDayBytes);
      const { level: before } = this.#figures;
      const level = diskLevelOf({ freeBytes, reserveBytes, daysToFull }, before);
      this.#figures = { freeBytes, reserveBytes, perDayBytes, daysToFull, level };
      if (level === before) return;
      log(level === "ok" ? "info" : "warn", "the level of the disk changed", {
        to: level,
        freeBytes,
      });
    } catch (error) {
      log("error", "could not look at the disk", describeFault(error));
    }
  }

  #starts(): Map<number, number> {
    const text = this.#settings.read(startsSetting);
    const starts: readonly [number, number][] = text === undefined ? [] : JSON.parse(text);
    return new Map(starts);
  }
}

const noRoomForEvents = (): ApiError =>
  noRoom(
    "The disk of the server is full, so it stores no events. Send them again after Retry-After. The operator has to " +
      "make room.",
  );
