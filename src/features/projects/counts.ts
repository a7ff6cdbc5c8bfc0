import { dayOf, isoDate } from "../../domain/event";
import type { Deps } from "../../http/deps";
import type { RequestHead } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import type { ProjectRow } from "../../store/control/tables";
import type { Read } from "../../store/port";

interface UsageInput {
  readonly projectIds: readonly string[];
  readonly fromDate: string;
  readonly toDate: string;
}
export interface EventUsage {
  readonly total_events: number;
  /** Events received, by date; dates without are left out. */
  readonly days: Readonly<Record<string, number>>;
  readonly first_event_at: number | null;
  readonly last_event_at: number | null;
  /** 0 until retention has hidden something. */
  readonly retained_from_ms: number;
}
/** The read of `reads/usage.ts`, which tells how many events projects have. */
export type UsageRead = Read<UsageInput, Readonly<Record<string, EventUsage>>>;

/** Puts together what the two databases count about projects. */
export class Counts {
  readonly #deps: Deps;
  readonly #read: UsageRead;

  constructor(deps: Deps, read: UsageRead) {
    this.#deps = deps;
    this.#read = read;
  }

  /** Returns the events of one account's projects. `days` reach back to `fromDate`. */
  async events(
    accountId: string,
    projectIds: readonly string[],
    fromDate: string,
    { signal }: RequestHead,
  ): Promise<(projectId: string) => EventUsage> {
    if (projectIds.length === 0) return () => none;
    const nowMs = clock.nowMs();
    const input = { projectIds, fromDate, toDate: isoDate(dayOf(nowMs)) };
    const request = { accountId, signal, arrivedAtMs: nowMs };
    const answer = await this.#deps.store.read(this.#read, input, request);
    const byProject: Readonly<Record<string, EventUsage>> = JSON.parse(answer.json);
    return (projectId) => byProject[projectId] ?? none;
  }

  /** Counted reads of a project by date, up to this moment. */
  reads(projectId: string, fromDate: string): ReadonlyMap<string, number> {
    const { control, usage } = this.#deps;
    const counted = new Map(control.readCounts.byDate(projectId, fromDate));
    for (const [date, reads] of usage.waitingReads(projectId)) {
      if (date >= fromDate) counted.set(date, (counted.get(date) ?? 0) + reads);
    }
    return counted;
  }

  /** Counted reads since the project was made. To be asked with the row, before anything is waited for. */
  totalReads({ id, totalReads }: ProjectRow): number {
    const waiting = [...this.#deps.usage.waitingReads(id).values()];
    return waiting.reduce((sum, reads) => sum + reads, totalReads);
  }
}

const none: EventUsage = {
  ...{ total_events: 0, days: {}, first_event_at: null, last_event_at: null },
  retained_from_ms: 0,
};
