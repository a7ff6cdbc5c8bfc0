import type { Database } from "bun:sqlite";
import { ApiError } from "../../domain/errors";
import { monthOf } from "../../domain/month";
import { replayIdleMs, replayMsMax, replaySummaryKeptMs } from "../../domain/replay/limits";
import { isStorageFull } from "../../domain/replay/storage";
import type { ReplayStatus, SentStopReason, StopReason } from "../../domain/replay/summary";
import { newId } from "../../lib/ids";
import { failureOf } from "../protocol/failure";
import type { RecordedSession, ReplaySelection } from "../replay-port";
import { endOf, limitOf, type ReplayRow } from "./endings";
import type { ReplayFiles } from "./files";
import { closed, startedOf, taken } from "./outcomes";
import type {
  Due,
  GroupOutcome,
  RecordingChange,
  ReplayLimits,
  Sealed,
  Started,
} from "./questions";
import type { PreparedSegment } from "./segment";
import {
  CHANGED_SINCE,
  CLOSE,
  CLOSE_IDLE,
  CLOSE_LARGEST,
  CLOSE_LONG,
  CLOSE_PROJECT,
  COUNT_SEGMENT,
  COUNT_START,
  DELETE_PROBE,
  ERASE_SEGMENTS,
  ERASE_TIMELINE,
  EVICT_OLDEST,
  FORGET_OLD,
  FORGET_SUMMARIES,
  FREE_PAGES,
  INSERT_PROBE,
  INSERT_REPLAY,
  INSERT_SEGMENT,
  INSERT_TIMELINE,
  IS_SEALED,
  MARK_ERASED,
  MARK_LOST,
  MARK_SEALED,
  OPEN_OF_SESSION,
  PLACE_SEGMENT,
  REMOVE,
  REPLAY_BY_ID,
  SEALED_NUMBERS,
  SEGMENT_HASH,
  STARTED_IN_MONTH,
  STORED_BYTES,
  STORED_BYTES_OF,
  TO_ERASE,
  TO_SEAL,
} from "./statements";

/** The number of recordings that one job handles. */
const dueMax = 100;
const noLimit = -1;
/** Pages of the file that are kept for what comes next. */
const freePagesKept = 4_096;
const freedPagesMax = 2_048;
/** More than the small rest of a disk that is full. */
const probeBytes = 256 * 1024;

/** The only writer of replays.db. Every public method is one transaction. */
export class ReplayWriter {
  readonly #db: Database;
  readonly #files: ReplayFiles;
  readonly #limits: ReplayLimits;
  /** The number of the last change that was told. */
  #toldNumber = 0;
  /** Stored bytes by account, as far as they were asked for. Forgotten when a transaction fails. */
  readonly #bytes = new Map<string, number>();

  constructor(db: Database, files: ReplayFiles, limits: ReplayLimits) {
    this.#db = db;
    this.#files = files;
    this.#limits = limits;
  }

  /** Continues the open replay of a session, or starts one. Null: the account's month or storage is full. */
  start({ accountId, projectId, sessionId }: RecordedSession, nowMs: number): Started | null {
    return this.transaction(() => {
      const open = this.#row(OPEN_OF_SESSION, { project: projectId, session: sessionId });
      const ended = open === null ? null : endOf(open, nowMs);
      if (open !== null && ended === null) {
        return startedOf(open.id, open.number, open.started_at, open.last_seq + 1, false);
      }
      if (open !== null && ended !== null) this.#close(open, ended);
      const month = monthOf(nowMs);
      const { started } = this.#db.query(STARTED_IN_MONTH).get({ account: accountId, month }) as {
        started: number;
      };
      const isFull = isStorageFull(this.#bytesOf(accountId), this.#limits.accountBytesMax);
      if (isFull || started >= this.#limits.accountReplaysPerMonth) return null;
      const id = newId("rpl");
      const names = { account: accountId, project: projectId };
      const row = { id, ...names, session: sessionId, now: nowMs };
      const number = Number(this.#db.query(INSERT_REPLAY).run(row).lastInsertRowid);
      this.#db.query(COUNT_START).run({ ...names, month });
      return startedOf(id, number, nowMs, 0, true);
    });
  }

  /** A group costs one sync. What refuses one segment does not touch the others. */
  commit(group: readonly (PreparedSegment | Error)[], nowMs: number): GroupOutcome[] {
    return this.transaction(() =>
      group.map((segment): GroupOutcome => {
        if (segment instanceof Error) return { kind: "refused", failure: failureOf(segment) };
        try {
          return this.#add(segment, nowMs);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { kind: "refused", failure: failureOf(error) };
        }
      }),
    );
  }

  /** Throws REPLAY_CLOSED. */
  finish(id: string, reason: SentStopReason | null): ReplayStatus {
    return this.transaction(() => {
      const row = this.#row(REPLAY_BY_ID, { id });
      if (row?.status !== "recording") throw closed();
      return this.#close(row, reason);
    });
  }

  stopProject(project: string): void {
    this.transaction(() => this.#db.query(CLOSE_PROJECT).run({ project }));
  }

  /** Returns how many are deleted now. */
  remove({ projectId, id, sessionId }: ReplaySelection): number {
    const which = { project: projectId, id: id ?? null, session: sessionId ?? null };
    return this.transaction(() => this.#db.query(REMOVE).run(which).changes);
  }

  forget(project: string, before: number): void {
    this.transaction(() => this.#db.query(FORGET_OLD).run({ project, before }));
  }

  /** Closes what has ended by itself, keeps to the budget, and says what is to be sealed and erased. */
  due(nowMs: number): Due {
    return this.transaction(() => {
      this.#db.query(CLOSE_IDLE).run({ before: nowMs - replayIdleMs });
      this.#db.query(CLOSE_LONG).run({ before: nowMs - replayMsMax });
      this.#db.query(FORGET_SUMMARIES).run({ before: nowMs - replaySummaryKeptMs });
      this.#keepToBudget();
      return { toSeal: this.#numbers(TO_SEAL), toErase: this.#numbers(TO_ERASE) };
    });
  }

  /**
   * Makes reads use the file from now on. Returns false if the replay was deleted meanwhile, or the file is not whole.
   */
  sealed({ number, places, bytes, timeline, counts }: Sealed): boolean {
    if (this.#files.bytesOf(number) !== bytes) return false;
    return this.transaction(() => {
      const { changes } = this.#db.query(MARK_SEALED).run({ number, ...counts });
      if (changes === 0) return this.#isSealed(number);
      const place = this.#db.query(PLACE_SEGMENT);
      for (const [seq, at] of places) place.run({ number, seq, at });
      this.#db.query(INSERT_TIMELINE).run({ number, timeline });
      return true;
    });
  }

  /** Rows first: a file without them is removed at the next start. */
  erase(number: number, nowMs: number): void {
    this.transaction(() => {
      if (this.#db.query(MARK_ERASED).run({ number, now: nowMs }).changes === 0) return;
      this.#db.query(ERASE_SEGMENTS).run({ number });
      this.#db.query(ERASE_TIMELINE).run({ number });
      this.#bytes.clear();
    });
  }

  /** Removes, at a start, files that a crash left. A replay whose file is gone counts as deleted. Returns how many. */
  tidy(): number {
    const sealed = this.#numbers(SEALED_NUMBERS, noLimit);
    this.#files.keepOnly(new Set(sealed));
    const lost = sealed.filter((number) => this.#files.bytesOf(number) === null);
    this.transaction(() => {
      for (const number of lost) this.#db.query(MARK_LOST).run({ number });
    });
    return lost.length;
  }

  /** What was changed since this was last asked; everything, the first time. */
  changed(): readonly RecordingChange[] {
    const changed = this.#db
      .query(CHANGED_SINCE)
      .all({ number: this.#toldNumber }) as RecordingChange[];
    this.#toldNumber = changed.at(-1)?.number ?? this.#toldNumber;
    return changed;
  }

  /** Gives free pages back to the disk, a few at a time. */
  freePages(): void {
    const { pages } = this.#db.query(FREE_PAGES).get() as { pages: number };
    if (pages > freePagesKept) this.#db.run(`pragma incremental_vacuum(${freedPagesMax})`);
  }

  /** Writes something and takes it back: whether the disk takes writes again. */
  probe(): void {
    this.transaction(() => this.#db.query(INSERT_PROBE).run({ value: "x".repeat(probeBytes) }));
    this.transaction(() => this.#db.query(DELETE_PROBE).run());
  }

  #add(segment: PreparedSegment, nowMs: number): GroupOutcome {
    const { replayId, seq, hash } = segment;
    const row = this.#row(REPLAY_BY_ID, { id: replayId });
    if (row?.status !== "recording") throw closed();
    const known = this.#db.query(SEGMENT_HASH).get({ number: row.number, seq }) as {
      hash: number;
    } | null;
    if (known !== null) {
      return taken({ seq, nextSeq: row.last_seq + 1, stop: false, stored: known.hash === hash });
    }
    const roomBytes = this.#limits.accountBytesMax - this.#bytesOf(row.account_id);
    const limit = limitOf(row, segment, roomBytes, nowMs);
    if (limit !== null) {
      this.#close(row, limit);
      return taken({ seq, nextSeq: row.last_seq + 1, stop: true, stored: false }, true);
    }
    this.#insert(row, segment, nowMs);
    return taken({ seq, nextSeq: Math.max(row.last_seq, seq) + 1, stop: false, stored: true });
  }

  #insert(row: ReplayRow, segment: PreparedSegment, nowMs: number): void {
    const { seq, events, lastAtMs, hasSnapshot, hash, jsonBytes, frame } = segment;
    const { number } = row;
    const bytes = frame.length;
    this.#db.query(INSERT_SEGMENT).run({ number, seq, bytes, hash, frame });
    this.#db.query(COUNT_SEGMENT).run({
      ...{ number, seq, bytes, json: jsonBytes, events, now: nowMs },
      ...{ last: lastAtMs, snapshot: hasSnapshot ? 1 : 0 },
    });
    this.#bytes.set(row.account_id, this.#bytesOf(row.account_id) + bytes);
  }

  #close({ number }: ReplayRow, reason: StopReason | null): ReplayStatus {
    const closedRow = this.#db.query(CLOSE).get({ number, reason }) as { status: ReplayStatus };
    return closedRow.status;
  }

  #keepToBudget(): void {
    let { bytes } = this.#db.query(STORED_BYTES).get() as { bytes: number };
    while (bytes > this.#limits.bytesMax) {
      const oldest = this.#db.query(EVICT_OLDEST).get() as { bytes: number } | null;
      if (oldest === null) {
        // Only open ones are left: the largest ends, and is the oldest closed one the next time.
        this.#db.query(CLOSE_LARGEST).run();
        return;
      }
      bytes -= oldest.bytes;
    }
  }

  #bytesOf(accountId: string): number {
    const known = this.#bytes.get(accountId);
    if (known !== undefined) return known;
    const { bytes } = this.#db.query(STORED_BYTES_OF).get({ account: accountId }) as {
      bytes: number;
    };
    this.#bytes.set(accountId, bytes);
    return bytes;
  }

  #isSealed(number: number): boolean {
    const row = this.#db.query(IS_SEALED).get({ number }) as { is_sealed: number } | null;
    return row?.is_sealed === 1;
  }
  #row(statement: string, values: Record<string, string>): ReplayRow | null {
    return this.#db.query(statement).get(values) as ReplayRow | null;
  }
  #numbers(statement: string, limit = dueMax): number[] {
    const rows = this.#db.query(statement).all({ limit }) as { number: number }[];
    return rows.map(({ number }) => number);
  }

  /** Runs `work` in one transaction. Methods that it calls are part of that transaction. */
  transaction<T>(work: () => T): T {
    if (this.#db.inTransaction) return work();
    this.#db.run("begin immediate");
    try {
      const result = work();
      this.#db.run("commit");
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.run("rollback");
      this.#bytes.clear();
      throw error;
    }
  }
}
