import { secondMs } from "../../lib/clock";
import { log } from "../../lib/log";

/** How long requests may wait for their commit. */
export interface Waits {
  /** After this time the server is not ready: its disk does not keep up, or hangs. */
  readonly lateMs: number;
  /** After this time a request is answered without its commit. */
  readonly answerMsMax: number;
  readonly lookEveryMs: number;
}
export const usualWaits: Waits = {
  lateMs: 5 * secondMs,
  answerMsMax: 15 * secondMs,
  lookEveryMs: secondMs / 2,
};

export interface Waiting {
  readonly sinceMs: number;
  /** It is stored, or known not to be. */
  isSettled: boolean;
}

/** As many settled requests may stay in front before the others move up. */
const settledMax = 1_024;

/**
 * The requests that are not committed, oldest first. A disk that hangs gives no error: only the time that a request
 * waits tells of it.
 */
export class Uncommitted<Request extends Waiting> {
  /** Those before `head`, and settled ones behind it, are no longer among them. */
  private requests: Request[] = [];
  private head = 0;
  private count = 0;
  private timer: Timer | null = null;
  private isLateLogged = false;
  /** What came until then has been overdue at a look before. */
  private overdueSinceMs = Number.NEGATIVE_INFINITY;

  /**
   * `what` waits, for the log; `overdue` answers a request, once; `delaysItself` says of a request that waits for too
   * long whether its sender is the cause, so that the wait is no failure of the storage.
   */
  constructor(
    private readonly what: string,
    private readonly waits: Waits,
    private readonly overdue: (request: Request) => void,
    private readonly delaysItself: (request: Request) => boolean = () => false,
  ) {}

  get size(): number {
    return this.count;
  }
  get isLate(): boolean {
    const sinceMsMax = performance.now() - this.waits.lateMs;
    for (let at = this.head; at < this.requests.length; at++) {
      const request = this.requests[at];
      if (request.sinceMs >= sinceMsMax) return false;
      if (!request.isSettled && !this.delaysItself(request)) return true;
    }
    return false;
  }
  /** When the oldest one came; infinite when there is none. */
  get oldestSinceMs(): number {
    return this.count === 0 ? Number.POSITIVE_INFINITY : this.requests[this.head].sinceMs;
  }

  add(request: Request): void {
    this.requests.push(request);
    this.count++;
    this.lookLater();
  }

  settle(request: Request): void {
    request.isSettled = true;
    this.count--;
    const { requests } = this;
    while (this.head < requests.length && requests[this.head].isSettled) this.head++;
    if (this.head < settledMax && this.head < requests.length) return;
    this.requests = requests.slice(this.head);
    this.head = 0;
  }

  private lookLater(): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.look();
      if (this.count > 0 || this.isLateLogged) this.lookLater();
    }, this.waits.lookEveryMs);
    // A process that ends does not wait for this.
    this.timer.unref();
  }

  private look(): void {
    this.tell();
    const before = this.overdueSinceMs;
    this.overdueSinceMs = performance.now() - this.waits.answerMsMax;
    for (const request of this.requests.slice(this.head)) {
      if (request.sinceMs > this.overdueSinceMs) break;
      if (request.sinceMs > before && !request.isSettled) this.overdue(request);
    }
  }

  private tell(): void {
    const { isLate, what } = this;
    if (isLate === this.isLateLogged) return;
    this.isLateLogged = isLate;
    const waitedMs = Math.round(Math.max(0, performance.now() - this.oldestSinceMs));
    if (isLate)
      log("error", `the storage does not respond; ${what} are waiting for it`, { waitedMs });
    else log("info", `the storage responds again; no ${what} are waiting`);
  }
}
