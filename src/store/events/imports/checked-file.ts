/*
 * A check prepares its own store.
 * Decision: the events that a commit would store lie in a file beside the upload, with the tables of events.db. The
 * report asks this file the questions of reads, and a commit copies its segments under the project's numbers.
 * Because: the report needs no second implementation of the rules of reads, and a commit needs no sorting.
 * Cost: events are written twice.
 * Revisit: if commits must take less than a second.
 */

import type { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { AutomatedDay } from "../../exports";
import type { DiskLink } from "../../shared/scratch/disk-links";
import { mergedTraits, type Traits, textOfTraits } from "../../shared/traits";
import { columnsOf } from "../compact/compaction";
import type { ImportedKeys } from "../protocol/import-messages";
import { quickLevel } from "../segment/codec";
import type { Hash } from "../segment/hash";
import { joinRows } from "../segment/rows";
import { openForWriting } from "../tables";
import { usualTuning } from "../tuning";
import { Segments } from "../writer/segments";
import { Users } from "../writer/users";
import { keyParts, partOf } from "./seen-keys";
import type { SortedRow } from "./sorted-rows";

/** The only project of a checked file has this number. */
export const checkedProject = 1;

/** The file is written from beginning to end. */
const cacheKib = 8 * 1024;
/** The events of one segment-to-be, and the text of their lines. */
const chunkEventsMax = 32_768;
const chunkCharsMax = 4 * 1024 * 1024;

const putSeed = "update setting set value = ? where name = 'hash_seed'";
const putProject = "insert into project (id, name) values (?, ?)";
const putLink = `
  insert into user_alias (project_id, user, canonical) values (?, ?, ?) on conflict do nothing`;
const putKeys = "insert into import_key (import_id, part, hashes) values (?, ?, ?)";
const putImportedLink = `
  insert into import_link (import_id, project_id, user, canonical) values (?, ?, ?, ?)`;
const findProfile = "select traits from import_profile where import_id = ? and user = ?";
const putProfile = `
  insert into import_profile (import_id, project_id, user, traits) values (?, ?, ?, ?)
  on conflict do update set traits = excluded.traits`;
const putAutomated = `
  insert into import_automated_day
    (import_id, project_id, date, category, actor, requests, dropped_events, last_seen_at)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set
    requests = requests + excluded.requests, dropped_events = dropped_events + excluded.dropped_events,
    last_seen_at = max(last_seen_at, excluded.last_seen_at)`;
/** The rows of a checked file belong to no import yet. */
export const noImport = 0;
const keysPerBlock = 8_192;

/** Writes a checked file. */
export class CheckedFile {
  private readonly db: Database;
  private readonly users: Users;
  private readonly segments: Segments;
  private chunk: SortedRow[] = [];
  private chars = 0;
  private nextTicket = 1;
  private readonly keys: number[][] = Array.from({ length: keyParts }, () => []);

  /**
   * `seed` is the seed of the store into which the file will be copied, so that sessions have the same keys in both.
   */
  constructor(
    private readonly file: string,
    projectId: string,
    private readonly seed: bigint,
    /** Returns the id for which an id stands in the project; null if it stands for itself. */
    private readonly linkedTo: (userId: string) => string | null,
  ) {
    this.db = openForWriting(file, "normal");
    this.db.run("pragma synchronous = off");
    this.db.run("pragma wal_autocheckpoint = 1000");
    this.db.run(`pragma cache_size = -${cacheKib}`);
    this.db.query(putSeed).run(String(seed));
    this.db.query(putProject).run(checkedProject, projectId);
    this.users = new Users(this.db);
    this.segments = new Segments(this.db);
  }

  get events(): number {
    return this.nextTicket - 1;
  }

  /** Adds an event that a commit stores. Events come in the order of the ids that they will have. */
  add(row: SortedRow): void {
    this.nextTicket++;
    this.chars += row.line.length;
    this.chunk.push(row);
    this.note(row);
    if (this.chunk.length === chunkEventsMax || this.chars > chunkCharsMax) this.flush();
  }
  addLink({ id, other }: DiskLink): void {
    const numbers = [this.numberOf(id), this.numberOf(other)];
    this.db.query(putImportedLink).run(noImport, checkedProject, ...numbers);
  }
  /** Adds traits. Later rows of the same user win. */
  addProfile([userId, traits]: readonly [userId: string, traits: Traits], key: Hash): void {
    const user = this.numberOf(userId);
    const before = this.db.query(findProfile).get(noImport, user) as { traits: string } | null;
    const all = before === null ? traits : mergedTraits(JSON.parse(before.traits), traits);
    this.db.query(putProfile).run(noImport, checkedProject, user, textOfTraits(all));
    this.note({ key });
  }
  addAutomatedDay(day: AutomatedDay, key: Hash): void {
    const { date, category, actor, requests, dropped_events, last_seen_at } = day;
    const counts = [requests, dropped_events, last_seen_at];
    this.db
      .query(putAutomated)
      .run(...[noImport, checkedProject, date, category, actor, ...counts]);
    this.note({ key });
  }
  /** Runs some work in one transaction, which costs less than a transaction for each row. */
  within(work: () => void): void {
    this.db.transaction(work)();
  }
  /** Notes the key of a row that is stored or counted, so that another import finds the row. */
  note({ key }: Pick<SortedRow, "key">): void {
    const part = partOf(key);
    const keys = this.keys[part];
    keys.push(key[0], key[1]);
    if (keys.length >= 2 * keysPerBlock) this.flushKeys(part);
  }

  /** Ends the file. All its data is on the disk when this returns. */
  finish(): void {
    this.flush();
    this.within(() => {
      for (let part = 0; part < keyParts; part++) this.flushKeys(part);
    });
    this.db.run("pragma wal_checkpoint(truncate)");
    this.db.close();
    const file = openSync(this.file, "r");
    fsyncSync(file);
    closeSync(file);
  }
  /** Closes a file that will not be used. */
  abandon(): void {
    this.db.close();
  }

  private flush(): void {
    if (this.chunk.length > 0) this.within(() => this.writeChunk());
    this.chunk = [];
    this.chars = 0;
    Bun.gc(true); // Columns and their packed bytes are far more than the heap shows of them.
  }
  private writeChunk(): void {
    const { chunk, seed } = this;
    const text = joinRows({
      tickets: this.nextTicket - chunk.length,
      users: chunk.map(({ user }) => (user === null ? 0 : this.numberOf(user))),
      lines: chunk.map(({ line }) => line),
    });
    const eventCount = chunk.length;
    const options = { projectId: checkedProject, eventCount, seed, tuning: usualTuning };
    for (const segment of columnsOf([text], { ...options, level: quickLevel })) {
      this.segments.insert(segment);
    }
  }
  private numberOf(user: string): number {
    const number = this.users.numberOf(checkedProject, user);
    const linked = this.linkedTo(user);
    if (linked !== null) {
      const canonical = this.users.numberOf(checkedProject, linked);
      this.db.query(putLink).run(checkedProject, number, canonical);
    }
    return number;
  }
  private flushKeys(part: number): void {
    const keys = this.keys[part];
    if (keys.length === 0) return;
    this.db.query(putKeys).run(noImport, part, new Uint8Array(Uint32Array.from(keys).buffer));
    this.keys[part] = [];
  }
}

const allKeys = "select part, hashes from import_key order by id limit ? offset ?";

/** Reads the keys of a checked file, some at a time. */
export const checkedKeys = (db: Database, count: number, from: number): ImportedKeys[] =>
  db.query(allKeys).all(count, from) as ImportedKeys[];
