import type { Database } from "bun:sqlite";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DayRow } from "../../../domain/day-row";
import { ApiError } from "../../../domain/errors";
import { jsonOfProperties } from "../../../domain/event";
import type { ImportReport } from "../../../domain/import-report";
import { clock } from "../../../lib/clock";
import type {
  CountDay,
  FileEvent,
  FileRow,
  FileRows,
  ImportWork,
  OpenFileRows,
} from "../../imports";
import { rowLine, timeOfLine } from "../../shared/event-line";
import { sessionKeyOf } from "../segment/hash";
import { hashSeedOf } from "../tables";
import { areAlike, type Basis, basisOf, keysOfImports, linksOf } from "./basis";
import { CheckedFile } from "./checked-file";
import { type Checked, checkedPath, writeChecked } from "./checked-note";
import { DayTable } from "./day-table";
import { FoldedDays } from "./folded-days";
import { reportOf } from "./report";
import { countKeys, findRepeats, KeyedRows, keyOfRow, keyParts } from "./seen-keys";
import { type SortedRow, SortedRows } from "./sorted-rows";
import { Tally } from "./tally";

/** How the time of a check is divided: reading, looking for repeats, writing, counting. */
const shares = { read: 0.6, repeats: 0.05, write: 0.25 } as const;
const pageView = "page_view";

/**
 * Reads a file and writes what a commit stores. Yields the share that is done now and then. The folder has the result
 * when this returns, and nothing of it before.
 */
export async function* checkFile(
  db: Database,
  work: ImportWork,
  tools: ImportTools,
): AsyncGenerator<number, Checked> {
  const spool = join(work.folder, "spool");
  rmSync(spool, { recursive: true, force: true });
  rmSync(checkedPath(work.folder), { force: true });
  mkdirSync(spool, { recursive: true });
  const nowMs = clock.nowMs();
  const { path, kind, timeZone } = work;
  const rows = await tools.openRows({ path, kind, timeZone, nowMs });
  try {
    return yield* new Check({ db, work, rows, tools }, spool).run();
  } finally {
    rmSync(spool, { recursive: true, force: true });
  }
}

/** The functions that a check gets from the layers above. */
export interface ImportTools {
  readonly openRows: OpenFileRows;
  readonly countDay: CountDay;
}

interface CheckParts {
  readonly db: Database;
  readonly work: ImportWork;
  readonly rows: FileRows;
  readonly tools: ImportTools;
}

class Check {
  private readonly db: Database;
  private readonly work: ImportWork;
  private readonly rows: FileRows;
  private readonly tools: ImportTools;
  private readonly days: DayTable;
  private readonly taken: ReadonlySet<string>;
  private readonly seed: bigint;
  private readonly basis: Basis;
  private readonly linkedTo: (userId: string) => string | null;
  private readonly tally = new Tally();
  private readonly sorted: SortedRows;
  private readonly keyed: KeyedRows;
  private readonly users: KeyedRows;
  private readonly sessions: KeyedRows;
  private ordinals = 0;
  private pageViews = 0;
  private firstMs = Number.POSITIVE_INFINITY;
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(parts: CheckParts, spool: string) {
    const { db, work } = parts;
    this.db = db;
    this.work = work;
    this.rows = parts.rows;
    this.tools = parts.tools;
    this.taken = new Set(work.takenDates);
    this.days = DayTable.create(work.folder);
    this.seed = hashSeedOf(db);
    this.basis = basisOf(db, work.projectId, work.importId);
    this.linkedTo = linksOf(db, this.basis.project);
    this.sorted = new SortedRows(spool);
    this.keyed = new KeyedRows(spool, "keys");
    this.users = new KeyedRows(spool, "users");
    this.sessions = new KeyedRows(spool, "sessions");
  }

  async *run(): AsyncGenerator<number, Checked> {
    for await (const piece of this.rows.pieces()) {
      for (const row of piece) this.take(row);
      yield shares.read * this.rows.progress();
    }
    this.tally.requireSense();
    const repeats = yield* this.findRepeats();
    const events = yield* this.write(repeats);
    const report = await this.report(events);
    const { basis, firstMs, lastMs } = this;
    const { takenDates, zone } = this.work;
    const judged = { basis, firstMs, lastMs, takenDates, zone };
    const checked = { content: contentName(), ...judged, events, report };
    this.days.finish();
    writeChecked(this.work.folder, checked);
    yield 1;
    return checked;
  }

  private take(row: FileRow): void {
    this.tally.see();
    switch (row.kind) {
      case "event":
        this.takeEvent(row.event);
        return;
      case "refused":
        this.tally.refuse(row.code, row.line);
        return;
      case "unsupported":
        this.tally.fates.unsupported++;
        return;
      case "days":
        this.takeDays(row.days);
        return;
      default:
        throw notYet(row.line);
    }
  }

  /** A date belongs to the import that brought it first. */
  private takeDays(days: readonly DayRow[]): void {
    const own = days.filter(({ date }) => !this.taken.has(date));
    if (own.length === 0 && days.length > 0) this.tally.fates.overlap++;
    else this.tally.fates.stored++;
    for (const row of own) this.days.add(row);
  }

  private takeEvent(event: FileEvent): void {
    const { timeMs, name, userId: user, sessionId, country } = event;
    const properties = event.properties === null ? null : jsonOfProperties(event.properties);
    const line = rowLine(timeMs, name, sessionId, country, properties);
    const key = keyOfRow(event.foreignId, `${JSON.stringify(user)}${line}`, this.seed);
    const ordinal = this.ordinals++;
    // Events of an export of our own keep the order in which they were stored.
    const orderMs = this.rows.kind === "sightline" ? 0 : timeMs;
    this.sorted.add({ orderMs, ordinal, key, user, line });
    this.keyed.add(key, ordinal);
    if (user !== null) this.users.add(sessionKeyOf(this.linkedTo(user) ?? user, this.seed), 0);
    if (sessionId !== null) this.sessions.add(sessionKeyOf(sessionId, this.seed), 0);
    if (name === pageView) this.pageViews++;
    this.firstMs = Math.min(this.firstMs, timeMs);
    this.lastMs = Math.max(this.lastMs, timeMs);
  }

  private *findRepeats(): Generator<number, Uint8Array> {
    const { imports } = this.basis;
    const earlierOf = (part: number) => keysOfImports(this.db, imports, part);
    const search = findRepeats(this.keyed, this.ordinals, earlierOf);
    for (let part = 0; ; part++) {
      const { done, value } = search.next();
      if (done === true) return value;
      yield shares.read + (shares.repeats * part) / keyParts;
    }
  }

  /** Writes what is stored. Returns the number of events. */
  private async *write(repeats: Uint8Array): AsyncGenerator<number, number> {
    const path = checkedPath(this.work.folder);
    const part = `${path}.part`;
    for (const end of ["", "-wal", "-shm"]) rmSync(part + end, { force: true });
    const { work, linkedTo, seed } = this;
    const file = new CheckedFile(part, work.projectId, seed, linkedTo);
    const folded = new FoldedDays({ work, linkedTo, seed, countDay: this.tools.countDay });
    let isWhole = false;
    try {
      let written = 0;
      for (const piece of this.sorted.pieces()) {
        for (const row of piece) this.place(row, repeats, file, folded);
        written += piece.length;
        yield shares.read + shares.repeats + (shares.write * written) / this.ordinals;
      }
      file.finish();
      isWhole = true;
      await folded.addTo(this.days);
    } finally {
      if (!isWhole) file.abandon();
      folded.close();
    }
    renameSync(part, path);
    return file.events;
  }

  /** Decides what becomes of an event: the first reason to leave it out counts. */
  private place(row: SortedRow, repeats: Uint8Array, file: CheckedFile, folded: FoldedDays): void {
    const { fates } = this.tally;
    const { firstOwnMs, retainedFromMs } = this.basis;
    const timeMs = timeOfLine(row.line);
    const isRepeat = ((repeats[row.ordinal >> 3] >> (row.ordinal & 7)) & 1) === 1;
    if (isRepeat) fates.duplicates++;
    else if (this.work.overlap === "drop" && timeMs >= (firstOwnMs ?? timeMs + 1)) {
      fates.overlap++;
    } else if (timeMs < retainedFromMs) {
      if (this.work.older === "drop") fates.older++;
      else if (this.taken.has(folded.dateOf(row))) fates.overlap++;
      else {
        fates.folded++;
        folded.add(row);
        file.note(row);
      }
    } else {
      fates.stored++;
      file.add(row);
    }
  }

  private async report(events: number): Promise<ImportReport> {
    const { work, rows, tally, ordinals, pageViews } = this;
    const whole = {
      events: ordinals,
      pageViews,
      users: last(countKeys(this.users)),
      sessions: last(countKeys(this.sessions)),
    };
    const { days, basis } = this;
    return reportOf({ work, rows, tally, whole, events, days, basis });
  }
}

const notYet = (line: number): ApiError =>
  new ApiError(
    "IMPORT_BROKEN",
    "This server does not import exports of its own with linked ids, profiles or a context yet. Export events alone.",
    { line },
  );

function last(steps: Generator<void, number>): number {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Names a check apart from others of the same import. */
const contentName = (): string => crypto.randomUUID();

/** Tells whether what was checked is what a check would find now. */
export const isStillTrue = (db: Database, work: ImportWork, checked: Checked): boolean =>
  checked.zone === work.zone &&
  checked.takenDates.join() === work.takenDates.join() &&
  areAlike(
    checked.basis,
    basisOf(db, work.projectId, work.importId),
    checked.firstMs,
    checked.lastMs,
  );
