import { clock, minuteMs } from "../lib/clock";
import { newToken } from "../lib/ids";

const stepMsMax = 5 * minuteMs;
export const stepTriesMax = 5;
/** Log-ins that wait for a code. Each took the right password; beyond this number the oldest ends. */
const stepsMax = 10_000;

/** A log-in whose password was right. */
interface LogInStep {
  readonly personId: string;
  /** A change of the password meanwhile ends the log-in. */
  readonly passwordHash: string;
}

/** Log-ins between the password and the code. They live in memory: after a restart the person logs in again. */
export class LogInSteps {
  readonly #steps = new Map<string, LogInStep & { readonly endsAtMs: number; tries: number }>();

  /** Returns the token that brings the code. */
  begin(step: LogInStep): string {
    const [oldest] = this.#steps.keys();
    if (this.#steps.size >= stepsMax && oldest !== undefined) this.#steps.delete(oldest);
    const token = newToken("lgt");
    this.#steps.set(token, { ...step, endsAtMs: clock.nowMs() + stepMsMax, tries: 0 });
    return token;
  }

  /** Counts a try. Null for a token that is unknown, over or used up. */
  try(token: string): LogInStep | null {
    const step = this.#steps.get(token);
    if (step === undefined) return null;
    const isOver = step.endsAtMs <= clock.nowMs() || step.tries >= stepTriesMax;
    if (isOver) {
      this.#steps.delete(token);
      return null;
    }
    step.tries += 1;
    return step;
  }

  end(token: string): void {
    this.#steps.delete(token);
  }
}
