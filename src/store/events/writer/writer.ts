import type { Database } from "bun:sqlite";
import { clock } from "../../../lib/clock";
import type { StoredTime } from "../../port";
import type { Committed } from "../../shared/append/committed";
import { parseGroup } from "../../shared/append/wire";
import type { InspectionNote } from "../compact/inspection-note";
import type { ImportAnswer, ImportChange } from "../protocol/import-messages";
import type { OverlapNote } from "../session/session-overlap";
import { hashSeedOf } from "../tables";
import { type Tuning, usualTuning } from "../tuning";
import { Commit } from "./commit";
import { Counters } from "./counters";
import { type ErasedNote, eraseUsers, noteErased } from "./erasing";
import { Flags } from "./flags";
import { Identities } from "./identities";
import { StoredImports } from "./imports";
import { AcceptedKeys } from "./keys/accepted-keys";
import { identify, unlink } from "./linking";
import { Profiles } from "./profiles";
import { Projects } from "./projects";
import { type Merge, Segments } from "./segments";
import { showAgain, storedTime } from "./stored-time";
import { sweepEnded, sweepImports, sweepPages, sweepPurged, sweepSegments } from "./sweep";
import { Tickets } from "./tickets";
import { Users } from "./users";
import type { WriterMemory } from "./writer-memory";

const setOverlap = "update segment set related = ? where id = ?";
const retireAll = "update segment set retired_at = ? where project_id = ? and retired_at is null";
const retireOlder = `
  update segment set retired_at = ? where project_id = ? and last_time < ? and retired_at is null`;
const raiseRetained = `
  update project set retained_from_ms = max(retained_from_ms, ?) where id = ?`;

const growVersion = "update project set data_version = data_version + 1 where id = ?";
const versionOf = "select data_version as version from project where name = ?";
const takeName = "update project set name = ?, data_version = data_version + 1 + ? where name = ?";

const insertEnded = `
  insert into ended_membership (project_id, membership) values (?, ?) on conflict do nothing`;
const insertProbe = "insert or replace into setting (name, value) values ('probe', ?)";
/** A probe needs more bytes than the free room of a page or two. */
const probeBytes = 256 * 1024;
const synchronousFull = 2;
/** After this long without a commit the file rests. */
const restingMs = 10_000;

/** The only writer of the events file. Every public method is one transaction. */
export class Writer {
  private memory: WriterMemory | null = null;
  private committedAtMs: number;
  private readonly isFull: boolean;
  private readonly segments: Segments;

  constructor(
    private readonly db: Database,
    private readonly tuning: Tuning = usualTuning,
  ) {
    this.segments = new Segments(db);
    const { synchronous } = db.query("pragma synchronous").get() as { synchronous: number };
    this.isFull = synchronous === synchronousFull;
    this.committedAtMs = storedTime(db).newestCommitMs ?? 0;
    this.memory = this.recall();
  }

  /** Stores a group of requests (see wire.ts), all or none. */
  commit(group: string): Committed {
    const { requests, lines } = parseGroup(group);
    this.committedAtMs = clock.nowMs();
    return this.transaction((memory) => {
      const commit = new Commit(memory, lines, this.committedAtMs);
      const changed = new Set<string>();
      const stored = requests.map((entries) => {
        let fresh = 0;
        for (const entry of entries) {
          const before = fresh;
          if (entry.kind === "events") fresh += commit.addEvents(entry);
          else if (entry.kind === "identity") identify(memory, entry);
          else memory.counters.automated(memory.projects.numberOf(entry.projectId), entry);
          // Repeats change no answer.
          if (entry.kind !== "events" || fresh > before) changed.add(entry.projectId);
        }
        return fresh;
      });
      for (const project of changed) this.grow(memory.projects.numberOf(project));
      for (const segment of commit.finish()) {
        this.segments.insert(segment);
        memory.projects.noteOwn(segment.info.projectId, segment.info.firstTime);
      }
      return commit.committed(stored);
    });
  }

  /**
   * Replaces the inputs of merges by their outputs. If an input was pruned or purged meanwhile, the merge changes
   * nothing, and the compactor plans again. Returns the number of merges done.
   */
  replace(merges: readonly Merge[]): number {
    return this.lazily(() => merges.filter((merge) => this.segments.replace(merge)).length);
  }

  /** Stores the compactor's notes on shared sessions. */
  noteOverlaps(overlaps: readonly OverlapNote[]): void {
    this.lazily(() => {
      for (const { id, overlap } of overlaps) this.db.query(setOverlap).run(overlap, id);
    });
  }

  /** Stores flagged texts, and the progress of the inspection. */
  noteInspection(note: InspectionNote): void {
    this.lazily(({ flags }) => {
      for (const project of flags.note(note)) this.grow(project);
    });
  }

  /** Hides events before a time, and retires the segments that have no others. The time never goes back. */
  forget(project: string, retainedFromMs: number): void {
    this.transaction(({ projects, flags }) => {
      // A project without events gets a number, too, as its first events may be late ones.
      const id = projects.numberOf(project);
      this.db.query(raiseRetained).run(retainedFromMs, id);
      this.db.query(retireOlder).run(clock.nowMs(), id, retainedFromMs);
      flags.forget(id, retainedFromMs);
      this.grow(id);
    });
  }

  /** Shows the events again that a clock ahead of time has hidden, as far as they still exist. */
  showAgain(aheadOfMs: number, retainedFromMs: number): StoredTime {
    return this.transaction(() => {
      showAgain(this.db, aheadOfMs, retainedFromMs);
      return storedTime(this.db);
    });
  }

  /** Hides a project from every read at once. The sweep deletes its rows from the file in many small steps. */
  purge(project: string): void {
    this.transaction((memory) => this.remove(memory, project));
  }

  /** Purges a project, and gives its name to the staging project. */
  replaceProject(project: string, staging: string): void {
    this.transaction((memory) => {
      const before = this.db.query(versionOf).get(project) as { version: number } | null;
      this.remove(memory, project);
      this.db.query(takeName).run(project, before?.version ?? 0, staging);
      memory.projects.forget(staging);
    });
  }

  /** Makes a step of an import. Only the last step and the removal wait for the disk. */
  changeImport(change: ImportChange): ImportAnswer {
    const work = (memory: WriterMemory): ImportAnswer => {
      const { answer, changed } = memory.imports.change(memory, this.segments, change);
      if (changed !== null) this.grow(changed);
      return answer;
    };
    const isLast = change.step === "store" || change.step === "remove";
    return isLast ? this.transaction(work) : this.lazily(work);
  }

  /** Notes that a membership has ended. The sweep deletes its rows in many small steps. */
  endMembership(project: string, membership: string): void {
    this.transaction(({ projects }) => {
      const id = projects.find(project);
      if (id !== null) this.db.query(insertEnded).run(id, membership);
    });
  }

  /**
   * Removes the link of an id that /identify made. Returns the id that it stood for, or null if it stood for itself.
   */
  unlink(project: string, previousId: string, membership: string | null): string | null {
    return this.transaction((memory) => {
      const owner = unlink(memory, project, previousId, membership);
      if (owner !== null) this.grow(memory.projects.numberOf(project));
      return owner;
    });
  }

  /** Removes the ids of a person, and notes the users whose events are to go. */
  erase(project: string, userIds: readonly string[]): void {
    this.transaction((memory) => {
      const id = memory.projects.find(project);
      if (id !== null && eraseUsers(this.db, memory, id, userIds)) this.grow(id);
    });
    // Ids that come again get other numbers.
    if (this.memory !== null) this.memory = { ...this.memory, users: new Users(this.db) };
  }

  /** No segment has an event of some erased users any more. */
  noteErased(note: ErasedNote): void {
    this.transaction(() => {
      noteErased(this.db, note, clock.nowMs());
      this.grow(note.project);
    });
  }

  /** Deletes a part of the data that no read needs any more. Returns whether there may be more. */
  sweep(): boolean {
    return this.lazily(({ keys }) => {
      const nowMs = clock.nowMs();
      const { db } = this;
      const isMore = [
        ...[sweepSegments(db, nowMs), sweepPurged(db), sweepEnded(db), sweepImports(db)],
        keys.sweep(this.keysAtMs()),
      ];
      if (isMore.includes(true)) return true;
      return sweepPages(this.db, Math.abs(nowMs - this.committedAtMs) > restingMs);
    });
  }

  /** Writes some bytes and deletes them, to find out whether the disk accepts writes again. */
  probe(): void {
    this.transaction(() => this.db.query(insertProbe).run("x".repeat(probeBytes)));
    this.transaction(() => this.db.query("delete from setting where name = 'probe'").run());
  }

  /** Copies the end of the log into the file, so that the log can start over. The compactor has copied the rest. */
  checkpoint(): void {
    this.db.query("pragma wal_checkpoint(passive)").get();
  }

  /** Increases the data version of a project, as its answers may change with this commit. */
  private grow(id: number): void {
    this.db.query(growVersion).run(id);
  }
  private remove({ projects, imports }: WriterMemory, project: string): void {
    const id = projects.find(project);
    if (id === null) return;
    this.db.query(retireAll).run(clock.nowMs(), id);
    this.db.query("delete from project where id = ?").run(id);
    this.db.query("insert into purged_project (id) values (?)").run(id);
    imports.forgetProject(id);
    projects.forget(project);
  }
  private transaction<T>(work: (memory: WriterMemory) => T): T {
    const memory = this.memory ?? this.recall();
    this.memory = memory;
    this.db.run("begin immediate");
    try {
      const result = work(memory);
      this.db.run("commit");
      return result;
    } catch (error) {
      if (this.db.inTransaction) this.db.run("rollback");
      // The memory may have users or keys that were rolled back.
      this.memory = null;
      throw error;
    }
  }

  /**
   * Runs a transaction without waiting for the disk. If a power cut undoes it, the same work is done again. The next
   * durable commit makes it durable, too.
   */
  private lazily<T>(work: (memory: WriterMemory) => T): T {
    if (!this.isFull) return this.transaction(work);
    this.db.run("pragma synchronous = normal");
    try {
      return this.transaction(work);
    } finally {
      this.db.run("pragma synchronous = full");
    }
  }

  /**
   * Returns the time for the expiry of idempotency keys. It is at most that of the last commit, whose clock was
   * trusted, so that no clock ahead of time makes keys expire.
   */
  private keysAtMs(): number {
    return Math.min(clock.nowMs(), this.committedAtMs);
  }
  private recall(): WriterMemory {
    const { db } = this;
    return {
      projects: new Projects(db),
      users: new Users(db),
      profiles: new Profiles(db),
      identities: new Identities(db),
      counters: new Counters(db),
      keys: new AcceptedKeys(db, hashSeedOf(db), this.keysAtMs(), this.tuning),
      tickets: new Tickets(db),
      flags: new Flags(db),
      imports: new StoredImports(db),
    };
  }
}
