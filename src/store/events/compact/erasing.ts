import type { Database } from "bun:sqlite";
import { flagOf } from "../../../domain/trust/flagged";
import { isHarmless } from "../../../domain/trust/flags";
import { parseString } from "../../shared/json-text";
import type { Fault } from "../protocol/messages";
import { settledLevel } from "../segment/codec";
import type { Keep } from "../segment/column";
import type { Input } from "../segment/frequent-keys";
import { PickedSegment } from "../segment/picked-segment";
import { joinRows, linesOf, type RowTexts } from "../segment/rows";
import type { Segment } from "../segment/segment";
import type { SegmentReader } from "../segment/segment-reader";
import { textsInTraits, type VisitorText, VisitorTexts } from "../segment/visitor-texts";
import type { Tuning } from "../tuning";
import type { ErasedNote, FlaggedPlace } from "../writer/erasing";
import type { Merge } from "../writer/segments";
import { columnsOf } from "./compaction";

const erasedUsers = "select number from erased_user where project_id = ?";
const projectToErase = `
  select min(project_id) as project from erased_user
  where project_id not in (select value from json_each(?))`;
const segmentsAfter = `
  select id from current_segment where project_id = ? and id > ? order by id limit 1`;
const flaggedIn = "select digest, field, key from flagged_value where project_id = ?";
const segmentsOf = "select id from current_segment where project_id = ?";
const usersOf = "select name from user where project_id = ?";
const traitsOf = "select traits from profile where project_id = ?";

const erasedUsersOf = (db: Database, projectId: number): ReadonlySet<number> =>
  new Set((db.query(erasedUsers).values(projectId) as [number][]).map(([number]) => number));

/** The result of one call of `find`. */
interface Erasing {
  readonly merges: readonly Merge[];
  readonly erased: ErasedNote | null;
  readonly isMoreToCome: boolean;
}
export interface Erased extends Erasing {
  readonly faults: readonly Fault[];
}
const nothing: Erasing = { merges: [], erased: null, isMoreToCome: false };

/** One pass over the segments of a project. */
interface Pass {
  readonly project: number;
  readonly users: ReadonlySet<number>;
  /** All segments up to this one have no event of these users. */
  through: number;
  /** The search for flagged texts that no other user has sent; null until all segments have been replaced. */
  flags: Generator<void, readonly FlaggedPlace[]> | null;
}

/** Replaces segments by others without the events of erased users. All its state follows from the file. */
export class Eraser {
  private pass: Pass | null = null;

  constructor(
    private readonly db: Database,
    private readonly reader: SegmentReader,
    private readonly tuning: Tuning,
  ) {}

  /** Does a part of the work, without the projects that cannot be merged. */
  find(isInTime: () => boolean, setAside: Iterable<number>): Erasing {
    this.pass ??= this.begin(setAside);
    const { pass } = this;
    if (pass === null) return nothing;
    const merges: Merge[] = [];
    do {
      const next = this.db.query(segmentsAfter).get(pass.project, pass.through) as {
        readonly id: number;
      } | null;
      if (next === null) return this.end(pass, merges, isInTime);
      const input = this.without(next.id, pass.users);
      if (input !== null) {
        merges.push({ inputs: [next.id], outputs: this.encoded(pass.project, input) });
      }
      pass.through = next.id;
    } while (isInTime());
    return { merges, erased: null, isMoreToCome: true };
  }

  /** Ends the pass of a project after a failure; a later pass begins from the start. Returns the project. */
  giveUp(): number | null {
    const project = this.pass?.project ?? null;
    this.pass = null;
    return project;
  }

  private begin(setAside: Iterable<number>): Pass | null {
    const row = this.db.query(projectToErase).get(JSON.stringify([...setAside])) as {
      readonly project: number | null;
    };
    if (row.project === null) return null;
    const users = erasedUsersOf(this.db, row.project);
    return { project: row.project, users, through: 0, flags: null };
  }

  /** Ends the pass when the writer has stored all its merges, which it does before the next call. */
  private end(pass: Pass, merges: readonly Merge[], isInTime: () => boolean): Erasing {
    if (merges.length > 0) return { merges, erased: null, isMoreToCome: true };
    pass.flags ??= goneFlags(this.db, pass.project);
    do {
      const step = pass.flags.next();
      if (step.done !== true) continue;
      this.pass = null;
      const erased = { project: pass.project, users: [...pass.users], flagged: step.value };
      return { merges, erased, isMoreToCome: true };
    } while (isInTime());
    return { merges, erased: null, isMoreToCome: true };
  }

  private encoded(projectId: number, input: Input): Merge["outputs"] {
    const eventCount = eventsIn(input);
    if (eventCount === 0) return [];
    const { seed } = this.reader;
    const { tuning } = this;
    return columnsOf([input], { projectId, eventCount, seed, tuning, level: settledLevel });
  }

  /** Returns a segment without the events of the users; null if it has no such events. */
  private without(id: number, users: ReadonlySet<number>): Input | null {
    const input = this.reader.info(id).encoding === "rows" ? this.reader.rows(id) : null;
    return withoutUsers(input ?? this.reader.open(id), users);
  }
}

/** Returns an input of a merge without the events of some users; null if it has no such events. */
function withoutUsers(input: Input, users: ReadonlySet<number>): Input | null {
  return typeof input === "string" ? rowsWithout(input, users) : pickedWithout(input, users);
}

const eventsIn = (input: Input): number =>
  typeof input === "string" ? usersOfRows(input).length : input.eventCount;
const usersOfRows = (text: string): readonly number[] => headOf(text).users;
const headOf = (text: string): Omit<RowTexts, "lines"> =>
  JSON.parse(text.slice(0, text.indexOf("\n")));

function rowsWithout(text: string, erased: ReadonlySet<number>): string | null {
  const { tickets, users } = headOf(text);
  if (!users.some((user) => erased.has(user))) return null;
  const lines = linesOf(text);
  const left = [...users.keys()].filter((row) => !erased.has(users[row]));
  return joinRows({
    tickets: left.map((row) => (typeof tickets === "number" ? tickets + row : tickets[row])),
    users: left.map((row) => users[row]),
    lines: left.map((row) => lines[row]),
  });
}

function pickedWithout(segment: Segment, erased: ReadonlySet<number>): Segment | null {
  const { users, firstRows, eventCount } = segment;
  const marks = new Uint8Array(eventCount).fill(1);
  let isFound = false;
  for (let visit = 0; visit < users.length; visit++) {
    if (!erased.has(users[visit])) continue;
    isFound = true;
    marks.fill(0, firstRows[visit], firstRows[visit + 1]);
  }
  return isFound ? PickedSegment.of(segment, () => marks, segment.key, keeper()) : null;
}

/** Returns a cache for the values computed from one segment during one merge. */
function keeper(): Keep {
  const values = new Map<string, unknown>();
  return <T>(name: string, _bytesOf: (value: T) => number, make: () => T): T => {
    if (!values.has(name)) values.set(name, make());
    return values.get(name) as T;
  };
}

/** Searches all texts of a project, and returns the flagged texts that no longer occur. */
function* goneFlags(db: Database, project: number): Generator<void, readonly FlaggedPlace[]> {
  const flagged = db.query(flaggedIn).all(project) as FlaggedPlace[];
  if (flagged.length === 0) return [];
  const left = new Map(flagged.map((one) => [placeOf(one), one]));
  const look = ({ field, key, json }: VisitorText): void => {
    const text = parseString(json);
    const flag = isHarmless(text) ? null : flagOf(text);
    if (flag !== null) left.delete(placeOf({ digest: flag.digest, field, key }));
  };
  const texts = new VisitorTexts(db);
  for (const [id] of db.query(segmentsOf).values(project) as [number][]) {
    yield* texts.of(id, look);
  }
  for (const [name] of db.query(usersOf).values(project) as [string][]) {
    look({ field: "user_id", key: "", json: JSON.stringify(name) });
  }
  for (const [traits] of db.query(traitsOf).values(project) as [string][]) {
    textsInTraits(traits, look);
  }
  return [...left.values()];
}

const placeOf = ({ digest, field, key }: FlaggedPlace): string => `${digest} ${field} ${key}`;
