import type { ApiError } from "../domain/errors";
import type { Deps } from "../http/deps";
import { RateLimited } from "../http/edge/rates";
import type { ProjectLimits, Recipient } from "./submission";

/**
 * The share of its project's limits that one submission takes. Events are reserved before they are stored, so that
 * submissions that wait for their commit together cannot cross the month's limit; what was not stored after all is
 * given back.
 */
export class Quota implements ProjectLimits {
  #reserved = 0;

  constructor(
    private readonly deps: Deps,
    private readonly project: Recipient,
  ) {}

  takeRequest(): ApiError | null {
    const { config, control, rates } = this.deps;
    const { id, accountId } = this.project;
    const tier = () => control.tierOf(accountId);
    const spent = rates.trySpend(`ingest:${id}`, config.ingestRpm, tier);
    return spent instanceof RateLimited ? spent : null;
  }

  takeEvents(count: number): ApiError | null {
    const { budgets, usage } = this.deps;
    const { id, accountId } = this.project;
    const overBudget = budgets.reserve(id, count);
    if (overBudget !== null) return overBudget;
    const refusal = usage.reserveEvents(accountId, count);
    if (refusal === null) this.#reserved += count;
    else budgets.release(id, count);
    return refusal;
  }

  /** After the commit. Repeats of an `event_id` were not stored again, and do not count again. */
  settle(stored: number): void {
    const reserved = this.#reserved;
    this.#reserved = 0;
    if (reserved === 0) return;
    this.deps.usage.countEvents(this.project.accountId, reserved, stored);
    this.deps.budgets.settle(this.project.id, reserved, stored);
  }

  /** Nothing was stored. */
  release(): void {
    const reserved = this.#reserved;
    this.#reserved = 0;
    if (reserved === 0) return;
    this.deps.usage.releaseEvents(this.project.accountId, reserved);
    this.deps.budgets.release(this.project.id, reserved);
  }
}
