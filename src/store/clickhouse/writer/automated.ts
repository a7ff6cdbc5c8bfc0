import { genericActorsPerDayMax } from "../../../domain/limits";
import type { AutomatedEntry } from "../../port";
import type { ClickHouse } from "../client";
import { Bound } from "../sql/bound";
import type { Commit } from "./commit";

interface Sums {
  requests: number;
  dropped: number;
  lastSeenMs: number;
}

/** Anyone can invent actors of this category, so that only this many are counted one by one on each day. */
const openCategory = "generic_bot";
const otherActor = "Other";

/** Counts filtered requests per day and actor: it reads the count so far, and adds a row with the new sum. */
export class AutomatedSums {
  private readonly sums = new Map<string, Sums>();
  private readonly actors = new Map<string, number>();

  constructor(private readonly clickhouse: ClickHouse) {}

  async load(project: number, entries: readonly AutomatedEntry[]): Promise<void> {
    const bound = new Bound();
    const rows = await this.clickhouse.rows<{
      date: string;
      category: string;
      actor: string;
      requests: number;
      dropped: number;
      seen: number;
    }>(
      `select date, category, actor, argMax(row.requests, commit) as requests,
        argMax(row.dropped_events, commit) as dropped, argMax(row.last_seen_at, commit) as seen
      from ${this.clickhouse.database}.automated_day as row
      where project = ${bound.integer(project)}
        and date in ${bound.texts([...new Set(entries.map(({ date }) => date))])}
      group by date, category, actor`,
      bound.values,
    );
    for (const { date, category, actor, requests, dropped, seen } of rows) {
      this.note(project, date, category, actor, { requests, dropped, lastSeenMs: seen });
    }
  }

  add(commit: Commit, entry: AutomatedEntry): void {
    const { projectId, date, category, requests, droppedEvents, lastSeenAtMs } = entry;
    const project = commit.numberOf(projectId);
    const actor = this.mayCount(project, entry) ? entry.actor : otherActor;
    const before = this.sums.get(keyOf(project, date, category, actor));
    const sums: Sums = {
      requests: (before?.requests ?? 0) + requests,
      dropped: (before?.dropped ?? 0) + droppedEvents,
      lastSeenMs: Math.max(before?.lastSeenMs ?? 0, lastSeenAtMs),
    };
    this.note(project, date, category, actor, sums);
    commit.put("automated_day", keyOf(project, date, category, actor), (rows) => {
      rows.int64(project).text(date).text(category).text(actor);
      rows.int64(sums.requests).int64(sums.dropped).int64(sums.lastSeenMs).int64(commit.number);
    });
    commit.touch(projectId);
  }

  private mayCount(project: number, { date, category, actor }: AutomatedEntry): boolean {
    if (category !== openCategory || this.sums.has(keyOf(project, date, category, actor)))
      return true;
    return (this.actors.get(`${project} ${date}`) ?? 0) < genericActorsPerDayMax;
  }
  private note(project: number, date: string, category: string, actor: string, sums: Sums): void {
    const key = keyOf(project, date, category, actor);
    if (category === openCategory && actor !== otherActor && !this.sums.has(key)) {
      const day = `${project} ${date}`;
      this.actors.set(day, (this.actors.get(day) ?? 0) + 1);
    }
    this.sums.set(key, sums);
  }
}

const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);
