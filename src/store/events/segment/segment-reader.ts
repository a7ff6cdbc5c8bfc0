import type { Database, Statement } from "bun:sqlite";
import { dayOf } from "../../../domain/event";
import type { ByteBoundedCache } from "../../../lib/cache";
import { dayMs } from "../../../lib/clock";
import { free } from "../../../lib/free";
import { DamagedBlob } from "../../damage";
import { hashSeedOf } from "../tables";
import { type Tuning, usualTuning } from "../tuning";
import { unpackIntegers, unpackJson, unpackText, unpackTextBytes } from "./codec";
import type { Column, Keep, SegmentInfo } from "./column";
import { bytesOfColumn } from "./column-bytes";
import { rowsColumn } from "./encode";
import { type Hash, sessionKeyOf } from "./hash";
import { overflowColumn } from "./overflow";
import {
  buildInMemory,
  bytesOfColumns,
  codesOf,
  columnOf,
  columnsOfRows,
  isWide,
} from "./row-columns";
import { timesOfRows } from "./rows";
import { Segment, sessionIdColumn } from "./segment";

interface StoredColumn {
  readonly dictionary: Uint8Array | null;
  readonly codes: Uint8Array | null;
  readonly sameCodesAs: string | null;
  readonly isOfVisits: 0 | 1;
}

interface StoredInfo extends Omit<SegmentInfo, "overlap"> {
  readonly overlap: string | null;
}

const segmentsById = `
  select id, project_id as projectId, first_time as firstTime, last_time as lastTime,
    event_count as eventCount, encoding, related as overlap
  from segment where id in (select value from json_each(?))`;
const columnByName = `
  select dictionary, codes, same_codes_as as sameCodesAs, of_visits as isOfVisits
  from segment_column where segment_id = ? and name = ?`;
const dictionaryByName = "select dictionary from segment_column where segment_id = ? and name = ?";
const projectName = "select name from project where id = ?";
const columnNames = "select name from segment_column where segment_id = ?";

/** Opens segments by id and loads their columns on demand through the cache. Segments never change. */
export class SegmentReader {
  private readonly infosOf: Statement;
  private readonly columnOf: Statement;
  private readonly dictionaryOf: Statement;
  private readonly namesOf: Statement;
  private readonly projectOf: Statement;
  private readonly infos = new Map<number, SegmentInfo>();
  private unpacked = 0;
  readonly seed: bigint;

  constructor(
    db: Database,
    readonly cache: ByteBoundedCache,
    readonly tuning: Tuning = usualTuning,
  ) {
    this.infosOf = db.prepare(segmentsById);
    this.columnOf = db.prepare(columnByName);
    this.dictionaryOf = db.prepare(dictionaryByName);
    this.namesOf = db.prepare(columnNames);
    this.projectOf = db.prepare(projectName);
    this.seed = hashSeedOf(db);
  }

  /** The bytes that were loaded to decode columns and not freed. They are garbage when the columns are decoded. */
  get unpackedBytes(): number {
    return this.unpacked;
  }

  /** The segment lacks its events before the time that `retainedFromMsOf` returns for its project. */
  open(id: number, retainedFromMsOf: (projectId: number) => number = () => 0): Segment {
    const whole = this.openWhole(id);
    const retainedFromMs = retainedFromMsOf(whole.projectId);
    return whole.firstTime >= retainedFromMs ? whole : this.clip(whole, retainedFromMs);
  }

  /** Returns the key of a session in `sessionHigh` and `sessionLow`. */
  sessionKeyOf(sessionId: string): Hash {
    return sessionKeyOf(sessionId, this.seed);
  }

  info(id: number): SegmentInfo {
    if (!this.infos.has(id)) this.loadInfos([id]);
    const info = this.infos.get(id);
    if (info === undefined) throw new DamagedBlob(`There is no segment ${id}.`);
    return info;
  }
  /** Loads the infos of many segments with one statement. */
  loadInfos(ids: readonly number[]): void {
    const missing = ids.filter((id) => !this.infos.has(id));
    if (missing.length === 0) return;
    const rows = this.infosOf.all(JSON.stringify(missing)) as StoredInfo[];
    for (const { overlap: stored, ...info } of rows) {
      const overlap = stored === null ? null : JSON.parse(stored);
      this.infos.set(info.id, { ...info, overlap });
    }
  }
  /** Drops all infos. Each takes little memory, but new segments never end. */
  clearInfos(): void {
    this.infos.clear();
  }
  /** Returns the text of a segment of rows (rows.ts). */
  rows(id: number): string {
    const stored = this.columnOf.get(id, rowsColumn) as StoredColumn | null;
    return this.located(id, rowsColumn, () => {
      if (stored?.dictionary == null) throw new DamagedBlob("A segment has lost its rows.");
      return unpackText(stored.dictionary);
    });
  }

  private openWhole(id: number): Segment {
    const keep = this.keeper(String(id));
    const info = this.info(id);
    if (info.encoding === "rows") {
      const { seed, tuning } = this;
      const load = columnsOfRows(info, { rows: () => this.rows(id), keep, seed, tuning });
      return new Segment(info, String(id), load, keep, () => timesOfRows(this.rows(id)));
    }
    // The segment caches the parsed overflow, so the cache does not keep the column itself.
    const load = (name: string): Column | null => {
      if (name === overflowColumn) return this.loadColumn(id, name);
      return keep(name, bytesOfColumn, () => this.loadColumn(id, name));
    };
    const loadDictionary = (name: string): Buffer => this.dictionaryText(id, name);
    const loadOnce = (name: string): Column | null => this.loadColumn(id, name);
    return new Segment(info, String(id), load, keep, null, loadDictionary, loadOnce);
  }

  /** Builds a segment from the events from a time on. */
  private clip(whole: Segment, retainedFromMs: number): Segment {
    const key = `${whole.key}@${retainedFromMs}`;
    const keep = this.keeper(key);
    const built = keep("made", bytesOfColumns, () =>
      buildInMemory(whole.info, this, (builder) => builder.addSegment(whole), retainedFromMs),
    );
    return new Segment(built.info, key, (name) => columnOf(built, name), keep);
  }

  private keeper(key: string): Keep {
    return (name, bytesOf, make) => this.cache.get(`${key}:${name}`, bytesOf, make);
  }
  private dictionaryText(id: number, name: string): Buffer {
    const stored = this.dictionaryOf.get(id, name) as Pick<StoredColumn, "dictionary"> | null;
    return this.located(id, name, () => {
      if (stored?.dictionary == null) throw new DamagedBlob("A segment has lost a dictionary.");
      const text = unpackTextBytes(stored.dictionary);
      this.unpacked += free(stored.dictionary);
      return text;
    });
  }
  private loadColumn(id: number, name: string): Column | null {
    if (name === "*") {
      return { dictionary: this.namesOf.values(id).map(([stored]) => stored) };
    }
    const stored = this.columnOf.get(id, name) as StoredColumn | null;
    if (stored === null) return null;
    const { dictionary, codes } = stored;
    const column = this.located(id, name, () =>
      decodedColumn(name, stored, this.tuning.dictionaryApartBytesMin),
    );
    for (const blob of [dictionary, codes]) if (blob !== null) this.unpacked += free(blob);
    return column;
  }
  /** Adds the place of the damage to the error, so that an operator can repair it. */
  private located<T>(id: number, column: string, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof DamagedBlob)) throw error;
      const { projectId, firstTime } = this.info(id);
      const row = this.projectOf.get(projectId) as { name: string } | null;
      const day = new Date(dayOf(firstTime) * dayMs).toISOString().slice(0, 10);
      throw new DamagedBlob(error.message, { project: row?.name ?? null, day, column });
    }
  }
}

function decodedColumn(
  name: string,
  { dictionary, codes, sameCodesAs, isOfVisits }: StoredColumn,
  apartBytesMin: number,
): Column {
  const ofVisits = isOfVisits === 1 && ({ isOfVisits: true } as const);
  if (dictionary !== null && isApart(name, dictionary, apartBytesMin)) {
    return {
      isDictionaryApart: true,
      ...(codes && { codes: unpackIntegers(codes) }),
      ...(sameCodesAs !== null && { sameCodesAs }),
      ...ofVisits,
    };
  }
  return {
    ...(dictionary && {
      dictionary:
        name === overflowColumn ? [unpackText(dictionary)] : unpackJson<unknown[]>(dictionary),
    }),
    ...(codes && { codes: codesOf(name, unpackIntegers(codes, isWide(name))) }),
    ...(sameCodesAs !== null && { sameCodesAs }),
    ...ofVisits,
  };
}

/** Tells whether a dictionary is loaded separately. Only names, session ids and properties can have many values. */
const isApart = (name: string, { length }: Uint8Array, bytesMin: number): boolean =>
  length > bytesMin &&
  (name === "event.name" || name === sessionIdColumn || name.startsWith("property."));
