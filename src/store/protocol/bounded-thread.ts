import type { Reply } from "./answering";
import { errorOf } from "./failure";
import type { ThreadWorker } from "./thread";

export interface BoundedThreadOptions {
  start(): ThreadWorker;
  /** An answer that takes longer ends the thread. */
  readonly answerMsMax: number;
  /** The errors with which questions fail then, and when the thread ends by itself. */
  tooSlow(): Error;
  brokenOff(): Error;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * A thread for work that may never end: it starts with its first question, answers one question at a time, each within
 * a time, and is not brought back.
 */
export class BoundedThread<Question> {
  #worker: ThreadWorker | null = null;
  #waiting: Waiting | null = null;
  #failure: Error | null = null;
  #isStuck = false;
  readonly #closed = Promise.withResolvers<void>();

  constructor(private readonly options: BoundedThreadOptions) {}

  /** The thread was ended within an answer: native code goes on to its own end, which `ended` waits for. */
  get isStuck(): boolean {
    return this.#isStuck;
  }
  get ended(): Promise<void> {
    return this.#closed.promise;
  }

  /** The caller knows what the answer to its question looks like, and waits for it before it asks again. */
  async ask<Value>(question: Question): Promise<Value> {
    if (this.#failure !== null) throw this.#failure;
    this.#worker ??= this.#started();
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting = waiting;
    const { answerMsMax, tooSlow } = this.options;
    const timer = setTimeout(() => this.end(tooSlow()), answerMsMax);
    try {
      this.#worker.postMessage(question, []);
      const reply = await waiting.promise;
      if ("failure" in reply) throw errorOf(reply.failure);
      return reply.value as Value;
    } finally {
      clearTimeout(timer);
      this.#waiting = null;
    }
  }

  /** Ends the thread. Questions fail with `why` from then on, the one that waits for its answer too. */
  end(why: Error): void {
    if (this.#failure !== null) return;
    this.#failure = why;
    if (this.#worker === null) this.#closed.resolve();
    this.#worker?.terminate();
    this.#isStuck = this.#waiting !== null;
    this.#waiting?.reject(why);
  }

  #started(): ThreadWorker {
    const worker = this.options.start();
    worker.addEventListener("message", (event) =>
      this.#waiting?.resolve((event as MessageEvent<Reply>).data),
    );
    // Its message may quote a page, and "close" follows it.
    worker.addEventListener("error", (event) => event.preventDefault());
    worker.addEventListener("close", () => {
      this.#closed.resolve();
      this.end(this.options.brokenOff());
    });
    return worker;
  }
}
