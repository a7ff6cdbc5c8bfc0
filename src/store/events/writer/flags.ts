import type { Database } from "bun:sqlite";
import type { FlaggedText, InspectionNote } from "../compact/inspection-note";
import { toFlaggedText } from "../flagged-text";

/**
 * A project stores this number of flagged texts, and only the digests of others, which no filter finds by their mask.
 */
const textsKeptMax = 10_000;

const insertFlagged = `
  insert into flagged_value (project_id, digest, field, key, categories, length, text, last_time)
  select id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 from project where id = ?1
  on conflict do nothing`;
const raiseLastTime = `
  update flagged_value set last_time = ?5
  where project_id = ?1 and digest = ?2 and field = ?3 and key = ?4 and last_time < ?5`;
const countTexts = `
  select count(*) as texts from
    (select 1 from flagged_value where project_id = ? and text is not null limit ?)`;
const markSegments = `
  update segment set is_inspected = 1 where id in (select value from json_each(?))`;
const markProfile = `
  update profile set is_inspected = 1 where project_id = ? and user = ? and traits = ?`;
const raiseUsers = `
  update project set inspected_users = max(inspected_users, ?2) where id = ?1`;
const growFlags = "update project set flag_changes = flag_changes + 1 where id = ?";
const deleteOlder = "delete from flagged_value where project_id = ? and last_time < ?";

/** Stores the flagged texts of visitors, and the progress of their inspection. */
export class Flags {
  constructor(private readonly db: Database) {}

  /**
   * Returns the projects that have new flagged texts. If a merge has replaced an inspected segment meanwhile, the new
   * segment will be inspected again.
   */
  note({ flagged, segments, users, profiles }: InspectionNote): ReadonlySet<number> {
    const { db } = this;
    const changed = new Set<number>();
    const left = new Map<number, number>();
    for (const one of flagged) if (this.store(one, left)) changed.add(one.project);
    for (const project of changed) db.query(growFlags).run(project);
    db.query(markSegments).run(JSON.stringify(segments));
    for (const [project, upTo] of users) db.query(raiseUsers).run(project, upTo);
    for (const { project, user, traits } of profiles) {
      db.query(markProfile).run(project, user, traits);
    }
    return changed;
  }

  /** Deletes the texts whose last event is older than retention. */
  forget(project: number, retainedFromMs: number): void {
    const { changes } = this.db.query(deleteOlder).run(project, retainedFromMs);
    if (changes > 0) this.db.query(growFlags).run(project);
  }

  /** Stores a text. Returns whether it is new. */
  private store(flagged: FlaggedText, left: Map<number, number>): boolean {
    const { project, digest, field, key, categories, length, text, lastTimeMs } = flagged;
    const room = left.get(project) ?? textsKeptMax - this.textsOf(project);
    const stored = room > 0 ? toFlaggedText(text) : null;
    const { changes } = this.db
      .query(insertFlagged)
      .run(project, digest, field, key, categories, length, stored, lastTimeMs);
    left.set(project, room - (changes > 0 ? 1 : 0));
    if (changes > 0) return true;
    if (lastTimeMs !== null) {
      this.db.query(raiseLastTime).run(project, digest, field, key, lastTimeMs);
    }
    return false;
  }

  private textsOf(project: number): number {
    return (this.db.query(countTexts).get(project, textsKeptMax) as { texts: number }).texts;
  }
}
