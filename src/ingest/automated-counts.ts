import { dayOf, isoDate } from "../domain/event";
import { genericActorsPerDayMax } from "../domain/limits";
import { secondMs } from "../lib/clock";
import { log } from "../lib/log";
import type { AutomatedEntry } from "../store/port";
import type { Automated } from "./bots";

const usualFlushMs = 1 * secondMs;

type Count = { -readonly [Key in keyof AutomatedEntry]: AutomatedEntry[Key] };

/** Takes the place of generic actors beyond the bound. */
const otherActor = "Other";

/**
 * Automated requests per project, date, category and actor (definitions.md), gathered in memory and written at most
 * a second later: a flood of them costs a few additions, and one commit a second. What a failing store refuses stays
 * here for the next attempt; the bound on generic actors bounds that too.
 */
export class AutomatedCounts {
  #waiting = new Map<string, Count>();
  /** Generic actors per project and date among those not yet written. */
  #genericActors = new Map<string, Set<string>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | null = null;
  #isClosed = false;

  constructor(
    private readonly append: (counts: readonly AutomatedEntry[]) => Promise<unknown>,
    private readonly flushMs = usualFlushMs,
  ) {}

  add(projectId: string, sender: Automated, droppedEvents: number, seenAtMs: number): void {
    const date = isoDate(dayOf(seenAtMs));
    this.#merge({
      kind: "automated",
      projectId,
      date,
      category: sender.category,
      actor: this.#boundedActor(projectId, date, sender),
      requests: 1,
      droppedEvents,
      lastSeenAtMs: seenAtMs,
    });
    this.#flushSoon();
  }

  /** The last write, before the store closes. What that refuses now is lost, as it is when the process dies. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  /** Writes what has been gathered. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#writing !== null) await this.#writing;
    if (this.#waiting.size === 0) return;
    this.#writing = this.#write();
    await this.#writing;
  }

  async #write(): Promise<void> {
    const counts = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await this.append(counts);
      this.#genericActors = new Map();
      for (const count of this.#waiting.values())
        this.#boundedActor(count.projectId, count.date, count);
    } catch (error) {
      const fault = error instanceof Error ? error.name : typeof error;
      log("warn", "counts of automated requests wait for the store", {
        counts: counts.length,
        fault,
      });
      for (const count of counts) this.#merge(count);
      this.#flushSoon();
    } finally {
      this.#writing = null;
    }
  }

  #flushSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => void this.flush(), this.flushMs);
  }

  #merge(count: Count): void {
    const key = [count.projectId, count.date, count.category, count.actor].join(" ");
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.#waiting.set(key, count);
      return;
    }
    waiting.requests += count.requests;
    waiting.droppedEvents += count.droppedEvents;
    waiting.lastSeenAtMs = Math.max(waiting.lastSeenAtMs, count.lastSeenAtMs);
  }

  #boundedActor(
    projectId: string,
    date: string,
    { category, actor }: Pick<Count, "category" | "actor">,
  ): string {
    if (category !== "generic_bot" || actor === otherActor) return actor;
    const key = `${projectId} ${date}`;
    const actors = this.#genericActors.get(key) ?? new Set();
    this.#genericActors.set(key, actors);
    if (!actors.has(actor) && actors.size >= genericActorsPerDayMax) return otherActor;
    actors.add(actor);
    return actor;
  }
}
