import { ApiError } from "../domain/errors";
import { dayOf, isoDate } from "../domain/event";
import { readCountFlushMs } from "../domain/limits";
import { monthOf } from "../domain/month";
import { clock, minuteMs } from "../lib/clock";
import { log } from "../lib/log";
import type { Control } from "../store/control/control";

/** A count that is not written yet: of an account in a month, or of a project on a date. */
interface Pending {
  readonly id: string;
  readonly period: string;
  reads: number;
}

interface KeyUse {
  readonly hash: string;
  readonly atMs: number;
}

/**
 * Counts reads in memory and writes them once a second: a crash may lose the last second, and a full disk never fails
 * a read.
 */
export class ReadCounts {
  readonly #control: Control;
  #month = "";
  /** This month's reads by account, as far as anybody asked; those not yet written included. */
  readonly #known = new Map<string, number>();
  #months = new Map<string, Pending>();
  #dates = new Map<string, Pending>();
  readonly #keyUses = new Map<string, KeyUse>();
  #usesToWrite = new Map<string, KeyUse>();
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
    const waiting = this.#months.get(`${accountId} ${month}`)?.reads ?? 0;
    const reads = this.#control.readCounts.ofMonth(accountId, month) + waiting;
    this.#known.set(accountId, reads);
    return reads;
  }

  add(accountId: string, projectId: string | null): void {
    const nowMs = clock.nowMs();
    this.#known.set(accountId, this.ofMonth(accountId) + 1);
    increment(this.#months, accountId, monthOf(nowMs));
    if (projectId !== null) increment(this.#dates, projectId, isoDate(dayOf(nowMs)));
    this.#flushSoon();
  }

  /** Reads of a project that are not written yet, by date. */
  waitingOf(projectId: string): ReadonlyMap<string, number> {
    const own = [...this.#dates.values()].filter(({ id }) => id === projectId);
    return new Map(own.map(({ period, reads }) => [period, reads]));
  }

  /** When a key was last used is told to the minute. */
  noteKeyUse(accountId: string, hash: string): void {
    const atMs = clock.nowMs();
    const last = this.#keyUses.get(accountId);
    if (last?.hash === hash && atMs - last.atMs < minuteMs) return;
    const use = { hash, atMs };
    this.#keyUses.set(accountId, use);
    this.#usesToWrite.set(accountId, use);
    this.#flushSoon();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [months, dates, uses] = [this.#months, this.#dates, this.#usesToWrite];
    if (months.size + dates.size + uses.size === 0) return;
    const { readCounts, credentials } = this.#control;
    try {
      this.#control.writeSoon(() => {
        for (const { id, period, reads } of months.values())
          readCounts.addToMonth(id, period, reads);
        for (const { id, period, reads } of dates.values()) readCounts.addToDate(id, period, reads);
        for (const { hash, atMs } of uses.values()) credentials.noteKeyUse(hash, atMs);
      });
      [this.#months, this.#dates, this.#usesToWrite] = [new Map(), new Map(), new Map()];
      this.#isFailing = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Nothing was written, so all of it waits for the next second; one line for the whole time it lasts.
      if (!this.#isFailing) log("warn", "cannot write read counts", { code: error.code });
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

function increment(counts: Map<string, Pending>, id: string, period: string): void {
  const key = `${id} ${period}`;
  const pending = counts.get(key);
  if (pending === undefined) counts.set(key, { id, period, reads: 1 });
  else pending.reads += 1;
}
