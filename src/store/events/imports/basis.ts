import type { Database } from "bun:sqlite";
import type { ImportKind } from "../../../domain/import";
import { timeZoneOf } from "../../../domain/time-zone";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";
import type { AutomatedDay } from "../../exports";
import type { ImportWork } from "../../imports";
import type { Traits } from "../../shared/traits";

/** The facts of a project that decide which rows of a file are stored. */
export interface Basis {
  /** The number of the project; 0 before its first data is stored. */
  readonly project: number;
  /** Earlier events are not stored. */
  readonly retainedFromMs: number;
  /** Earlier events are hidden; 0 until some were. */
  readonly deletedBeforeMs: number;
  /** The time of the earliest event that a client has sent; null if there is none. */
  readonly firstOwnMs: number | null;
  /** The other imports that are stored, by number. */
  readonly imports: readonly number[];
  /** The time of the earliest stored event of any origin; null if there is none. */
  readonly firstEventMs: number | null;
  /** Grows with every link of the project that is added or removed. */
  readonly links: number;
}

const findProject = `
  select id as project, retained_from_ms as deletedBeforeMs, coalesce(
    first_own_time,
    (select min(first_time) from current_segment where project_id = project.id and import_id = 0)
  ) as firstOwnMs,
  (select min(first_time) from current_segment where project_id = project.id) as firstEventMs,
  (select coalesce(max(version), 0) from user_alias where project_id = project.id) as links
  from project where name = ?`;
const findImports = `
  select id from import where project_id = ? and is_stored = 1 and name <> ? order by id`;
const findKeys = "select hashes from import_key where import_id = ? and part = ?";
const findStored = "select is_stored as isStored from import where name = ?";

export function basisOf(db: Database, work: BasisWork, kind: ImportKind): Basis {
  const found = db.query(findProject).get(work.projectId) as StoredFacts | null;
  const { project, ...facts } = found ?? nothingStored;
  const fromMs = Math.max(facts.deletedBeforeMs, work.storedFromMs);
  // An export has the events of its project, whose retention may have deleted a part of a date as well.
  const retainedFromMs = kind === "sightline" ? fromMs : wholeDatesFrom(fromMs, work.zone);
  const imports = db.query(findImports).values(project, work.importId) as [number][];
  return { ...facts, project, retainedFromMs, imports: imports.map(([id]) => id) };
}
type BasisWork = Pick<ImportWork, "projectId" | "importId" | "storedFromMs" | "zone">;

/**
 * Returns the start of the first date of a zone that lies wholly after a time. If the date of that time itself had
 * events, reads would never show the sums of its other events.
 */
function wholeDatesFrom(fromMs: number, zone: string): number {
  if (fromMs === 0) return 0;
  const dates = timeZoneOf(zone);
  const day = dates.dayAt(fromMs);
  return dates.startOf(day) === fromMs ? fromMs : dates.startOf(day + 1);
}

type StoredFacts = Omit<Basis, "imports" | "retainedFromMs">;
const nothingStored: StoredFacts = {
  ...{ project: 0, deletedBeforeMs: 0, firstOwnMs: null, firstEventMs: null, links: 0 },
};

/** The facts of a file that decide whether its rows depend on the project. */
interface JudgedFile {
  /** All events of the file lie between these times. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly hasLinks: boolean;
}

/** Tells whether the check of a file has the same result with both. */
export function areAlike(a: Basis, b: Basis, { firstMs, lastMs, hasLinks }: JudgedFile): boolean {
  const within = (ms: number): number => Math.min(Math.max(ms, firstMs), lastMs + 1);
  const ownFrom = ({ firstOwnMs }: Basis): number => within(firstOwnMs ?? lastMs + 1);
  return (
    ownFrom(a) === ownFrom(b) &&
    within(a.retainedFromMs) === within(b.retainedFromMs) &&
    a.imports.join() === b.imports.join() &&
    (!hasLinks || a.links === b.links)
  );
}

/** Yields the keys of a part of some imports, two words each. */
export function* keysOfImports(
  db: Database,
  imports: readonly number[],
  part: number,
): Generator<Uint32Array> {
  for (const id of imports) {
    for (const [hashes] of db.query(findKeys).values(id, part) as [Uint8Array][]) {
      yield new Uint32Array(Uint8Array.from(hashes).buffer);
    }
  }
}

export const isStoredIn = (db: Database, importId: string): boolean =>
  (db.query(findStored).get(importId) as { isStored: 0 | 1 } | null)?.isStored === 1;

const anyLink = "select 1 from user_alias where project_id = ? limit 1";
const findUser = "select number from user where project_id = ? and name = ?";
const findLink = `
  select canonical from user_alias where project_id = ? and user = ? and canonical > 0`;
const findName = "select name from user where project_id = ? and number = ?";
const rememberedMax = 65_536;

/** Returns a function that returns the id for which an id stands in a project; null if it stands for itself. */
export function linksOf(db: Database, project: number): (userId: string) => string | null {
  if (db.query(anyLink).get(project) === null) return () => null;
  const known = new TwoGenerationCache<string, { readonly id: string | null }>(rememberedMax);
  return (userId) => known.get(userId, () => ({ id: canonicalOf(db, project, userId) })).id;
}

function canonicalOf(db: Database, project: number, userId: string): string | null {
  const found = db.query(findUser).get(project, userId) as { number: number } | null;
  if (found === null) return null;
  let end = found.number;
  for (;;) {
    const link = db.query(findLink).get(project, end) as { canonical: number } | null;
    if (link === null) break;
    end = link.canonical;
  }
  if (end === found.number) return null;
  return (db.query(findName).get(project, end) as { name: string }).name;
}

const findProfile = `
  select profile.traits from user join profile on profile.project_id = user.project_id and profile.user = user.number
  where user.project_id = ? and user.name = ?`;
const findAutomated = `
  select sum(requests) as requests, sum(dropped_events) as dropped_events, max(last_seen_at) as last_seen_at
  from counted_automated_day where project_id = ? and date = ? and category = ? and actor = ?`;

/** Tells whether the profile of an id, or of the one for which it stands, has all of these traits. */
export function hasTraits(db: Database, project: number, userId: string, traits: Traits): boolean {
  const name = canonicalOf(db, project, userId) ?? userId;
  const found = db.query(findProfile).get(project, name) as { traits: string } | null;
  if (found === null) return false;
  const stored: Traits = JSON.parse(found.traits);
  return Object.entries(traits).every(
    ([trait, value]) => JSON.stringify(stored[trait]) === JSON.stringify(value),
  );
}

/** Tells whether the project has counted the same automated requests of a date. */
export function hasAutomatedDay(db: Database, project: number, day: AutomatedDay): boolean {
  const { date, category, actor } = day;
  const found = db.query(findAutomated).get(project, date, category, actor) as AutomatedDay | null;
  return (
    found?.requests === day.requests &&
    found.dropped_events === day.dropped_events &&
    found.last_seen_at === day.last_seen_at
  );
}
