/*
 * An import keeps notes of the links and traits that it adds.
 * Decision: the links and profiles of a staged import lie in separate tables. The step that stores the import adds them
 * to those of the project, where the links and traits of clients win, and keeps a note of each addition. If a client
 * later sends the same link or trait, the note is deleted. The removal of the import removes what still has a note.
 * Because: a removal must remove all that an import added, and nothing that clients sent.
 * Cost: imported traits are stored twice, and the storing step takes microseconds for each row.
 * Revisit: if files with millions of ids are imported beside much traffic.
 */

import type { Database } from "bun:sqlite";
import type { Traits } from "../../shared/traits";
import type { StagedPeople } from "../protocol/import-messages";
import { ImportedTraits } from "./imported-traits";
import type { Profiles } from "./profiles";
import type { Users } from "./users";

const insertLink = `
  insert into import_link (import_id, project_id, user, canonical) values (?, ?, ?, ?) on conflict do nothing`;
const insertProfile = `
  insert into import_profile (import_id, project_id, user, traits) values (?, ?, ?, ?) on conflict do nothing`;
const insertAutomated = `
  insert into import_automated_day
    (import_id, project_id, date, category, actor, requests, dropped_events, last_seen_at)
  values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;

const isLinked = `exists (
  select 1 from user_alias as alias
  where alias.project_id = staged.project_id and alias.user = staged.user and alias.canonical > 0)`;

/** Selects the users whom the import links, and whose profiles their new targets get. */
const linkedProfiles = `
  select staged.user, profile.traits from import_link as staged
  join profile on profile.project_id = staged.project_id and profile.user = staged.user
  where import_id = ? and not ${isLinked} order by staged.user`;

/** Tells whether clients have linked the user, and not the import itself. */
const isOwnLinked = `${isLinked} and not exists (
  select 1 from import_link as link where link.import_id = staged.import_id and link.user = staged.user)`;
const ownLinked = `
  select 1 from import_profile as staged where import_id = ? and user = ? and ${isOwnLinked}`;
/** One statement sets the traits of all users who have none yet. */
const noteFirstProfiles = `
  update import_profile as staged set is_set = 1 where import_id = ?1 and not (${isOwnLinked}) and not exists (
    select 1 from profile where profile.project_id = staged.project_id and profile.user = staged.user)`;
const setFirstProfiles = `
  insert into profile (project_id, user, traits)
  select project_id, user, traits from import_profile where import_id = ? and is_set = 1`;
const nextProfile = `
  select user, traits from import_profile where import_id = ? and is_set = 0 order by user limit 1`;
const stagedProfile = `
  select traits from import_profile where import_id = ? and user = ? and is_set = 0`;
const deleteStaged = "delete from import_profile where import_id = ? and user = ?";

const removeWholeProfiles = `
  delete from profile where (project_id, user) in (
    select noted.project_id, noted.user from import_profile as noted
    join profile as stored on stored.project_id = noted.project_id and stored.user = noted.user
    where noted.import_id = ? and noted.is_set = 1 and stored.traits = noted.traits)`;
const notedProfiles = `
  select noted.user, noted.traits from import_profile as noted
  join profile on profile.project_id = noted.project_id and profile.user = noted.user
  where noted.import_id = ? and noted.is_set = 1 and noted.user > ? order by noted.user limit ?`;
const profilesPerStep = 200;

interface ProfileRow {
  readonly user: number;
  readonly traits: string;
}
interface ImportedMemory {
  readonly users: Users;
  readonly profiles: Profiles;
}
interface ImportNumbers {
  readonly importId: number;
  readonly projectId: number;
}

/** The links, profiles and automated requests of imports. Each method is a part of the writer's transaction. */
export class ImportedPeople {
  private readonly traits: ImportedTraits;

  constructor(private readonly db: Database) {
    this.traits = new ImportedTraits(db);
  }

  stage(
    { importId, projectId }: ImportNumbers,
    { links, profiles, automated }: StagedPeople,
  ): void {
    const { db } = this;
    for (const [user, canonical] of links) {
      db.query(insertLink).run(importId, projectId, user, canonical);
    }
    for (const [user, traits] of profiles) {
      db.query(insertProfile).run(importId, projectId, user, traits);
    }
    for (const { date, category, actor, requests, dropped_events, last_seen_at } of automated) {
      db.query(insertAutomated).run(
        ...[importId, projectId, date, category, actor, requests, dropped_events, last_seen_at],
      );
    }
  }

  /** Adds what was staged to the project. */
  show({ users, profiles }: ImportedMemory, { importId, projectId }: ImportNumbers): void {
    const handing = this.db.query(linkedProfiles).all(importId) as ProfileRow[];
    users.showImported(projectId, importId);
    this.db.query(noteFirstProfiles).run(importId);
    this.db.query(setFirstProfiles).run(importId);
    const add = (user: number, traits: Traits): void => {
      const added = profiles.add(projectId, user, traits);
      if (Object.keys(added).length > 0) this.traits.note(importId, projectId, user, added);
    };
    const addStaged = (user: number): void => {
      const staged = this.db.query(stagedProfile).get(importId, user) as ProfileRow | null;
      if (staged === null) return;
      const isLinked = this.db.query(ownLinked).get(importId, user) !== null;
      const target = isLinked ? users.canonical(projectId, user) : user;
      // The target's own staged traits come first.
      if (target !== user) addStaged(target);
      this.db.query(deleteStaged).run(importId, user);
      add(target, JSON.parse(staged.traits));
    };
    for (;;) {
      const next = this.db.query(nextProfile).get(importId) as ProfileRow | null;
      if (next === null) break;
      addStaged(next.user);
    }
    for (const { user, traits } of handing) {
      const target = users.canonical(projectId, user);
      if (target !== user) add(target, JSON.parse(traits));
    }
  }

  /** Removes the links and traits that have a note of the import. The sweep deletes the notes later. */
  takeBack({ users, profiles }: ImportedMemory, { importId, projectId }: ImportNumbers): void {
    users.takeBackImported(projectId, importId);
    this.db.query(removeWholeProfiles).run(importId);
    for (let after = 0; ; ) {
      const rows = this.db
        .query(notedProfiles)
        .all(importId, after, profilesPerStep) as ProfileRow[];
      for (const { user, traits } of rows) {
        profiles.remove(projectId, user, new Set(Object.keys(JSON.parse(traits))));
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.user;
    }
  }
}
