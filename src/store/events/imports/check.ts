import type { Database } from "bun:sqlite";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../../domain/errors";
import { jsonOfProperties } from "../../../domain/event";
import type { ImportReport } from "../../../domain/import-report";
import { clock } from "../../../lib/clock";
import type { FileEvent, FileRow, FileRows, ImportWork, OpenFileRows } from "../../imports";
import { rowLine } from "../../shared/event-line";
import { sessionKeyOf } from "../segment/hash";
import { hashSeedOf } from "../tables";
import { areAlike, type Basis, basisOf, keysOfImports, linksOf } from "./basis";
import { CheckedFile } from "./checked-file";
import { type Checked, checkedPath, writeChecked } from "./checked-note";
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
  openRows: OpenFileRows,
): AsyncGenerator<number, Checked> {
  const spool = join(work.folder, "spool");
  rmSync(spool, { recursive: true, force: true });
  rmSync(checkedPath(work.folder), { force: true });
  mkdirSync(spool, { recursive: true });
  const nowMs = clock.nowMs();
  const { path, kind, timeZone } = work;
  const rows = await openRows({ path, kind, timeZone, nowMs });
  try {
    return yield* new Check(db, work, rows, spool).run();
  } finally {
    rmSync(spool, { recursive: true, force: true });
  }
}

class Check {
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

  constructor(
    private readonly db: Database,
    private readonly work: ImportWork,
    private readonly rows: FileRows,
    spool: string,
  ) {
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
    const checked = { content: contentName(), basis, firstMs, lastMs, events, report };
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
      default:
        throw notYet(row.line);
    }
  }

  private takeEvent(event: FileEvent): void {
    const { timeMs, name, userId: user, sessionId, country } = event;
    const properties = event.properties === null ? null : jsonOfProperties(event.properties);
    const line = rowLine(timeMs, name, sessionId, country, properties);
    const key = keyOfRow(event.foreignId, `${JSON.stringify(user)}${line}`, this.seed);
    const ordinal = this.ordinals++;
    this.sorted.add({ orderMs: timeMs, ordinal, key, user, line });
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
  private *write(repeats: Uint8Array): Generator<number, number> {
    const path = checkedPath(this.work.folder);
    const part = `${path}.part`;
    for (const end of ["", "-wal", "-shm"]) rmSync(part + end, { force: true });
    const file = new CheckedFile(part, this.work.projectId, this.seed, this.linkedTo);
    let isWhole = false;
    try {
      let written = 0;
      for (const piece of this.sorted.pieces()) {
        for (const row of piece) this.place(row, repeats, file);
        written += piece.length;
        yield shares.read + shares.repeats + (shares.write * written) / this.ordinals;
      }
      file.finish();
      isWhole = true;
    } finally {
      if (!isWhole) file.abandon();
    }
    renameSync(part, path);
    return file.events;
  }

  /** Decides what becomes of an event: the first reason to leave it out counts. */
  private place(row: SortedRow, repeats: Uint8Array, file: CheckedFile): void {
    const { fates } = this.tally;
    const { firstOwnMs, retainedFromMs } = this.basis;
    const isRepeat = ((repeats[row.ordinal >> 3] >> (row.ordinal & 7)) & 1) === 1;
    if (isRepeat) fates.duplicates++;
    else if (this.work.overlap === "drop" && row.orderMs >= (firstOwnMs ?? row.orderMs + 1)) {
      fates.overlap++;
    } else if (row.orderMs < retainedFromMs) fates.older++;
    else {
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
    return reportOf({ work, rows, tally, whole, events });
  }
}

const notYet = (line: number): ApiError =>
  new ApiError("IMPORT_BROKEN", "This server imports files of events alone.", { line });

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
  areAlike(
    checked.basis,
    basisOf(db, work.projectId, work.importId),
    checked.firstMs,
    checked.lastMs,
  );
