/*
 * A move fills a second file.
 * Decision: a move writes events to `events.db.moving`, in the order of their tickets, together with its progress. The
 * file gets its final name when all data was compared and no server writes to the source any more.
 * Because: no server ever opens an incomplete file, and a move that was killed continues where it stopped.
 * Cost: each run writes the tables of people from the start.
 * Revisit: when the last run before a switch takes longer than a server may be down, for millions of their rows.
 */

import type { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../domain/event";
import { labelAs } from "../../installation";
import { refuseIfUnusable } from "../../migrate";
import type { Snapshot } from "../../questions";
import { StorageRefused } from "../../refused";
import { timeOfLine } from "../../shared/event-line";
import type { MovedEvent, MovedKey, MovedPeople, MovedProject } from "../../shared/moved";
import { questionsOf } from "../questions/questions";
import { openSnapshots } from "../read/snapshot";
import { monthOf } from "../segment/builder";
import { encodeRows } from "../segment/encode";
import { joinRows } from "../segment/rows";
import { openForCheckpoints, openForReading, openForWriting, schema } from "../tables";
import { Segments } from "../writer/segments";
import { Writer } from "../writer/writer";
import { MovedUsers } from "./moved-users";

/** More text than this is cut into several segments. */
const rowsBytesMax = 8 * 1024 * 1024;
const cacheBytes = 64 * 1024 * 1024;
/** After this many moved answers the log is copied into the file. */
const answersPerCheckpoint = 20;

const findSetting = "select value from setting where name = ?";
const putSetting = `
  insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value`;
const putProject = `
  insert into project (id, name, retained_from_ms, data_version) values (:id, :name, :retained, :version)
  on conflict (id) do update set name = :name, retained_from_ms = :retained, data_version = :version`;
const putLink = "insert into user_alias (project_id, user, canonical) values (?, ?, ?)";
const putProfile = "insert into profile (project_id, user, traits) values (?, ?, ?)";
const putEdge =
  "insert into identity_edge (project_id, membership, user, other) values (?, ?, ?, ?)";
const putEmail =
  "insert into email_digest (project_id, membership, digest, user) values (?, ?, ?, ?)";
const putReceived = "insert into received_day (project_id, date, event_count) values (?, ?, ?)";
const putAutomated = `
  insert into automated_day (project_id, date, category, actor, requests, dropped_events, last_seen_at)
  values (?, ?, ?, ?, ?, ?, ?)`;
const putKeys = "insert into accepted_key (accepted_at, hashes) values (?, ?)";
const peopleTables = [
  ...(["user_alias", "profile", "identity_edge", "email_digest"] as const),
  ...(["received_day", "automated_day"] as const),
];

const countEvents = `
  select coalesce(sum(event_count), 0) as events from current_segment where project_id = ?`;

/** The origin of the file, and the progress of each project. Servers do not read it. */
const sourceSetting = "moving from";
const throughSetting = (project: number): string => `moved through of ${project}`;

/** The file to which a store is moved. */
export class FileTarget {
  private readonly segments: Segments;
  private answers = 0;

  private constructor(
    private readonly dataDir: string,
    private readonly file: string,
    private readonly db: Database,
  ) {
    this.segments = new Segments(db);
  }

  /** `seed` is the seed of the source, by which it differs from other stores. */
  static open(dataDir: string, seed: bigint): FileTarget {
    const named = join(dataDir, "events.db");
    refuseIfSetAside(named);
    const file = `${named}.moving`;
    const db = openForWriting(file, "normal");
    const target = new FileTarget(dataDir, file, db);
    const from = target.setting(sourceSetting);
    if (from !== null && from !== String(seed)) {
      db.close();
      throw new StorageRefused(
        `${file} belongs to a move from another database. Delete it and run this again.`,
      );
    }
    target.within(() => {
      target.set("hash_seed", String(seed));
      target.set(sourceSetting, String(seed));
    });
    return target;
  }

  /** Sets the projects. The data of others is hidden, and the server deletes it. */
  putProjects(projects: readonly MovedProject[], versions: ReadonlyMap<string, number>): void {
    const { db } = this;
    const numbers = new Set(projects.map(({ number }) => number));
    const before = db.query("select id, name from project").all() as { id: number; name: string }[];
    const writer = new Writer(db);
    for (const { id, name } of before) if (!numbers.has(id)) writer.purge(name);
    this.within(() => {
      for (const { number, name, retainedFromMs } of projects) {
        const version = versions.get(name) ?? 0;
        db.query(putProject).run({ id: number, name, retained: retainedFromMs, version });
      }
    });
  }
  /** Replaces all data of a project except its events. */
  putPeople(project: MovedProject, people: MovedPeople): void {
    this.within(() => this.writePeople(project.number, people));
  }
  private writePeople(project: number, people: MovedPeople): void {
    const { db } = this;
    const users = new MovedUsers(db, project);
    for (const table of peopleTables)
      db.query(`delete from ${table} where project_id = ?`).run(project);
    for (const link of people.links) users.numberOf(link);
    for (const { parent, ...sender } of people.links) {
      if (parent === null) continue;
      db.query(putLink).run(project, users.numberOf(sender), users.numberOf(parent));
    }
    for (const { sender, traits } of people.profiles) {
      db.query(putProfile).run(project, users.numberOf(sender), traits);
    }
    for (const { membership, user, other } of people.edges) {
      db.query(putEdge).run(project, membership, user, other);
    }
    for (const { membership, digest, user } of people.emails) {
      db.query(putEmail).run(project, membership, digest, user);
    }
    for (const { date, events } of people.received)
      db.query(putReceived).run(project, date, events);
    for (const {
      date,
      category,
      actor,
      requests,
      droppedEvents,
      lastSeenAtMs,
    } of people.automated) {
      db.query(putAutomated).run(
        ...[project, date, category, actor, requests, droppedEvents, lastSeenAtMs],
      );
    }
  }

  /** Returns the ticket up to which the file has the events of a project. */
  movedThrough({ number }: MovedProject): number {
    return Number(this.setting(throughSetting(number)) ?? 0);
  }
  /** Adds batches of events that follow those in the file. Reports the number of events after each batch. */
  async putEvents(
    project: MovedProject,
    answers: AsyncIterable<readonly MovedEvent[]>,
    progress: (events: number) => void,
  ): Promise<void> {
    const users = new MovedUsers(this.db, project.number);
    let events = (this.db.query(countEvents).get(project.number) as { events: number }).events;
    for await (const answer of answers) {
      this.within(() => {
        for (const part of parts(answer)) this.insert(project.number, users, part);
        this.set(throughSetting(project.number), String(answer.at(-1)?.ticket ?? 0));
      });
      if (++this.answers % answersPerCheckpoint === 0)
        this.db.run("pragma wal_checkpoint(truncate)");
      events += answer.length;
      progress(events);
    }
  }
  putKeys(keys: readonly MovedKey[], lastTicket: number): void {
    this.within(() => {
      this.db.run("delete from accepted_key");
      for (const [acceptedAtMs, some] of Map.groupBy(keys, (one) => one.acceptedAtMs)) {
        const hashes = BigUint64Array.from(some, ({ key }) => BigInt.asUintN(64, key));
        this.db.query(putKeys).run(acceptedAtMs, new Uint8Array(hashes.buffer));
      }
      this.set("last_ticket", String(lastTicket));
    });
  }
  /** Answers questions in the same way as a server on the file. */
  async asked<Result>(work: (questions: Snapshot) => Promise<Result>): Promise<Result> {
    const snapshots = openSnapshots(this.file, cacheBytes, () => false);
    try {
      return await snapshots.within((snapshot) => work(questionsOf(snapshot)));
    } finally {
      snapshots.close();
    }
  }

  /** Gives the file the name that a server opens. An earlier file that has events gets another name. */
  finish(): void {
    const named = join(this.dataDir, "events.db");
    refuseIfSetAside(named);
    labelAs(this.dataDir, this.db);
    emptyLog(this.db, this.file);
    if (hasProjects(named)) {
      const before = openForCheckpoints(named);
      emptyLog(before, named);
      renameSync(named, asideOf(named));
    }
    removeFiles(named, ["", ...besides]);
    renameSync(this.file, named);
    removeFiles(this.file, besides);
    const folder = openSync(this.dataDir, "r");
    fsyncSync(folder);
    closeSync(folder);
  }
  close(): void {
    this.db.close();
  }

  private insert(project: number, users: MovedUsers, part: readonly MovedEvent[]): void {
    const times = part.map(({ line }) => timeOfLine(line));
    const bounds = { firstTime: Math.min(...times), lastTime: Math.max(...times) };
    const text = joinRows({
      tickets: part.map(({ ticket }) => ticket),
      users: part.map(({ sender }) => (sender === null ? 0 : users.numberOf(sender))),
      lines: part.map(({ line }) => line),
    });
    const info = { projectId: project, ...bounds, eventCount: part.length };
    this.segments.insert(encodeRows({ ...info, encoding: "rows" }, text));
  }
  private setting(name: string): string | null {
    return (this.db.query(findSetting).get(name) as { value: string } | null)?.value ?? null;
  }
  private set(name: string, value: string): void {
    this.db.query(putSetting).run(name, value);
  }
  private within(work: () => void): void {
    this.db.transaction(work).immediate();
  }
}

/** Yields parts of limited size, each with the events of one month. */
function* parts(events: readonly MovedEvent[]): Iterable<readonly MovedEvent[]> {
  const open = new Map<number, { events: MovedEvent[]; bytes: number }>();
  for (const event of events) {
    const month = monthOf(dayOf(timeOfLine(event.line)));
    const part = open.get(month) ?? { events: [], bytes: 0 };
    open.set(month, part);
    part.events.push(event);
    part.bytes += event.line.length;
    if (part.bytes <= rowsBytesMax) continue;
    yield part.events;
    open.delete(month);
  }
  for (const part of open.values()) yield part.events;
}

/** A server with ClickHouse leaves the empty file that it created at its first start. */
function hasProjects(file: string): boolean {
  if (!existsSync(file)) return false;
  refuseIfUnusable(file, schema);
  const db = openForReading(file);
  try {
    return db.query("select 1 from project limit 1").get() !== null;
  } finally {
    db.close();
  }
}

const asideOf = (file: string): string => `${file}.before`;

function refuseIfSetAside(file: string): void {
  const aside = asideOf(file);
  if (!hasProjects(file) || !existsSync(aside)) return;
  throw new StorageRefused(
    `${aside} exists from an earlier move, and this move would overwrite it with ${file}. Move it to ` +
      "another place and run this again.",
  );
}

/** Copies the log into the file and closes it. Log files beside it, perhaps of a killed process, then have no data. */
function emptyLog(db: Database, file: string): void {
  const { busy } = db.query("pragma wal_checkpoint(truncate)").get() as { busy: number };
  db.close();
  if (busy !== 0) throw new StorageRefused(`Another process uses ${file}. Run this again.`);
}
const besides = ["-wal", "-shm"];

function removeFiles(file: string, ends: readonly string[]): void {
  for (const end of ends) rmSync(file + end, { force: true });
}
