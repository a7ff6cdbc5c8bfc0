/*
 * Failed log-ins count by address and network.
 * Decision: an address is locked for the network (/24, /64) that guessed; a browser that is logged in counts for
 * itself. Passwords are hashed one at a time for visitors, whose networks take turns, and one at a time for people who
 * are logged in.
 * Because: anybody could lock an owner out by failing ten times, or keep the queue for hashes full.
 * Cost: somebody with a thousand networks has ten thousand guesses in 15 minutes, as far as 20 hashes a second allow.
 * Revisit: with a second factor.
 */

import { ApiError } from "../domain/errors";
import { clock, minuteMs, secondMs } from "../lib/clock";

const loginFailuresMax = 10;
export const loginWindowMs = 15 * minuteMs;
/**
 * The number of guessers whose failures are remembered; beyond it the one that was silent for the longest time is
 * forgotten. A failure costs a hash, and in the time for which it counts there are fewer of them than this, so that
 * none is forgotten too early.
 */
export const loginGuessersMax = 100_000;

/**
 * Failed log-ins by who guesses, of which account, known or not. An attempt counts as failed until it is taken back,
 * so that many at once get no further than one after the other.
 */
export class LoginFailures {
  /** The failures by guesser, in the order of their last attempts. */
  readonly #times = new Map<string, readonly number[]>();

  /** The number of guessers that are remembered. */
  get count(): number {
    return this.#times.size;
  }

  /** Throws RATE_LIMITED when somebody has had their failures. */
  begin(key: string): Attempt {
    const nowMs = clock.nowMs();
    const recent = this.#recent(key, nowMs);
    if (recent.length >= loginFailuresMax)
      throw tooMany((recent.at(-1) ?? nowMs) + loginWindowMs - nowMs);
    this.#keep(key, [...recent, nowMs]);
    const isLast = recent.length + 1 >= loginFailuresMax;
    return { isLast, takeBack: () => this.#forget(key, nowMs) };
  }

  /** Failures that still count: those of the last minutes or, once there are too many, all until the last is old. */
  #recent(key: string, nowMs: number): readonly number[] {
    const times = this.#times.get(key) ?? [];
    const isOver = (timeMs: number | undefined) => (timeMs ?? 0) + loginWindowMs <= nowMs;
    if (times.length >= loginFailuresMax) return isOver(times.at(-1)) ? [] : times;
    return times.filter((timeMs) => !isOver(timeMs));
  }

  #keep(key: string, times: readonly number[]): void {
    this.#times.delete(key);
    if (times.length === 0) return;
    this.#times.set(key, times);
    for (const [longestSilent, silent] of this.#times) {
      const isOver = (silent.at(-1) ?? 0) + loginWindowMs <= clock.nowMs();
      if (!isOver && this.#times.size <= loginGuessersMax) return;
      this.#times.delete(longestSilent);
    }
  }

  #forget(key: string, timeMs: number): void {
    const times = [...(this.#times.get(key) ?? [])];
    const at = times.indexOf(timeMs);
    if (at >= 0) times.splice(at, 1);
    this.#keep(key, times);
  }
}

export interface Attempt {
  /** The next one is refused, unless this one is taken back. */
  readonly isLast: boolean;
  /** This one was no failure: the password was right, or it was not looked at. */
  takeBack(): void;
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / secondMs);
  return new ApiError(
    "RATE_LIMITED",
    `Too many failed log-ins from your network. Try again in ${seconds} s.`,
    { reason: "rate_limit", retry_after_seconds: seconds },
  );
}
