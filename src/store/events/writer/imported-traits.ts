import type { Database } from "bun:sqlite";
import { mergedTraits, type Traits } from "../../shared/traits";

const findNotes = `
  select import_id as importId, traits from import_profile
  where project_id = ? and user = ? and is_set = 1 and import_id in (select id from import where is_stored = 1)`;
const findNote =
  "select traits from import_profile where import_id = ? and user = ? and is_set = 1";
const putNote = `
  insert into import_profile (import_id, project_id, user, traits, is_set) values (?, ?, ?, ?, 1)
  on conflict do update set traits = excluded.traits, is_set = 1`;
const deleteNote = "delete from import_profile where import_id = ? and user = ?";

interface Note {
  readonly importId: number;
  readonly traits: string;
}

/** The notes of traits that imports have set and no client has set since. The removal of an import removes them. */
export class ImportedTraits {
  constructor(private readonly db: Database) {}

  /** Notes that an import has set traits of a user. */
  note(importId: number, projectId: number, user: number, traits: Traits): void {
    const before = this.db.query(findNote).get(importId, user) as { traits: string } | null;
    const all = before === null ? traits : mergedTraits(JSON.parse(before.traits), traits);
    this.db.query(putNote).run(importId, projectId, user, JSON.stringify(all));
  }
  /** Deletes the notes of these traits, as a client has set them. */
  forget(projectId: number, user: number, keys: ReadonlySet<string>): void {
    for (const { importId, traits } of this.notesOf(projectId, user)) {
      const left = membersOf(traits).filter(([key]) => !keys.has(key));
      if (left.length === 0) this.db.query(deleteNote).run(importId, user);
      else {
        const text = JSON.stringify(Object.fromEntries(left));
        this.db.query(putNote).run(importId, projectId, user, text);
      }
    }
  }
  /** Copies the notes of these traits to another user, who has got the traits. */
  hand(projectId: number, from: number, to: number, keys: ReadonlySet<string>): void {
    for (const { importId, traits } of this.notesOf(projectId, from)) {
      const handed = membersOf(traits).filter(([key]) => keys.has(key));
      if (handed.length > 0) this.note(importId, projectId, to, Object.fromEntries(handed));
    }
  }

  private notesOf(projectId: number, user: number): Note[] {
    return this.db.query(findNotes).all(projectId, user) as Note[];
  }
}

const membersOf = (traits: string): [string, unknown][] => Object.entries(JSON.parse(traits));
