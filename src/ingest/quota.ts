import type { Deps } from "../http/deps";
import type { Allowance, Recipient } from "./pipeline";

/**
 * What one request takes of its project's limits. Events are reserved before they are stored, so that requests that
 * wait for their commit together cannot cross the month's limit; what was not stored after all is given back.
 */
export class Quota implements Allowance {
  #reserved = 0;

  constructor(
    private readonly deps: Deps,
    private readonly project: Recipient,
  ) {}

  spendRequest(): void {
    this.deps.rates.spend(`ingest:${this.project.id}`, this.deps.config.ingestRpm);
  }

  reserveEvents(count: number): void {
    this.deps.usage.reserveEvents(this.project.accountId, count);
    this.#reserved = count;
  }

  /** After the commit. Repeats of an `event_id` are not stored again, and not counted again. */
  settle(stored: number): void {
    this.#giveBack(this.#reserved - stored);
  }

  /** Nothing was stored. */
  release(): void {
    this.#giveBack(this.#reserved);
  }

  #giveBack(count: number): void {
    this.#reserved = 0;
    if (count > 0) this.deps.usage.releaseEvents(this.project.accountId, count);
  }
}
