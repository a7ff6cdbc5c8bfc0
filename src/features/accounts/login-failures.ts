import { ApiError } from "../../domain/errors";
import { loginAddressesMax, loginFailuresMax, loginWindowMs } from "../../domain/limits";
import { clock, secondMs } from "../../lib/clock";

/**
 * Failed log-ins by email address, known or not. An attempt counts as failed until it is taken back, so that many at
 * once get no further than one after the other.
 */
export class LoginFailures {
  /** The address tried longest ago first. */
  readonly #times = new Map<string, readonly number[]>();

  /** Throws RATE_LIMITED when the address has had its failures. */
  begin(email: string): Attempt {
    const nowMs = clock.nowMs();
    const recent = this.#recent(email, nowMs);
    if (recent.length >= loginFailuresMax)
      throw tooMany((recent.at(-1) ?? nowMs) + loginWindowMs - nowMs);
    this.#keep(email, [...recent, nowMs]);
    return { takeBack: () => this.#forget(email, nowMs) };
  }

  /** Failures that still count: those of the last minutes or, once there are too many, all until the last is old. */
  #recent(email: string, nowMs: number): readonly number[] {
    const times = this.#times.get(email) ?? [];
    const isOver = (timeMs: number | undefined) => (timeMs ?? 0) + loginWindowMs <= nowMs;
    if (times.length >= loginFailuresMax) return isOver(times.at(-1)) ? [] : times;
    return times.filter((timeMs) => !isOver(timeMs));
  }

  #keep(email: string, times: readonly number[]): void {
    this.#times.delete(email);
    if (times.length === 0) return;
    this.#times.set(email, times);
    if (this.#times.size <= loginAddressesMax) return;
    const [longestSilent = ""] = this.#times.keys();
    this.#times.delete(longestSilent);
  }

  #forget(email: string, timeMs: number): void {
    const times = [...(this.#times.get(email) ?? [])];
    const at = times.indexOf(timeMs);
    if (at >= 0) times.splice(at, 1);
    this.#keep(email, times);
  }
}

export interface Attempt {
  /** This one was no failure: the password was right, or it was not looked at. */
  takeBack(): void;
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / secondMs);
  return new ApiError(
    "RATE_LIMITED",
    `Too many failed log-ins with this address. Try again in ${seconds} s.`,
    { reason: "rate_limit", retry_after_seconds: seconds },
  );
}
