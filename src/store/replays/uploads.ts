/*
 * Segments gather for 50 ms.
 * Decision: groups of segments start 50 ms apart, unless one is full; a segment that comes alone is committed at once.
 * Because: no visitor waits for the answer. At 200 segments a second each was a commit of its own: a quarter of the
 * processor time of recording, and 8 to 13 MB a second written to the disk that events wait for, where it is 1 to 4
 * now.
 * Cost: under load a recorder hears 50 ms later that its segment is stored.
 * Revisit: if recorders ever wait for the answer.
 */

import { ApiError } from "../../domain/errors";
import {
  segmentGroupBytesMax,
  segmentGroupMax,
  segmentQueueBytesMax,
} from "../../domain/replay/limits";
import { errorOf } from "../protocol/failure";
import type { SegmentOutcome, SentSegment } from "../replay-port";
import { Uncommitted, usualWaits, type Waiting, type Waits } from "../shared/uncommitted";
import type { GroupOutcome } from "./questions";

interface WaitingSegment extends Waiting {
  readonly sent: SentSegment;
  readonly bytes: number;
  resolve(outcome: SegmentOutcome): void;
  reject(error: Error): void;
}

interface UploadsParts {
  commit(group: readonly SentSegment[]): Promise<readonly GroupOutcome[]>;
  /** A replay was closed by what came. */
  closed(): void;
  /** The time between the starts of two groups. */
  readonly groupEveryMs: number;
  readonly waits?: Waits;
}

/**
 * Gathers segments on their way to the disk. One that comes alone is sent at once. Those that follow it closely wait
 * for each other, as no visitor waits for the answer: a group costs one sync, one message to the thread and one write
 * of each page it changes.
 */
export class Uploads {
  #waiting: WaitingSegment[] = [];
  /** Waiting and in flight. */
  #bytes = 0;
  #isBusy = false;
  #nextGroupAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #whenIdle: (() => void) | null = null;
  #isClosed = false;
  readonly #uncommitted: Uncommitted<WaitingSegment>;

  constructor(private readonly parts: UploadsParts) {
    const { waits = usualWaits } = parts;
    this.#uncommitted = new Uncommitted("segments", waits, (one) => this.#overdue(one));
  }

  /** Tells whether a segment has waited for too long, be it answered meanwhile or not. */
  get isLate(): boolean {
    return this.#uncommitted.isLate;
  }

  /** Resolves after the commit. */
  add(sent: SentSegment): Promise<SegmentOutcome> {
    const bytes = sent.body.byteLength;
    if (this.#isClosed) return Promise.reject(unavailable("The server is stopping."));
    if (this.#bytes + bytes > segmentQueueBytesMax) {
      return Promise.reject(unavailable("Too many segments are waiting to be stored."));
    }
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      const one = { sinceMs, isSettled: false, sent, bytes, resolve, reject };
      this.#waiting.push(one);
      this.#uncommitted.add(one);
      // What comes in the same turn of the loop goes in the same group.
      setImmediate(() => this.#sendOrWait());
    });
  }

  /** Refuses what comes from now on; resolves when all that came before is answered. */
  close(): Promise<void> {
    this.#isClosed = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    if (this.#uncommitted.size === 0) resolve();
    this.#sendOrWait();
    return promise;
  }

  #sendOrWait(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    const isFull = this.#waiting.length >= segmentGroupMax || this.#bytes >= segmentGroupBytesMax;
    const waitMs = this.#nextGroupAtMs - performance.now();
    if (waitMs <= 0 || isFull || this.#isClosed) {
      void this.#send();
      return;
    }
    // Timers may be early: then it waits once more.
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#sendOrWait();
    }, waitMs);
  }

  async #send(): Promise<void> {
    this.#isBusy = true;
    this.#nextGroupAtMs = performance.now() + this.parts.groupEveryMs;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const group = this.#nextGroup();
    try {
      this.#answer(group, await this.parts.commit(group.map(({ sent }) => sent)));
    } catch (error) {
      for (const { reject } of group) reject(error as Error);
    }
    for (const one of group) this.#leave(one);
    this.#isBusy = false;
    this.#sendOrWait();
  }

  /** The thread may still store it if it was sent. A segment that comes again is known by its number. */
  #overdue(one: WaitingSegment): void {
    one.reject(unavailable("The storage does not respond."));
    const at = this.#waiting.indexOf(one);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#leave(one);
  }

  #leave(one: WaitingSegment): void {
    this.#uncommitted.settle(one);
    this.#bytes -= one.bytes;
    if (this.#uncommitted.size === 0) this.#whenIdle?.();
  }

  #nextGroup(): WaitingSegment[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(this.#waiting.length, segmentGroupMax); count++) {
      bytes += this.#waiting[count].bytes;
      if (count > 0 && bytes > segmentGroupBytesMax) break;
    }
    return this.#waiting.splice(0, count);
  }

  #answer(group: readonly WaitingSegment[], outcomes: readonly GroupOutcome[]): void {
    outcomes.forEach((outcome, index) => {
      const { resolve, reject } = group[index];
      if (outcome.kind === "refused") reject(errorOf(outcome.failure));
      else resolve(outcome);
    });
    if (outcomes.some((one) => one.kind === "taken" && one.isClosed)) this.parts.closed();
  }
}

const unavailable = (why: string): ApiError =>
  new ApiError("UNAVAILABLE", `${why} Send the segment again in a second.`, {
    retry_after_seconds: 1,
  });
