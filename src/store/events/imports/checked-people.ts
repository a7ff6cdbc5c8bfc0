import type { Database } from "bun:sqlite";
import type { AutomatedDay } from "../../exports";
import type { StagedPeople } from "../protocol/import-messages";
import { noImport } from "./checked-file";

const linksAfter = `
  select user, canonical from import_link where import_id = ? and user > ? order by user limit ?`;
const profilesAfter = `
  select user, traits from import_profile where import_id = ? and user > ? order by user limit ?`;
const automatedDays = `
  select date, category, actor, requests, dropped_events, last_seen_at from import_automated_day
  where import_id = ? order by date, category, actor limit ? offset ?`;

/** With these limits a step of the writer takes some milliseconds, as the traits of one user may have 64 KiB. */
const rowsPerStep = 500;
const profilesPerStep = 50;

interface CheckedLink {
  readonly user: number;
  readonly canonical: number;
}
interface CheckedProfile {
  readonly user: number;
  readonly traits: string;
}
/** The rows of a checked file besides its events, with the file's own numbers of users. */
export interface CheckedPeople {
  readonly links: readonly CheckedLink[];
  readonly profiles: readonly CheckedProfile[];
  readonly automated: readonly AutomatedDay[];
}

export const nobody: StagedPeople & CheckedPeople = { links: [], profiles: [], automated: [] };

/** Yields these rows in pieces, one for each step, always in the same order. */
export function* checkedPeople(db: Database): Generator<CheckedPeople> {
  for (const links of pagesByUser<CheckedLink>(db, linksAfter, rowsPerStep)) {
    yield { ...nobody, links };
  }
  for (const profiles of pagesByUser<CheckedProfile>(db, profilesAfter, profilesPerStep)) {
    yield { ...nobody, profiles };
  }
  for (let from = 0; ; from += rowsPerStep) {
    const automated = db.query(automatedDays).all(noImport, rowsPerStep, from) as AutomatedDay[];
    if (automated.length === 0) return;
    yield { ...nobody, automated };
  }
}

function* pagesByUser<Row extends { readonly user: number }>(
  db: Database,
  statement: string,
  rows: number,
): Generator<readonly Row[]> {
  for (let after = 0; ; ) {
    const page = db.query(statement).all(noImport, after, rows) as Row[];
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.user;
  }
}
