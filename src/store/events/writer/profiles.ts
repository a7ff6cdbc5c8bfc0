import type { Database } from "bun:sqlite";
import { mergedTraits, type Traits, textOfTraits } from "../../shared/traits";
import { ImportedTraits } from "./imported-traits";

const findProfile = "select traits from profile where project_id = ? and user = ?";
const storeProfile = `
  insert into profile (project_id, user, traits) values (?, ?, ?)
  on conflict do update set traits = excluded.traits, is_inspected = 0`;
const deleteProfile = "delete from profile where project_id = ? and user = ?";

/** Stores the traits of users, merged key by key (definitions.md, Identity). */
export class Profiles {
  private readonly imported: ImportedTraits;

  constructor(private readonly db: Database) {
    this.imported = new ImportedTraits(db);
  }

  /** Sets traits of a user. Later values win; null deletes a key. */
  merge(projectId: number, user: number, traits: Traits): void {
    this.imported.forget(projectId, user, new Set(Object.keys(traits)));
    this.store(projectId, user, mergedTraits(this.find(projectId, user) ?? {}, traits));
  }

  /**
   * Copies the profile of a user to the user that it is linked to, whose own traits win. The first profile stays as it
   * is: no read sees it while the link lasts, but the user has it again if the link is removed.
   */
  hand(projectId: number, from: number, to: number): void {
    const traits = this.find(projectId, from);
    if (traits === null) return;
    const added = this.add(projectId, to, traits);
    this.imported.hand(projectId, from, to, new Set(Object.keys(added)));
  }

  /** Sets the traits that the user does not have yet. Returns these. */
  add(projectId: number, user: number, traits: Traits): Traits {
    const before = this.find(projectId, user) ?? {};
    const keys = new Set(Object.keys(before));
    this.store(projectId, user, mergedTraits(traits, before));
    return Object.fromEntries(Object.entries(traits).filter(([key]) => !keys.has(key)));
  }
  remove(projectId: number, user: number, keys: ReadonlySet<string>): void {
    const left = Object.entries(this.find(projectId, user) ?? {}).filter(([key]) => !keys.has(key));
    this.store(projectId, user, Object.fromEntries(left));
  }

  private find(projectId: number, user: number): Traits | null {
    const row = this.db.query(findProfile).get(projectId, user) as { traits: string } | null;
    return row === null ? null : JSON.parse(row.traits);
  }
  private store(projectId: number, user: number, traits: Traits): void {
    const text = textOfTraits(traits);
    if (text === "{}") this.db.query(deleteProfile).run(projectId, user);
    else this.db.query(storeProfile).run(projectId, user, text);
  }
}
