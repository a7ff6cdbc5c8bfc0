import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { log } from "../lib/log";
import { startNamedThread } from "../worker-url";
import { type Damage, DamageReport } from "./damage";
import { checkedAtStartBytesMax } from "./migrate";
import type { Reply } from "./protocol/answering";

/** The question to the thread: one file, which it opens for reading alone. */
export interface CheckQuestion {
  readonly file: string;
  readonly name: string;
}
export type CheckAnswer = { readonly damage: Damage | null };

/** The start has better things to do first. */
const startDelayMs = 10_000;

/**
 * Reads databases that were too large to be checked whole by the start, once, by a thread of low priority that ends
 * then. What it finds is logged and fails readiness, as damage does that a read comes upon.
 */
export class BackgroundCheck {
  readonly #reports: DamageReport[] = [];
  readonly #files: string[];
  #worker: Worker | null = null;
  readonly #timer: Timer;
  readonly #ended = Promise.withResolvers<void>();

  constructor(
    private readonly dataDir: string,
    databases: readonly { readonly name: string }[],
    { delayMs = startDelayMs, checkedBytesMax = checkedAtStartBytesMax } = {},
  ) {
    const isLarge = (name: string): boolean => bytesOf(join(dataDir, name)) > checkedBytesMax;
    this.#files = databases.map(({ name }) => name).filter(isLarge);
    this.#timer = setTimeout(() => void this.#run(), delayMs);
    if (this.#files.length === 0) this.close();
  }

  get foundDamage(): boolean {
    return this.#reports.some(({ isEmpty }) => !isEmpty);
  }
  /** Resolves when all is checked, or it was closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#ended.resolve();
  }

  async #run(): Promise<void> {
    for (const name of this.#files) {
      const startedAtMs = performance.now();
      const reply = await this.#ask({ file: join(this.dataDir, name), name });
      if (reply === null) return;
      const tookMs = Math.round(performance.now() - startedAtMs);
      if ("failure" in reply) {
        log("error", "could not check a database", { file: name, why: reply.failure.kind });
        continue;
      }
      const { damage } = reply.value as CheckAnswer;
      if (damage === null)
        log("info", "checked a database: no value is damaged", {
          file: name,
          tookMs,
        });
      else {
        const report = new DamageReport(name);
        report.note(damage);
        this.#reports.push(report);
      }
    }
    this.close();
  }

  /** Asks the thread; resolves with null when the thread has ended first. */
  #ask(question: CheckQuestion): Promise<Reply | null> {
    this.#worker ??= startNamedThread("checker");
    const worker = this.#worker;
    return new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
      worker.addEventListener("close", () => resolve(null));
      worker.postMessage(question);
    });
  }
}

const bytesOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
