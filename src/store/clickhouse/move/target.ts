/*
 * A move adds the events that are not there.
 * Decision: a run writes all people, counters and keys again, and the events whose tickets the table does not have;
 * it keeps no note of its progress.
 * Because: an event never changes, segments of the file come and go, and a note could say more than is there.
 * Cost: another run reads all events of the file, and the tickets of the table.
 * Revisit: when the last run before a switch takes longer than a server may be down.
 */

import { randomUUID } from "node:crypto";
import type { ClickHousePlace } from "../../../config-clickhouse";
import { secondMs } from "../../../lib/clock";
import type { Snapshot } from "../../questions";
import { StorageRefused } from "../../refused";
import type { MovedContent, MovedKey, MovedProject, MovedStore } from "../../shared/moved";
import { ClickHouse } from "../client";
import { migrate } from "../migrate";
import type { Moment } from "../moment";
import { questionsOf } from "../questions/questions";
import { refusedFor } from "../refused-for";
import { removeRows } from "../remove";
import { RowBinary } from "../row-binary";
import type { Bound } from "../sql/bound";
import { OpenRead } from "../sql/open-read";
import { committedTables } from "../tables";
import { insertMsMax, Owner } from "../writer/owner";
import { eventInserts } from "./event-inserts";
import { counted, countUp } from "./note";
import { rowsOfContent } from "./people-rows";

const keysPerInsert = 100_000;

/**
 * The database into which a store is moved, and to which nothing else was written. Each run writes people, counters and
 * keys again, and adds the events that are not there yet: an interrupted move continues with its next run, and a run
 * after a finished move adds what came since.
 */
export class ClickHouseTarget {
  private readonly run = randomUUID();
  private inserts = 0;

  private constructor(
    private readonly place: ClickHousePlace,
    private readonly clickhouse: ClickHouse,
    private readonly owner: Owner,
    private readonly moves: number,
    /** The number of the commit under which this run writes every row. */
    private readonly commit: number,
  ) {}

  static async open(place: ClickHousePlace, store: MovedStore): Promise<ClickHouseTarget> {
    const clickhouse = new ClickHouse(place);
    return refusedFor(place, async () => {
      await migrate(clickhouse);
      const owner = new Owner(clickhouse);
      await owner.take();
      try {
        const commits = await lastCommit(clickhouse);
        if (commits > (await counted(clickhouse, "moved_commit"))) throw written(place);
        const moves = await counted(clickhouse, "moves");
        const commit = Math.max(commits, store.version) + 1;
        const target = new ClickHouseTarget(
          place,
          clickhouse,
          owner,
          moves + ((moves + 1) % 2),
          commit,
        );
        // A server that waits for this lease must not mistake a long move for a process that has ended.
        owner.keep(() => undefined);
        await target.begin(store);
        return target;
      } catch (error) {
        await owner.release();
        throw error;
      }
    });
  }

  /** `progress` is called after each insert with the number of the project's events that are there. */
  copy(
    project: MovedProject,
    content: MovedContent,
    progress: (events: number) => void,
  ): Promise<void> {
    return refusedFor(this.place, () => this.copyRows(project, content, progress));
  }
  private async copyRows(
    project: MovedProject,
    content: MovedContent,
    progress: (events: number) => void,
  ): Promise<void> {
    const { name, number, retainedFromMs } = project;
    const { commit } = this;
    const row = new RowBinary().text(name).int64(number).int64(retainedFromMs).int64(commit);
    await this.insert("project", row);
    for (const { table, rows } of rowsOfContent(number, commit, content)) {
      await this.insert(table, rows);
    }
    await this.copyEvents(number, content, progress);
    await this.mark(name, content.lastTicket);
  }
  /** One insert at a time, as a table with a quorum takes no more; the rows of the next one are made meanwhile. */
  private async copyEvents(
    project: number,
    { events: groups }: MovedContent,
    progress: (events: number) => void,
  ): Promise<void> {
    let there = 0;
    let stored: Promise<void> = Promise.resolve();
    try {
      for await (const { rows, events } of eventInserts(this.clickhouse, project, groups)) {
        await stored;
        progress(there);
        there += events;
        if (rows === null) continue;
        await this.owner.check();
        stored = this.send("event", rows);
      }
    } finally {
      // Nothing is under way when the lease is given back, whatever else has failed.
      await Promise.allSettled([stored]);
    }
    await stored;
    progress(there);
  }
  /** Answers questions about the project as a server on this database would. */
  questions({ number, name, retainedFromMs }: MovedProject, content: MovedContent): Snapshot {
    const moment: Moment = {
      projects: new Map([[name, { number, retainedFromMs }]]),
      lastTicket: content.lastTicket,
      lastCommit: this.commit,
      linked: new Set(content.links.length > 0 ? [number] : []),
      versions: new Map(),
    };
    return questionsOf(new OpenRead(this.clickhouse, moment));
  }
  finish(keys: readonly MovedKey[], lastTicket: number): Promise<void> {
    return refusedFor(this.place, () => this.finishRows(keys, lastTicket));
  }
  private async finishRows(keys: readonly MovedKey[], lastTicket: number): Promise<void> {
    for (let from = 0; from < keys.length; from += keysPerInsert) {
      const rows = new RowBinary();
      for (const { key, acceptedAtMs } of keys.slice(from, from + keysPerInsert)) {
        rows.big(key).int64(acceptedAtMs);
      }
      await this.insert("moved_key", rows);
    }
    await this.mark("", lastTicket);
    await countUp(this.clickhouse, "moves", this.moves + 1);
  }
  async close(): Promise<void> {
    await this.owner.release();
  }

  private async begin({ projects, hashSeed, lastTicket }: MovedStore): Promise<void> {
    const { clickhouse } = this;
    await countUp(clickhouse, "moves", this.moves);
    await countUp(clickhouse, "moved_commit", this.commit);
    for (const table of [...committedTables, "moved_key"] as const) {
      await this.remove(table, () => "1 = 1");
    }
    const numbers = projects.map(({ number }) => number);
    await this.remove("event", (bound) => `project not in ${bound.integers(numbers)}`);
    await this.remove("setting", () => `name = 'hash_seed' and value != '${hashSeed}'`);
    await this.insert("setting", new RowBinary().text("hash_seed").text(String(hashSeed)));
    await this.mark("", lastTicket);
  }
  private mark(name: string, lastTicket: number): Promise<void> {
    return this.insert(
      "committed",
      new RowBinary().text(name).int64(this.commit).int64(lastTicket),
    );
  }
  /** Inserts rows, unless another process has begun to write. */
  private async insert(table: string, rows: RowBinary): Promise<void> {
    if (rows.isEmpty) return;
    await this.owner.check();
    await this.send(table, rows);
  }
  /** What calls it has made sure in the same moment that no other process writes. */
  private send(table: string, rows: RowBinary): Promise<void> {
    return this.clickhouse.insert(`${this.clickhouse.database}.${table}`, rows.done(), {
      max_execution_time: insertMsMax / secondMs,
      insert_deduplication_token: `${this.run} ${this.inserts++}`,
    });
  }
  private remove(table: string, where: (bound: Bound) => string): Promise<void> {
    return removeRows(this.clickhouse, table, where, () => this.owner.check());
  }
}

async function lastCommit(clickhouse: ClickHouse): Promise<number> {
  const [{ commits }] = await clickhouse.rows<{ commits: number }>(
    `select max(commit) as commits from ${clickhouse.database}.committed`,
  );
  return commits;
}

const written = ({ database }: ClickHousePlace): StorageRefused =>
  new StorageRefused(
    `A server has already stored events in the database "${database}", and the move would mix them with ` +
      "yours. Set CLICKHOUSE_DATABASE to another database.",
  );
