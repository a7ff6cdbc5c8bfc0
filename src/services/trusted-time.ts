/*
 * Timed deletions ask whether the clock can be right.
 * Decision: a data folder knows when it was last used: the heartbeat of its server, and its newest commit. A clock that
 * is more than two days away from that, plus the time of running, deletes nothing, until an operator confirms it or the
 * server has run for two days. Meanwhile it stores only events whose senders have clocks that agree with it.
 * Because: one start with a wrong clock would forget all that is older than that clock's retention, for ever, and date
 * new events where no read looks for them.
 * Cost: a server that was off for more than two days, or stands on an old backup, refuses events without a time of
 * their own until somebody runs `sightline clock --accept`.
 * Revisit: if operating systems say reliably that their clock was set by a time server.
 */

import { uptime } from "node:os";
import {
  type ClockDoubt,
  describeDoubt,
  doubtOf,
  type KnownTime,
  usedAtOf,
} from "../domain/clock-doubt";
import { ApiError } from "../domain/errors";
import { tierLimits } from "../domain/plan";
import type { StoredDays } from "../domain/retention";
import { clock, dayMs, secondMs } from "../lib/clock";
import { log } from "../lib/log";
import type { Control } from "../store/control/control";
import type { EventStore } from "../store/port";

/** A clock that is doubted this long by a server that runs is believed then. */
const believedAfterMs = 2 * dayMs;
const lookEveryMs = 1 * secondMs;
const retryAfterSeconds = 60;

interface Parts {
  readonly control: Pick<Control, "heartbeat">;
  readonly store: Pick<EventStore, "knownTime" | "showAgain">;
  /** The most days for which a project of this server stores events. */
  readonly proDays?: StoredDays;
  /** A time that goes on whatever is done to the clock, also while the machine sleeps. */
  readonly runningMs?: () => number;
}

/** Tells whether the clock may be trusted: the one guard of everything that is deleted because of its age. */
export class TrustedTime {
  readonly #control: Parts["control"];
  readonly #store: Parts["store"];
  readonly #proDays: StoredDays;
  readonly #runningMs: () => number;
  /** The times at which the folder was in use, as of `#knownAtMs` of running. */
  #usedAtMs: readonly number[];
  #knownAtMs: number;
  #acceptedAtMs: number | null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #doubt: ClockDoubt | null = null;
  #doubtedSinceMs: number | null = null;

  constructor({
    control,
    store,
    proDays = tierLimits.pro.retention_days,
    runningMs = () => uptime() * secondMs,
  }: Parts) {
    this.#proDays = proDays;
    this.#control = control;
    this.#store = store;
    this.#runningMs = runningMs;
    this.#knownAtMs = runningMs();
    const { atMs, acceptedAtMs } = control.heartbeat.read();
    this.#acceptedAtMs = acceptedAtMs;
    this.#usedAtMs = usedAtOf(atMs, store.knownTime().newestCommitMs);
  }

  isTrusted(): boolean {
    return this.doubt() === null;
  }

  /** The reason not to trust the clock; null while it is trusted. */
  doubt(): ClockDoubt | null {
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - this.#lookedAtMs;
    if (sinceMs < 0 || sinceMs >= lookEveryMs) this.#look(nowMs);
    return this.#doubt;
  }

  /** Throws UNAVAILABLE while the clock is not trusted. */
  refuseUnlessTrusted(): void {
    const refusal = this.refusal(false);
    if (refusal !== null) throw refusal;
  }

  /**
   * Returns UNAVAILABLE while the clock is not trusted: an event would be dated where no read looks for it. With a
   * sender whose own clock agrees, it is refused only where a `retained_from` that lies ahead would hide it.
   */
  refusal(hasWitness: boolean): ApiError | null {
    const doubt = this.doubt();
    if (doubt === null || (hasWitness && doubt.kind !== "before retained_from")) return null;
    return new ApiError(
      "UNAVAILABLE",
      "The server's clock may be wrong, so it does not store events without a time of their own. Send the " +
        "request again in a minute. The operator can correct the clock, or confirm it with `sightline clock " +
        "--accept`; `sightline doctor` has the details.",
      { reason: "clock", retry_after_seconds: retryAfterSeconds },
    );
  }

  /** Keeps the time for the next start. Nothing is kept of a clock that is not trusted. */
  beat(): void {
    if (!this.isTrusted()) return;
    this.#control.heartbeat.beat(clock.nowMs());
    this.#acceptedAtMs = null;
  }

  /** After an operator confirmed the clock: what a wrong clock had hidden is shown again, as far as it is there. */
  async mend(): Promise<void> {
    const doubt = this.doubt();
    if (doubt?.kind !== "before retained_from" || this.#acceptedAtMs === null) return;
    const { clockMs } = doubt;
    // Retention, which runs afterwards, raises it to what each plan keeps.
    const retainedFromMs = this.#proDays === null ? 0 : clockMs - this.#proDays * dayMs;
    await this.#store.showAgain(clockMs, retainedFromMs);
    log("warn", "corrected a retained_from that was in the future");
    this.#look(clock.nowMs());
  }

  /** Believes the clock as it is now, as an operator's confirmation does. */
  believe(): void {
    const nowMs = clock.nowMs();
    this.#acceptedAtMs = nowMs;
    this.#usedAtMs = [nowMs];
    this.#knownAtMs = this.#runningMs();
    this.#doubtedSinceMs = null;
    this.#look(nowMs);
  }

  #look(nowMs: number): void {
    this.#lookedAtMs = nowMs;
    if (this.#doubt !== null) this.#readConfirmation();
    const runningMs = this.#runningMs();
    const doubt = doubtOf(this.#known(runningMs), nowMs);
    if (doubt === null) {
      if (this.#doubt !== null) log("info", "the server trusts the clock again");
      this.#usedAtMs = [nowMs];
      this.#knownAtMs = runningMs;
      this.#doubtedSinceMs = null;
    } else {
      if (this.#doubt === null) warn(doubt);
      this.#doubtedSinceMs ??= runningMs;
    }
    this.#doubt = doubt;
    if (runningMs - (this.#doubtedSinceMs ?? runningMs) < believedAfterMs) return;
    log("warn", "the server trusts the clock, because it has run with it for two days");
    this.believe();
  }

  #known(runningMs: number): KnownTime {
    const ranMs = runningMs - this.#knownAtMs;
    return {
      usedAtMs: this.#usedAtMs.map((ms) => ms + ranMs),
      retainedFromMs: this.#store.knownTime().retainedFromMs,
    };
  }

  /** `sightline clock --accept` writes beside the server. */
  #readConfirmation(): void {
    const { atMs, acceptedAtMs } = this.#control.heartbeat.read();
    if (acceptedAtMs === null || acceptedAtMs === this.#acceptedAtMs) return;
    this.#acceptedAtMs = acceptedAtMs;
    this.#usedAtMs = atMs === null ? [] : [atMs];
    this.#knownAtMs = this.#runningMs();
  }
}

function warn(doubt: ClockDoubt): void {
  log(
    "warn",
    "the server does not trust the clock: it deletes nothing because of age, and stores no event that has " +
      "no time of its own",
    {
      why: describeDoubt(doubt),
    },
  );
}
