import { ApiError } from "../domain/errors";
import { dayOf, isoDate } from "../domain/event";
import { monthOf } from "../domain/month";
import { clock, minuteMs, secondMs } from "../lib/clock";
import { log } from "../lib/log";
import type { Control } from "../store/control/control";

const readCountFlushMs = 1 * secondMs;
/** Holders of credentials whose last use is remembered; beyond that all are noted again. */
const rememberedUsesMax = 10_000;

/** Counts that are not written yet: of accounts by month, or of projects by date. */
type Waiting = Map<string, Map<string, number>>;

/** A use of an account's API key, or of an agent session. */
export interface Use {
  readonly kind: "key" | "agent";
  /** The hash of the key, or the id of the session. */
  readonly id: string;
}
type NotedUse = Use & { readonly atMs: number };

/**
 * Counts reads in memory and writes them once a second: a crash may lose the last second, and a full disk never fails
 * a read.
 */
export class ReadCounts {
  readonly #control: Control;
  #month = "";
  /** This month's reads by account, as far as anybody asked; those not yet written included. */
  readonly #known = new Map<string, number>();
  #months: Waiting = new Map();
  #dates: Waiting = new Map();
  readonly #uses = new Map<string, NotedUse>();
  #usesToWrite = new Map<string, NotedUse>();
  #timer: Timer | null = null;
  #isFailing = false;

  constructor(control: Control) {
    this.#control = control;
  }

  ofMonth(accountId: string): number {
    const month = monthOf(clock.nowMs());
    if (month !== this.#month) {
      this.#month = month;
      this.#known.clear();
    }
    const known = this.#known.get(accountId);
    if (known !== undefined) return known;
    const waiting = this.#months.get(accountId)?.get(month) ?? 0;
    const reads = this.#control.readCounts.ofMonth(accountId, month) + waiting;
    this.#known.set(accountId, reads);
    return reads;
  }

  add(accountId: string, projectId: string | null, reads: number): void {
    const nowMs = clock.nowMs();
    this.#known.set(accountId, this.ofMonth(accountId) + reads);
    increment(this.#months, accountId, monthOf(nowMs), reads);
    if (projectId !== null) increment(this.#dates, projectId, isoDate(dayOf(nowMs)), reads);
    this.#flushSoon();
  }

  /** Reads of a project that are not written yet, by date. */
  waitingOf(projectId: string): ReadonlyMap<string, number> {
    return this.#dates.get(projectId) ?? none;
  }

  /** Notes when a credential was last used, to the minute. Only the last use of each `holder` is kept. */
  noteUse(holder: string, { kind, id }: Use): void {
    const atMs = clock.nowMs();
    const last = this.#uses.get(holder);
    if (last?.id === id && atMs - last.atMs < minuteMs) return;
    if (this.#uses.size >= rememberedUsesMax) this.#uses.clear();
    const use = { kind, id, atMs };
    this.#uses.set(holder, use);
    this.#usesToWrite.set(holder, use);
    this.#flushSoon();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [months, dates, uses] = [this.#months, this.#dates, this.#usesToWrite];
    if (months.size + dates.size + uses.size === 0) return;
    const { readCounts, credentials, agents } = this.#control;
    try {
      this.#control.writeSoon(() => {
        each(months, readCounts.addToMonth);
        each(dates, readCounts.addToDate);
        for (const { kind, id, atMs } of uses.values()) {
          if (kind === "key") credentials.noteKeyUse(id, atMs);
          else agents.noteUse(id, atMs);
        }
      });
      [this.#months, this.#dates, this.#usesToWrite] = [new Map(), new Map(), new Map()];
      this.#isFailing = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Nothing was written, so all of it waits for the next second; one line for the whole time it lasts.
      if (!this.#isFailing) log("warn", "could not write the read counts", { code: error.code });
      this.#isFailing = true;
      this.#flushSoon();
    }
  }

  close(): void {
    this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), readCountFlushMs);
  }
}

const none: ReadonlyMap<string, number> = new Map();

function increment(waiting: Waiting, id: string, period: string, reads: number): void {
  const own = waiting.get(id) ?? new Map<string, number>();
  own.set(period, (own.get(period) ?? 0) + reads);
  waiting.set(id, own);
}

function each(waiting: Waiting, add: (id: string, period: string, reads: number) => void): void {
  for (const [id, periods] of waiting) {
    for (const [period, reads] of periods) add(id, period, reads);
  }
}
