import type { Database } from "bun:sqlite";
import { checkBlob } from "./segment/codec";

/** The check copies no index for these: columns have checksums, and idempotency keys expire after two days. */
export const withoutCopy: ReadonlySet<string> = new Set([
  "segment_column.dictionary",
  "segment_column.codes",
  // The digest of a flagged text identifies it.
  "flagged_value.text",
  "accepted_key",
  "key_block",
  "key_filter",
  // Without them a row may be imported twice.
  "import_key",
]);

const columns = `
  select project.name as project, date(first_time / 1000, 'unixepoch') as day,
    segment_column.name as column, dictionary, codes
  from segment_column
  left join segment on segment.id = segment_id
  left join project on project.id = project_id
  where segment_id = ?`;
const segments = "select distinct segment_id from segment_column";

interface StoredColumn {
  readonly project: string | null;
  readonly day: string | null;
  readonly column: string;
  readonly dictionary: Uint8Array | null;
  readonly codes: Uint8Array | null;
}

/**
 * Compares every stored column with its checksum, and yields after each segment the part that is done. Segments that
 * were deleted meanwhile have no columns. Throws DamagedBlob for the first column that does not match.
 */
export function* checkColumns(db: Database): Generator<number> {
  const ids = db.query(segments).values();
  const ofSegment = db.query(columns);
  for (const [place, [id]] of ids.entries()) {
    for (const row of ofSegment.all(Number(id)) as StoredColumn[]) {
      const { project, day, column } = row;
      for (const blob of [row.dictionary, row.codes]) {
        if (blob !== null) checkBlob(blob, { project, day, column });
      }
    }
    yield (place + 1) / ids.length;
  }
}
