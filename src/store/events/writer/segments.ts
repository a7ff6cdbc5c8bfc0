import type { Database, Statement } from "bun:sqlite";
import { clock } from "../../../lib/clock";
import type { EncodedSegment } from "../segment/encode";

const insertSegment = `
  insert into segment
    (project_id, first_time, last_time, event_count, byte_count, encoding, is_inspected, import_id, is_staged)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const insertColumn = `
  insert into segment_column (segment_id, name, dictionary, codes, same_codes_as, of_visits)
  values (?, ?, ?, ?, ?, ?)`;
const countCurrent = `
  select count(*) as found from current_segment where id in (select value from json_each(?))`;
/**
 * Selects the attributes for the replacement of some segments. It is inspected if all of them are. All of them belong
 * to one import, or to none.
 */
const ofInputs = `
  select min(is_inspected) as isInspected, max(import_id) as importId, 0 as isStaged
  from segment where id in (select value from json_each(?))`;
const retireThese = `
  update segment set retired_at = ? where id in (select value from json_each(?))`;
/** The attributes of a segment when it is stored. */
interface SegmentMarks {
  readonly isInspected: 0 | 1;
  /** The number of its import; 0 = none. */
  readonly importId: number;
  /** No read sees a staged segment. */
  readonly isStaged: 0 | 1;
}
const ofClients: SegmentMarks = { isInspected: 0, importId: 0, isStaged: 0 };

/** New segments, and the segments that they replace. */
export interface Merge {
  readonly inputs: readonly number[];
  readonly outputs: readonly EncodedSegment[];
}

/** Stores new segments, and replaces segments by merges. */
export class Segments {
  private readonly insertSegment: Statement;
  private readonly insertColumn: Statement;

  constructor(private readonly db: Database) {
    this.insertSegment = db.prepare(insertSegment);
    this.insertColumn = db.prepare(insertColumn);
  }

  /** Replaces segments. Returns false and changes nothing if an input no longer exists. */
  replace({ inputs, outputs }: Merge): boolean {
    const ids = JSON.stringify(inputs);
    const { found } = this.db.query(countCurrent).get(ids) as { found: number };
    if (found !== inputs.length) return false;
    const marks = this.db.query(ofInputs).get(ids) as SegmentMarks;
    this.db.query(retireThese).run(clock.nowMs(), ids);
    for (const output of outputs) this.insert(output, marks);
    return true;
  }

  insert({ info, byteCount, columns }: EncodedSegment, marks = ofClients): void {
    const { projectId, firstTime, lastTime, eventCount, encoding } = info;
    const { lastInsertRowid } = this.insertSegment.run(
      projectId,
      firstTime,
      lastTime,
      eventCount,
      byteCount,
      encoding,
      marks.isInspected,
      marks.importId,
      marks.isStaged,
    );
    for (const { name, dictionary, codes, sameCodesAs, isOfVisits } of columns) {
      const ofVisits = isOfVisits ? 1 : 0;
      this.insertColumn.run(lastInsertRowid, name, dictionary, codes, sameCodesAs, ofVisits);
    }
  }
}
