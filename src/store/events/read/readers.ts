import { ApiError } from "../../../domain/errors";
import { clock, secondMs } from "../../../lib/clock";
import { log } from "../../../lib/log";
import { FairQueue } from "../../../lib/queue";
import type { Answer, DataFactsRequest, ReadRequest } from "../../port";
import { ReadCancelled } from "../../protocol/failure";
import type { ReadQuestion } from "../protocol/messages";
import type { Reader } from "./reader";
import { warmUpDelayMs } from "./warm-up";

/** Every read has its answer or its refusal by then. So the read itself has a little less time. */
const readAnswerMsMax = 10 * secondMs;
const readBudgetMs = readAnswerMsMax - 400;
const readStartMsMax = 5 * secondMs;
export const readQueueMax = 64;

/** If a read still runs this long after it was cancelled, it is stuck, and its thread is ended. */
const stuckMs = 1_500;

interface Waiting {
  readonly number: number;
  readonly name: string;
  readonly input: unknown;
  readonly request: ReadRequest;
  readonly arrivedAt: number;
  readonly queue: FairQueue<string, Waiting>;
  resolve(answer: Answer<never>): void;
  reject(error: Error): void;
  /** Removes the timer and the listener of the client's signal. */
  release(): void;
}

/**
 * Distributes reads to the reader threads, fairly between accounts, from queues with a limit, within the time that each
 * read has. Large reads have their own queue, so that small ones never wait for many large ones.
 */
export class Readers {
  private readonly small = new FairQueue<string, Waiting>();
  private readonly large = new FairQueue<string, Waiting>();
  private readonly busy = new Set<Reader>();
  private lastNumber = 0;
  private isClosed = false;
  private warmUpTimer: Timer | null = null;

  constructor(private readonly readers: readonly Reader[]) {}

  ask(
    name: string,
    input: unknown,
    size: "small" | "large",
    request: ReadRequest,
  ): Promise<Answer<never>> {
    if (this.isClosed) return Promise.reject(closing());
    if (request.signal.aborted) return Promise.reject(hungUp());
    const queue = size === "small" ? this.small : this.large;
    if (queue.size >= readQueueMax && !makeRoom(queue, request.accountId)) {
      return Promise.reject(tooMany());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer<never>>();
    const number = ++this.lastNumber;
    const arrivedAt = performance.now();
    const release = (): void => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", abort);
    };
    const waiting: Waiting = {
      ...{ number, name, input, request, arrivedAt, queue },
      ...{ resolve, reject, release },
    };
    const leave = (error: ApiError): void => {
      if (!queue.remove(request.accountId, waiting)) return;
      release();
      reject(error);
    };
    const abort = (): void => leave(hungUp());
    const timer = setTimeout(() => leave(tooMany()), Math.max(0, leftMs(request, readStartMsMax)));
    request.signal.addEventListener("abort", abort);
    queue.push(request.accountId, waiting);
    this.startNext();
    // A warm-up at the same time would take a core from the first read.
    this.warmUpTimer ??= setTimeout(() => {
      for (const reader of this.readers) reader.warmUp();
    }, warmUpDelayMs);
    return promise;
  }

  /** Refuses the waiting reads. Those that run end with their threads. */
  close(): void {
    this.isClosed = true;
    if (this.warmUpTimer !== null) clearTimeout(this.warmUpTimer);
    for (const queue of [this.small, this.large]) {
      for (let next = queue.take(); next !== undefined; next = queue.take()) {
        next.release();
        next.reject(closing());
      }
    }
  }

  private startNext(): void {
    for (const reader of this.readers) {
      if (this.busy.has(reader)) continue;
      // Another thread can take small reads, but only this one takes large reads.
      const next =
        reader.takes === "all" ? (this.large.take() ?? this.small.take()) : this.small.take();
      if (next !== undefined) void this.run(reader, next);
    }
  }

  private async run(reader: Reader, waiting: Waiting): Promise<void> {
    const { number, name, input, request } = waiting;
    const { ownHosts = [], narrowedBy = [], facts = noFacts } = request;
    const parts = { name, input, ownHosts, narrowedBy, facts };
    const question: ReadQuestion = { kind: "read", number, ...parts };
    waiting.release();
    this.busy.add(reader);
    const startedAt = performance.now();
    let stuckTimer: Timer | null = null;
    const stop = (error: ApiError): void => {
      if (stuckTimer !== null) return;
      reader.cancel(question);
      stuckTimer = setTimeout(() => endStuck(reader, name), stuckMs);
      waiting.reject(error);
    };
    const hangUp = (): void => stop(hungUp());
    const timer = setTimeout(() => stop(tooSlow()), Math.max(0, leftMs(request, readBudgetMs)));
    request.signal.addEventListener("abort", hangUp);
    try {
      const { json, facts, storeMs } = await reader.ask(question);
      waiting.resolve({ json, facts, queueMs: startedAt - waiting.arrivedAt, storeMs });
    } catch (error) {
      waiting.reject(error instanceof ReadCancelled ? tooSlow() : (error as Error));
    }
    clearTimeout(timer);
    if (stuckTimer !== null) clearTimeout(stuckTimer);
    request.signal.removeEventListener("abort", hangUp);
    this.busy.delete(reader);
    this.startNext();
  }
}

/** Reads without a receipt, such as those of an operation's own checks, need no facts about the data. */
const noFacts: DataFactsRequest = { projectIds: [] };

/** In a full queue, an account with few reads replaces the newest read of the account with most. */
function makeRoom(queue: FairQueue<string, Waiting>, accountId: string): boolean {
  const displaced = queue.displaceFor(accountId);
  displaced?.release();
  displaced?.reject(tooMany());
  return displaced !== undefined;
}

function endStuck(reader: Reader, read: string): void {
  log("error", "a read did not stop when it was cancelled; its thread was ended", { read });
  reader.restart();
}

/** Returns the time that is left of a budget that runs from the request's arrival. */
const leftMs = ({ arrivedAtMs }: ReadRequest, budgetMs: number): number =>
  arrivedAtMs + budgetMs - clock.nowMs();

const retrySoon = { retry_after_seconds: 1 };
const tooMany = (): ApiError =>
  new ApiError(
    "UNAVAILABLE",
    "Too many reads are waiting. Send the request again in a second.",
    retrySoon,
  );
const closing = (): ApiError =>
  new ApiError(
    "UNAVAILABLE",
    "The server is stopping. Send the request again in a second.",
    retrySoon,
  );
const hungUp = (): ApiError => new ApiError("QUERY_FAILED", "The client closed the connection.");
const tooSlow = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `The read took longer than ${readAnswerMsMax / secondMs} s. Request a shorter period or fewer groups.`,
  );
