import type { Deps } from "../http/deps";
import type { Allowance, Recipient } from "./submission";

/**
 * The share of its project's limits that one request takes. Events are reserved before they are stored, so that
 * requests that wait for their commit together cannot cross the month's limit; what was not stored after all is given
 * back.
 */
export class Quota implements Allowance {
  #reserved = 0;

  constructor(
    private readonly deps: Deps,
    private readonly project: Recipient,
  ) {}

  spendRequest(): void {
    const { config, control, rates } = this.deps;
    const { id, accountId } = this.project;
    rates.spend(`ingest:${id}`, config.ingestRpm, () => control.tierOf(accountId));
  }

  reserveEvents(count: number): void {
    this.deps.usage.reserveEvents(this.project.accountId, count);
    this.#reserved = count;
  }

  /** After the commit. Repeats of an `event_id` were not stored again, and do not count again. */
  settle(stored: number): void {
    const reserved = this.#reserved;
    this.#reserved = 0;
    if (reserved > 0) this.deps.usage.countEvents(this.project.accountId, reserved, stored);
  }

  /** Nothing was stored. */
  release(): void {
    const reserved = this.#reserved;
    this.#reserved = 0;
    if (reserved > 0) this.deps.usage.releaseEvents(this.project.accountId, reserved);
  }
}
