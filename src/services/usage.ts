import type { Caller } from "../domain/caller";
import { ApiError } from "../domain/errors";
import { dayOf, isoDate } from "../domain/event";
import { monthOf } from "../domain/month";
import { allowsMore, tierLimits, unlimited } from "../domain/plan";
import { clock } from "../lib/clock";
import { roundTo } from "../lib/round";
import type { Control } from "../store/control/control";
import { EventVolume } from "./event-volume";
import { ReadCounts, type Use } from "./read-counts";

export interface UsageOptions {
  readonly control: Control;
  /** The address at which browsers find this server, which is not known before it listens. */
  publicUrl(): string;
  /** Events received in a span of dates by project id: the store's own count. */
  received(fromDate: string, toDate: string): Promise<ReadonlyMap<string, number>>;
}

/** Begins with what this month has brought so far, so it is opened before an event can be stored. */
export async function openUsage(options: UsageOptions): Promise<Usage> {
  const { control, publicUrl, received } = options;
  const nowMs = clock.nowMs();
  const ofProjects = await received(`${monthOf(nowMs)}-01`, isoDate(dayOf(nowMs)));
  const stored = new Map<string, number>();
  for (const { id, accountId } of control.projects.owners()) {
    stored.set(accountId, (stored.get(accountId) ?? 0) + (ofProjects.get(id) ?? 0));
  }
  const volume = new EventVolume((accountId) => control.tierOf(accountId), nowMs, stored);
  return new Usage(publicUrl, volume, new ReadCounts(control));
}

/** Knows how much of their plans accounts have used, and refuses what exceeds them. */
export class Usage {
  readonly #publicUrl: () => string;
  readonly #volume: EventVolume;
  readonly #reads: ReadCounts;

  constructor(publicUrl: () => string, volume: EventVolume, reads: ReadCounts) {
    this.#publicUrl = publicUrl;
    this.#volume = volume;
    this.#reads = reads;
  }

  /**
   * Returns RATE_LIMITED when the month has no room for the events. What was reserved is counted or released later.
   */
  reserveEvents(accountId: string, events: number): ApiError | null {
    return this.#volume.reserve(accountId, events);
  }
  releaseEvents(accountId: string, events: number): void {
    this.#volume.release(accountId, events);
  }
  countEvents(accountId: string, reserved: number, stored: number): void {
    this.#volume.settle(accountId, reserved, stored);
  }

  /** The monthly cap, then the count. The dashboard's own reads are free, and the demo has no account to count for. */
  countRead(caller: Caller, projectId: string | null, reads = 1): void {
    if (!isCounted(caller)) return;
    const { id, tier } = caller.account;
    const limit = tierLimits[tier].max_reads_per_month;
    const used = this.#reads.ofMonth(id);
    if (!allowsMore(limit, used, reads)) {
      const state =
        used >= limit
          ? `This account has used all ${limit} reads of this month.`
          : `This request needs ${reads} reads; ${limit - used} of your ${limit} monthly reads are left.`;
      const message = `${state} Open upgrade_url to upgrade to Pro.`;
      throw new ApiError("PRO_REQUIRED", message, {
        reason: "read_cap",
        upgrade_url: `${this.#publicUrl()}/account/billing`,
      });
    }
    this.#reads.add(id, projectId, reads);
  }

  noteUse(holder: string, use: Use): void {
    this.#reads.noteUse(holder, use);
  }

  /** Reads of a project that control.db does not know of yet, by date. */
  waitingReads(projectId: string): ReadonlyMap<string, number> {
    return this.#reads.waitingOf(projectId);
  }

  ofMonth(accountId: string): { month: string; events: number; reads: number } {
    return {
      month: monthOf(clock.nowMs()),
      events: this.#volume.stored(accountId),
      reads: this.#reads.ofMonth(accountId),
    };
  }

  /**
   * Returns the headers of every answer of a read that counts against the plan (definitions.md, Event volume and reads
   * of a plan).
   */
  headersOf(caller: Caller): Record<string, string> {
    // A share's visitors are not told how much of its plan the account has used.
    if (caller.kind === "share") return {};
    const { id, tier } = caller.account;
    const { events, reads } = this.ofMonth(id);
    const limits = tierLimits[tier];
    const headers: Record<string, string> = { "x-monthly-usage": String(events) };
    if (limits.max_events_per_month !== unlimited) {
      headers["x-monthly-limit"] = String(limits.max_events_per_month);
      headers["x-monthly-usage-percent"] = String(
        roundTo((events / limits.max_events_per_month) * 100, 2),
      );
    }
    if (limits.max_reads_per_month !== unlimited && isCounted(caller)) {
      headers["x-monthly-reads"] = String(reads);
      headers["x-monthly-reads-limit"] = String(limits.max_reads_per_month);
    }
    return headers;
  }

  flush(): void {
    this.#reads.flush();
  }

  close(): void {
    this.#reads.close();
  }
}

/** Pages are free, those of shares as the dashboard itself. */
const isCounted = ({ kind, isDemo, sessionHash }: Caller): boolean =>
  kind !== "cookie" && !isDemo && (kind !== "share" || sessionHash === null);
