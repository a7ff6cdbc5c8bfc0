/*
 * A thread is brought back five times a minute.
 * Decision: then, or when its file cannot be opened within 2 s, the server logs it, answers 503 and exits 1.
 * Because: a supervisor restarts processes, and nothing acknowledged is in memory.
 * Cost: an outage of a start.
 */

import { ApiError } from "../../domain/errors";
import { log } from "../../lib/log";
import type { Reply } from "./answering";
import { errorOf, StorageFailed } from "./failure";

/** The thread ended before it replied. What it was asked may have been done or not. */
export class ThreadDied extends ApiError {
  constructor() {
    super("UNAVAILABLE", "A part of the server restarted. Send the request again.", {
      retry_after_seconds: 1,
    });
  }
}

/** What this side needs of a worker. Tests start one that runs within their own thread. */
export interface ThreadWorker {
  postMessage(message: unknown, buffers: ArrayBuffer[]): void;
  terminate(): void;
  addEventListener(type: "message" | "error" | "close", listener: (event: Event) => void): void;
}

export interface ThreadOptions<Question> {
  readonly name: string;
  start(): ThreadWorker;
  /** What each new worker is asked first. */
  readonly opening: Question;
  /** The time that a restarted thread may take to open its files; tests have more patience with a busy machine. */
  readonly reopenMsMax?: number | undefined;
  /** It died and does not come back. */
  onLost(why: string): void;
}

interface PendingQuestion {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A thread that could not open its files by then will not. `serve` has 5 s from the death to the exit. */
const usualReopenMsMax = 2_000;
/** One that dies so often within the time is not brought back again. */
const deathsMax = 5;
const deathsWithinMs = 60_000;

/** A worker that replies to questions in order, and is brought back when it dies. */
export class Thread<Question> {
  #worker: ThreadWorker;
  #asked: PendingQuestion[] = [];
  #state: "opening" | "open" | "stopped" | "lost" = "opening";
  #diedAtMs: number[] = [];
  #ended = Promise.withResolvers<void>();
  #opened = Promise.withResolvers<unknown>();

  constructor(private readonly options: ThreadOptions<Question>) {
    this.#worker = this.#start();
    void this.#open();
  }

  /** The first answer to the opening question; rejects when the files are refused. */
  get opened(): Promise<unknown> {
    return this.#opened.promise;
  }
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /**
   * Rejects with ThreadDied, or with the error that the question led to. Questions to a thread that is being brought
   * back wait for it. The caller knows what the answer to its question looks like.
   */
  ask<Value>(question: Question, buffers: ArrayBuffer[] = []): Promise<Value> {
    if (this.#state === "stopped" || this.#state === "lost")
      return Promise.reject(new ThreadDied());
    return new Promise<unknown>((resolve, reject) => {
      // First, as it throws what cannot be sent: that question has no answer to wait for.
      this.#worker.postMessage(question, buffers);
      this.#asked.push({ resolve, reject });
    }) as Promise<Value>;
  }

  /** Ends a thread that is stuck, wherever it is, and starts another in its place. */
  restart(): void {
    this.#worker.terminate();
  }

  /** Ends it for good. Resolves when it has closed its files. */
  async stop(): Promise<void> {
    if (this.#state !== "lost") this.#state = "stopped";
    this.#worker.terminate();
    await this.#ended.promise;
  }

  #start(): ThreadWorker {
    const worker = this.options.start();
    worker.addEventListener("message", (event) => {
      const { data } = event as MessageEvent<Reply>;
      const asked = this.#asked.shift();
      if (asked === undefined) return;
      if ("failure" in data) asked.reject(errorOf(data.failure));
      else asked.resolve(data.value);
    });
    // What it says may quote an event, and it is followed by "close".
    worker.addEventListener("error", (event) => event.preventDefault());
    worker.addEventListener("close", () => this.#died());
    return worker;
  }

  async #open(): Promise<void> {
    try {
      this.#opened.resolve(await this.ask(this.options.opening));
      if (this.#state === "opening") this.#state = "open";
    } catch (error) {
      // One that died is brought back, and asked again.
      if (error instanceof ThreadDied) return;
      this.#opened.reject(error);
      if (this.#diedAtMs.length > 0) this.#lose(reasonOf(error));
    }
  }

  #died(): void {
    const asked = this.#asked;
    this.#asked = [];
    if (this.#state === "open" || this.#state === "opening") this.#bringBack();
    if (this.#state === "stopped" || this.#state === "lost") this.#ended.resolve();
    for (const { reject } of asked) reject(new ThreadDied());
  }

  #bringBack(): void {
    const nowMs = performance.now();
    this.#diedAtMs = [...this.#diedAtMs.filter((atMs) => nowMs - atMs < deathsWithinMs), nowMs];
    if (this.#diedAtMs.length > deathsMax) {
      this.#lose("it ended repeatedly");
      return;
    }
    log("error", "a thread ended and is being restarted", { thread: this.options.name });
    this.#state = "opening";
    this.#worker = this.#start();
    const { reopenMsMax = usualReopenMsMax } = this.options;
    const timer = setTimeout(() => this.#lose("it could not open its files in time"), reopenMsMax);
    void this.#open().finally(() => clearTimeout(timer));
  }

  #lose(why: string): void {
    if (this.#state === "lost" || this.#state === "stopped") return;
    this.#state = "lost";
    this.#worker.terminate();
    const asked = this.#asked;
    this.#asked = [];
    for (const { reject } of asked) reject(new ThreadDied());
    this.#opened.reject(new ThreadDied());
    this.options.onLost(`The ${this.options.name} thread ended: ${why}.`);
  }
}

/** Describes an error for the log: SQLite's code where there is one. */
export function reasonOf(error: unknown): string {
  if (error instanceof StorageFailed) return error.sqliteCode;
  return error instanceof Error ? error.message : "unknown";
}
