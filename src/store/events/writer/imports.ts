/*
 * An import is staged, then stored by one transaction.
 * Decision: the segments of an import have its number. They are hidden until all of them are there, and the compactor
 * merges them only with each other. One statement shows them when the import is stored, and one retires them when it
 * is removed.
 * Because: no read sees half an import or spends time on hidden segments, and the events of an import can always be
 * removed.
 * Cost: each import has its own small segments, and newer segments need new notes on shared sessions.
 * Revisit: when projects have hundreds of small imports.
 */

import type { Database } from "bun:sqlite";
import { ApiError } from "../../../domain/errors";
import { clock } from "../../../lib/clock";
import type { RemovedEvents } from "../../imports";
import type {
  ImportAnswer,
  ImportBegin,
  ImportChange,
  ImportPlace,
  StagedPiece,
} from "../protocol/import-messages";
import { ImportedPeople } from "./imported-people";
import { keptEvents } from "./kept-events";
import type { Profiles } from "./profiles";
import type { Projects } from "./projects";
import type { Segments } from "./segments";
import type { Tickets } from "./tickets";
import type { Users } from "./users";

const findImport = `
  select import.id, project_id as projectId, content, is_stored as isStored, first_ticket as firstTicket, staged
  from import where name = ?`;
const insertImport = `
  insert into import (project_id, name, content, first_ticket) values (?, ?, ?, ?)`;
const noteStaged = "update import set staged = ? where id = ?";
const insertKeys = "insert into import_key (import_id, part, hashes) values (?, ?, ?)";
const showSegments = "update segment set is_staged = 0 where import_id = ?";
const noteStored = "update import set is_stored = 1 where id = ?";
/**
 * Deletes the notes on shared sessions of newer segments. Notes name older segments, and those made while the import
 * was hidden do not name its segments.
 */
const unrelateNewer = `
  update segment set related = null
  where project_id = ?1 and related is not null and id > (select min(id) from segment where import_id = ?2)`;
const retireSegments =
  "update segment set retired_at = ? where import_id = ? and retired_at is null";
const deleteImport = "delete from import where id = ?";
const insertRemoved = "insert into removed_import (id) values (?)";
const removeImportsOf = `
  insert into removed_import (id) select id from import where project_id = ?`;
const deleteImportsOf = "delete from import where project_id = ?";
const staleImports = `
  select name from import where is_stored = 0 and name not in (select value from json_each(?))`;

interface StoredImport {
  readonly id: number;
  readonly projectId: number;
  readonly content: string;
  readonly isStored: 0 | 1;
  readonly firstTicket: number;
  readonly staged: number;
}

/** The parts of the writer's memory that an import changes. */
interface ImportMemory {
  readonly projects: Projects;
  readonly users: Users;
  readonly profiles: Profiles;
  readonly tickets: Tickets;
}

interface Removed {
  readonly projectId: number;
  readonly answer: RemovedEvents;
  readonly wasSeen: boolean;
}

/** The imports of all projects. Each method is a part of the writer's transaction. */
export class StoredImports {
  private readonly people: ImportedPeople;

  constructor(private readonly db: Database) {
    this.people = new ImportedPeople(db);
  }

  /** Makes a step. Returns its answer, and the number of the project whose answers it changes; else null. */
  change(
    memory: ImportMemory,
    segments: Segments,
    change: ImportChange,
  ): { readonly answer: ImportAnswer; readonly changed: number | null } {
    switch (change.step) {
      case "begin":
        return { answer: this.begin(memory, change.begin), changed: null };
      case "number users":
        return { answer: this.numberUsers(memory, change.name, change.users), changed: null };
      case "stage":
        this.stage(segments, change.name, change.piece);
        return { answer: null, changed: null };
      case "store":
        return { answer: null, changed: this.store(memory, change.name) };
      case "remove": {
        const removed = this.remove(memory, change.name);
        if (removed === null) return { answer: null, changed: null };
        const changed = removed.wasSeen ? removed.projectId : null;
        return { answer: removed.answer, changed };
      }
      case "drop others":
        this.dropOthers(memory, change.names);
        return { answer: null, changed: null };
    }
  }

  /** Removes the imports of a removed project. The caller retires their segments with all others. */
  forgetProject(projectId: number): void {
    this.db.query(removeImportsOf).run(projectId);
    this.db.query(deleteImportsOf).run(projectId);
  }

  /** Begins an import, or returns its progress. It drops the staged pieces of an earlier check of the file. */
  private begin(
    memory: ImportMemory,
    { name, projectId, content, events }: ImportBegin,
  ): ImportPlace {
    const before = this.find(name);
    if (before !== null && (before.isStored === 1 || before.content === content)) {
      const { isStored, firstTicket, staged } = before;
      return { isStored: isStored === 1, firstTicket, staged };
    }
    if (before !== null) this.drop(before);
    const project = memory.projects.numberOf(projectId);
    const firstTicket = memory.tickets.take(events, clock.nowMs());
    this.db.query(insertImport).run(project, name, content, firstTicket);
    return { isStored: false, firstTicket, staged: 0 };
  }

  /** Returns the numbers of users in the import's project, with new numbers for new users. */
  private numberUsers({ users }: ImportMemory, name: string, names: readonly string[]): number[] {
    const { projectId } = this.staged(name);
    return names.map((user) => users.numberOf(projectId, user));
  }

  /** Adds hidden segments, in the order of the pieces. */
  private stage(segments: Segments, name: string, piece: StagedPiece): void {
    const { id, projectId, staged } = this.staged(name);
    // A piece may come a second time, if a crash prevented the first answer.
    if (piece.number <= staged) return;
    const marks = { isInspected: 0, importId: id, isStaged: 1 } as const;
    for (const { info, ...segment } of piece.segments) {
      segments.insert({ ...segment, info: { ...info, projectId } }, marks);
    }
    this.people.stage({ importId: id, projectId }, piece.people);
    for (const { part, hashes } of piece.keys) this.db.query(insertKeys).run(id, part, hashes);
    this.db.query(noteStaged).run(piece.number, id);
  }

  /** Shows the staged segments and people. Returns the number of the project. */
  private store(memory: ImportMemory, name: string): number {
    const { id, projectId } = this.staged(name);
    this.people.show(memory, { importId: id, projectId });
    this.db.query(showSegments).run(id);
    this.db.query(unrelateNewer).run(projectId, id);
    this.db.query(noteStored).run(id);
    return projectId;
  }

  /** Removes an import, stored or not. Returns its project and the number of its events; null if there is none. */
  private remove(memory: ImportMemory, name: string): Removed | null {
    const found = this.find(name);
    if (found === null) return null;
    const { id: importId, projectId } = found;
    const { events, firstMs: firstKeptMs } = keptEvents(this.db, projectId, importId);
    if (found.isStored === 1) this.people.takeBack(memory, { importId, projectId });
    this.drop(found);
    return { projectId, answer: { events, firstKeptMs }, wasSeen: found.isStored === 1 };
  }

  /** Drops the staged imports that are not among these, as nobody will continue them. */
  private dropOthers(memory: ImportMemory, names: readonly string[]): void {
    const stale = this.db.query(staleImports).all(JSON.stringify(names)) as { name: string }[];
    for (const { name } of stale) this.remove(memory, name);
  }

  private drop({ id }: StoredImport): void {
    this.db.query(retireSegments).run(clock.nowMs(), id);
    this.db.query(deleteImport).run(id);
    this.db.query(insertRemoved).run(id);
  }
  private staged(name: string): StoredImport {
    const found = this.find(name);
    // The import or its project was deleted meanwhile.
    if (found === null || found.isStored === 1) {
      throw new ApiError("NOT_FOUND", "The import was deleted while it was being stored.");
    }
    return found;
  }
  private find(name: string): StoredImport | null {
    return this.db.query(findImport).get(name) as StoredImport | null;
  }
}
