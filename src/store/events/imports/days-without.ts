/*
 * A date is counted without an import while its events are there.
 * Decision: when retention folds a date, the server counts it once without each set of the imports that have a part in
 * it: a connection has temporary tables with the names of the engine's own, without the data of these imports.
 * Because: visitors and sessions of two imports do not add up, and the events are gone when one of them is removed.
 * Cost: the server counts a date with events of one import twice, one with two imports four times, and each date of a
 * project with imported links at least twice. With more than four imports in one date, their sums stay when one is
 * removed, and the answer of the removal says so. The server does not look for an import whose events are more than a
 * date away but belong to a session of this date.
 * Revisit: if events of many imports lie on the same dates.
 */

import type { Database } from "bun:sqlite";
import type { DayRow } from "../../../domain/day-row";
import { timeZoneOf } from "../../../domain/time-zone";
import type { CountDay, CountedDate, DayWithout } from "../../imports";
import { openSnapshots } from "../read/snapshot";
import { openForReading } from "../tables";
import { ImportedLinks } from "../writer/imported-links";
import { countedDate } from "./counted-date";

/** Each further one doubles the number of sets. */
const importsPerDateMax = 4;
const cacheBytes = 16 * 1024 * 1024;

/** Imports with events on the dates beside it change its sessions, and links change who its visitors are. */
const findImports = `
  select import.id, import.name from import join project on project.id = import.project_id
  where project.name = ?1 and import.is_stored = 1 and (
    exists (
      select 1 from current_segment as stored
      where stored.import_id = import.id and stored.last_time >= ?2 and stored.first_time < ?3)
    or exists (select 1 from import_link as link where link.import_id = import.id))
  order by import.name`;

/** Tables with the names that reads use, without the data of the imports that are left out. */
const shadowSegments = [
  "create temp table left_out (import_id integer primary key)",
  `create temp view current_segment as
   select * from main.current_segment where import_id not in (select import_id from left_out)`,
];
const createLinks = `
  create temp table user_alias (
    version integer primary key, project_id integer not null, user integer not null, canonical integer not null,
    unique (project_id, user))`;
const copyLinks = `
  insert into user_alias (version, project_id, user, canonical)
  select version, project_id, user, canonical from main.user_alias where project_id = ?`;
const leaveOut = "insert into left_out (import_id) values (?)";
const hasLinks = "select 1 from main.import_link where import_id = ? limit 1";
const projectOf = "select project_id as project from main.import where id = ?";

interface StoredImport {
  readonly id: number;
  readonly name: string;
}

/** Yields the imports that have a part in a date, then the date without each set of them, unless they are too many. */
export async function* daysWithout(
  file: string,
  date: CountedDate,
  countDay: CountDay,
): AsyncGenerator<DayStep, void, unknown> {
  const imports = importsOf(file, date);
  const isTooMany = imports.length > importsPerDateMax;
  yield { kind: "imports of date", imports: imports.map(({ name }) => name), isTooMany };
  if (isTooMany) return;
  for (let set = 1; set < 2 ** imports.length; set++) {
    const left = imports.filter((_, at) => ((set >> at) & 1) === 1);
    const rows = await countedWithout(file, left, date, countDay);
    yield { kind: "counted", without: { imports: left.map(({ name }) => name), rows } };
  }
}

export type DayStep =
  | {
      readonly kind: "imports of date";
      readonly imports: readonly string[];
      readonly isTooMany: boolean;
    }
  | { readonly kind: "counted"; readonly without: DayWithout };

function importsOf(file: string, { projectId, day, zone }: CountedDate): StoredImport[] {
  const db = openForReading(file);
  try {
    const dates = timeZoneOf(zone);
    const window = [dates.startOf(day - 1), dates.startOf(day + 2)];
    return db.query(findImports).all(projectId, ...window) as StoredImport[];
  } finally {
    db.close();
  }
}

async function countedWithout(
  file: string,
  imports: readonly StoredImport[],
  date: CountedDate,
  countDay: CountDay,
): Promise<DayRow[]> {
  const db = openForReading(file);
  try {
    leaveOutOf(db, imports);
    const snapshots = openSnapshots(db, cacheBytes, () => false);
    return await snapshots.within((snapshot) => countedDate(countDay, snapshot, date));
  } finally {
    db.close();
  }
}

/** Hides the segments and links of imports from the statements of a connection, which has run none yet. */
function leaveOutOf(db: Database, imports: readonly StoredImport[]): void {
  for (const statement of shadowSegments) db.run(statement);
  for (const { id } of imports) db.query(leaveOut).run(id);
  const linking = imports.filter(({ id }) => db.query(hasLinks).get(id) !== null);
  if (linking.length === 0) return;
  const [{ id: first }] = linking;
  const { project } = db.query(projectOf).get(first) as { project: number };
  db.run(createLinks);
  db.query(copyLinks).run(project);
  const links = new ImportedLinks(db);
  for (const { id } of linking) links.takeBack(project, id);
}
