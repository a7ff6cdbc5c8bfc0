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
/** More than the free room of a page or two. */
const probeBytes = 256 * 1024;
const synchronousFull = 2;
/** After this long without a commit. */
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
          // Repeats are seen by nobody.
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
   * Puts compacted segments in the place of their inputs. A merge whose inputs are not all there any more (pruned or
   * purged meanwhile) changes nothing; what is left is planned again. Returns the number of merges done.
   */
  replace(merges: readonly Merge[]): number {
    return this.lazily(() => merges.filter((merge) => this.segments.replace(merge)).length);
  }

  /** Keeps what the compactor found of segments. */
  noteOverlaps(overlaps: readonly OverlapNote[]): void {
    this.lazily(() => {
      for (const { id, overlap } of overlaps) this.db.query(setOverlap).run(overlap, id);
    });
  }

  /** Keeps what was found in texts of visitors, and how far they were looked through. */
  noteInspection(note: InspectionNote): void {
    this.lazily(({ flags }) => {
      for (const project of flags.note(note)) this.grow(project);
    });
  }

  /** What is older is hidden from now on; segments that hold nothing else are retired. Never goes back. */
  forget(project: string, retainedFromMs: number): void {
    this.transaction(({ projects, flags }) => {
      // A project that has sent nothing yet gets a number too: its first events may be late ones.
      const id = projects.numberOf(project);
      this.db.query(raiseRetained).run(retainedFromMs, id);
      this.db.query(retireOlder).run(clock.nowMs(), id, retainedFromMs);
      flags.forget(id, retainedFromMs);
      this.grow(id);
    });
  }

  /** Shows again what a clock that was ahead has hidden, as far as it is still there. */
  showAgain(aheadOfMs: number, retainedFromMs: number): StoredTime {
    return this.transaction(() => {
      showAgain(this.db, aheadOfMs, retainedFromMs);
      return storedTime(this.db);
    });
  }

  /** Removes everything of a project from every read at once, and from the file bit by bit. */
  purge(project: string): void {
    this.transaction((memory) => this.remove(memory, project));
  }

  /** The staging project gets the name of the project that it replaces, which is purged. */
  replaceProject(project: string, staging: string): void {
    this.transaction((memory) => {
      const before = this.db.query(versionOf).get(project) as { version: number } | null;
      this.remove(memory, project);
      this.db.query(takeName).run(project, before?.version ?? 0, staging);
      memory.projects.forget(staging);
    });
  }

  /** A step of an import. Only the last one, and its removal, must be on the disk when they end. */
  changeImport(change: ImportChange): ImportAnswer {
    const work = (memory: WriterMemory): ImportAnswer => {
      const { answer, changed } = memory.imports.change(memory, this.segments, change);
      if (changed !== null) this.grow(changed);
      return answer;
    };
    const isLast = change.step === "store" || change.step === "remove";
    return isLast ? this.transaction(work) : this.lazily(work);
  }

  /** What was kept under a membership that has ended is removed from the file bit by bit. */
  endMembership(project: string, membership: string): void {
    this.transaction(({ projects }) => {
      const id = projects.find(project);
      if (id !== null) this.db.query(insertEnded).run(id, membership);
    });
  }

  /**
   * Takes back what /identify told of an id: it stands for itself again. Returns the id that it stood for, or null
   * when it stands for itself.
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

  /** Frees a little of what no read can need any more. True when there is more to do. */
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

  /** Writes something and takes it back: whether the disk takes writes again. */
  probe(): void {
    this.transaction(() => this.db.query(insertProbe).run("x".repeat(probeBytes)));
    this.transaction(() => this.db.query("delete from setting where name = 'probe'").run());
  }

  /** Copies the end of the log into the file, so that the log can start over. The compactor has copied the most. */
  checkpoint(): void {
    this.db.query("pragma wal_checkpoint(passive)").get();
  }

  /** What reads of a project see is another from this commit on. */
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
      // It may name users or keys that were rolled back.
      this.memory = null;
      throw error;
    }
  }

  /**
   * A transaction that need not be on the disk when it ends: a power cut may undo it, which only means that it is done
   * again. The next commit that must be durable takes it along.
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
   * The time at which keys of repeats expire: commits are made under a clock that is trusted, so no clock that is ahead
   * lets them go.
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
