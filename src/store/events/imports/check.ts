import type { Database } from "bun:sqlite";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jsonOfProperties } from "../../../domain/event";
import { earliest } from "../../../domain/shown-days";
import { clock, dayMs } from "../../../lib/clock";
import type {
  CountDay,
  FileEvent,
  FileRow,
  FileRows,
  ImportWork,
  OpenFileRows,
} from "../../imports";
import { rowLine, timeOfLine } from "../../shared/event-line";
import { type Hash, sessionKeyOf } from "../segment/hash";
import { hashSeedOf } from "../tables";
import { areAlike, type Basis, basisOf, keysOfImports, linksOf } from "./basis";
import { CheckedFile } from "./checked-file";
import { type Checked, checkedPath, writeChecked } from "./checked-note";
import { DayRows } from "./day-rows";
import { FoldedDays } from "./folded-days";
import { OwnEvents } from "./own-events";
import { OwnRows } from "./own-rows";
import { type CountedReport, reportOf } from "./report";
import { countKeys, findRepeats, KeyedRows, keyOfRow, keyParts } from "./seen-keys";
import { type SortedRow, SortedRows } from "./sorted-rows";
import { Tally } from "./tally";

/** The parts of a check's time: reading, searching for repeats, writing, counting. */
const shares = { read: 0.6, repeats: 0.05, write: 0.25 } as const;
const pageView = "page_view";

/**
 * Reads a file and writes the data that a commit will store. It yields its progress now and then. The folder has the
 * result when this returns, and no part of it before.
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
  const { path, kind, timeZone, blocked } = work;
  const rows = await tools.openRows({ path, kind, timeZone, nowMs, blocked });
  const check = new Check({ db, work, rows, tools }, spool);
  try {
    return yield* check.run();
  } finally {
    check.close();
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
  private readonly days: DayRows;
  private readonly seed: bigint;
  private readonly basis: Basis;
  private readonly own: OwnRows;
  private readonly ownEvents: OwnEvents;
  private readonly tally = new Tally();
  private readonly sorted: SortedRows;
  private readonly keyed: KeyedRows;
  private readonly users: KeyedRows;
  private readonly sessions: KeyedRows;
  private ordinals = 0;
  private events = 0;
  private pageViews = 0;
  private firstDeletedMs: number | null = null;
  private firstMs = Number.POSITIVE_INFINITY;
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(parts: CheckParts, spool: string) {
    const { db, work } = parts;
    this.db = db;
    this.work = work;
    this.rows = parts.rows;
    this.tools = parts.tools;
    this.days = new DayRows(work, this.tally);
    this.seed = hashSeedOf(db);
    this.basis = basisOf(db, work, parts.rows.kind);
    const { seed, basis, tally } = this;
    const linkedInProject = linksOf(db, basis.project);
    const number = (key: Hash): number => this.number(key);
    this.own = new OwnRows({ db, work, spool, seed, basis, tally, linkedInProject, number });
    this.ownEvents = new OwnEvents(db, work.projectId, basis, seed, spool);
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
    const { report, firstMs: firstStoredMs } = await this.report(events);
    const { basis, firstMs, lastMs, own, firstDeletedMs } = this;
    const { takenDates, foldedDates, zone, hasContext } = this.work;
    const judged = { basis, firstMs, lastMs, takenDates, foldedDates, zone, hasContext };
    const { hasLinks, context } = own;
    const firstEventMs = earliest(firstStoredMs, firstDeletedMs);
    const stored = { events, report, context, firstEventMs };
    const checked = { content: contentName(), ...judged, hasLinks, ...stored };
    this.days.finish();
    writeChecked(this.work.folder, checked);
    yield 1;
    return checked;
  }
  close(): void {
    this.own.close();
  }

  private take(row: FileRow): void {
    if (row.kind === "first deleted") {
      this.firstDeletedMs = earliest(this.firstDeletedMs, row.timeMs);
      return;
    }
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
      case "excluded":
        this.tally.fates.excluded++;
        return;
      case "days":
        this.days.take(row);
        return;
      case "bot_day":
        this.noteTime(Date.parse(row.day.date), dayMs - 1);
        this.own.take(row);
        return;
      default:
        this.own.take(row);
    }
  }

  private takeEvent(event: FileEvent): void {
    const { timeMs, name, userId: user, sessionId, country } = event;
    const properties = event.properties === null ? null : jsonOfProperties(event.properties);
    const line = rowLine(timeMs, name, sessionId, country, properties);
    const key = keyOfRow(event.foreignId, `${JSON.stringify(user)}${line}`, this.seed);
    const ordinal = this.number(key);
    this.ownEvents.take(event, ordinal);
    this.events++;
    // Events of an export of our own keep the order in which they were stored.
    const orderMs = this.rows.kind === "sightline" ? 0 : timeMs;
    this.sorted.add({ orderMs, ordinal, key, user, line });
    if (sessionId !== null) this.sessions.add(sessionKeyOf(sessionId, this.seed), 0);
    if (name === pageView) this.pageViews++;
    this.noteTime(timeMs, 0);
  }
  private noteTime(firstMs: number, durationMs: number): void {
    this.firstMs = Math.min(this.firstMs, firstMs);
    this.lastMs = Math.max(this.lastMs, firstMs + durationMs);
  }

  private number(key: Hash): number {
    const ordinal = this.ordinals++;
    this.keyed.add(key, ordinal);
    return ordinal;
  }

  private *findRepeats(): Generator<number, Uint8Array> {
    const { imports } = this.basis;
    const earlierOf = (part: number) => keysOfImports(this.db, imports, part);
    const search = findRepeats(this.keyed, this.ordinals, earlierOf);
    for (let part = 0; ; part++) {
      const { done, value } = search.next();
      if (done === true) {
        for (const _ of this.ownEvents.mark(value)) yield shares.read + shares.repeats;
        return value;
      }
      yield shares.read + (shares.repeats * part) / keyParts;
    }
  }

  /** Writes the rows that a commit stores. Returns the number of events. */
  private async *write(repeats: Uint8Array): AsyncGenerator<number, number> {
    const path = checkedPath(this.work.folder);
    const part = `${path}.part`;
    for (const end of ["", "-wal", "-shm"]) rmSync(part + end, { force: true });
    const { work, seed } = this;
    const { linkedTo } = this.own;
    const isRepeat = (at: number): boolean => ((repeats[at >> 3] >> (at & 7)) & 1) === 1;
    const file = new CheckedFile(part, work.projectId, seed, linkedTo);
    const folded = new FoldedDays({ work, linkedTo, seed, countDay: this.tools.countDay });
    let isWhole = false;
    try {
      let written = 0;
      for (const piece of this.sorted.pieces()) {
        for (const row of piece) this.place(row, isRepeat(row.ordinal), file, folded);
        written += piece.length;
        yield shares.read + shares.repeats + (shares.write * written) / this.ordinals;
      }
      this.own.writeTo(file, isRepeat);
      file.finish();
      isWhole = true;
      await folded.addTo(this.days.table);
    } finally {
      if (!isWhole) file.abandon();
      folded.close();
    }
    renameSync(part, path);
    return file.events;
  }

  /** Returns the fate of an event. The first reason to skip it counts. */
  private place(row: SortedRow, isRepeat: boolean, file: CheckedFile, folded: FoldedDays): void {
    const { user } = row;
    if (user !== null) this.users.add(sessionKeyOf(this.own.linkedTo(user) ?? user, this.seed), 0);
    const { fates } = this.tally;
    const { firstOwnMs, retainedFromMs } = this.basis;
    const timeMs = timeOfLine(row.line);
    if (isRepeat) fates.duplicates++;
    else if (this.work.overlap === "drop" && timeMs >= (firstOwnMs ?? timeMs + 1)) {
      fates.overlap++;
    } else if (timeMs < retainedFromMs) {
      if (this.work.older === "drop") fates.older++;
      else if (this.days.isTaken(folded.dateOf(row))) fates.overlap++;
      else if (this.days.isSummed(timeMs, () => folded.dateOf(row))) fates.overlap++;
      else {
        fates.folded++;
        folded.add(row);
        file.note(row);
      }
    } else if (this.days.isSummed(timeMs, () => folded.dateOf(row))) {
      fates.overlap++;
    } else {
      fates.stored++;
      file.add(row);
    }
  }

  private report(events: number): Promise<CountedReport> {
    const { work, rows, tally, pageViews } = this;
    const whole = {
      events: this.events,
      pageViews,
      users: last(countKeys(this.users)),
      sessions: last(countKeys(this.sessions)),
    };
    const { basis, firstDeletedMs } = this;
    const caveats = [...rows.caveats, ...(this.own.hasEmails ? ["emails_left_out"] : [])];
    const { kind, becomes, files } = rows;
    const found = { kind, becomes, files, caveats, unread: rows.unread() };
    const days = this.days.table;
    return reportOf({ work, rows: found, tally, whole, events, days, basis, firstDeletedMs });
  }
}

function last(steps: Generator<void, number>): number {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Returns a name by which a check differs from others of the same import. */
const contentName = (): string => crypto.randomUUID();

/** Tells whether a new check would have the same result. */
export const isStillTrue = (db: Database, work: ImportWork, checked: Checked): boolean =>
  checked.zone === work.zone &&
  checked.takenDates.join() === work.takenDates.join() &&
  checked.foldedDates.join() === work.foldedDates.join() &&
  checked.hasContext === work.hasContext &&
  areAlike(checked.basis, basisOf(db, work, checked.report.format), checked);
