import { expect, test } from "bun:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { JsonText, type Table } from "../../reads/export/table";
import { groupTextCharsMax, parquetFile, rowsPerGroup } from "./parquet";

/** Events in pieces, as a store hands them over: some without properties, then some with large ones. */
function tableOf(smallCount: number, largeCount: number): Table {
  const large = new JsonText(`{"text":"${"x".repeat(8_000)}"}`);
  const columns = [
    "id",
    "event",
    "properties",
    "user_id",
    "session_id",
    "timestamp",
    "date",
    "country",
  ];
  const piece = (count: number, properties: JsonText | null) =>
    Array.from({ length: count }, () => ["id", "e", properties, null, null, 0, "1970-01-01", "DE"]);
  return {
    ...{ kind: "event", columns },
    async *rows() {
      for (let at = 0; at < smallCount; at += 3_000)
        yield piece(Math.min(3_000, smallCount - at), null);
      for (let at = 0; at < largeCount; at += 500)
        yield piece(Math.min(500, largeCount - at), large);
    },
  };
}

async function fileOf(table: Table) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of parquetFile(table)) pieces.push(piece);
  return { file: await new Blob(pieces).arrayBuffer(), pieces };
}
const groupsIn = (file: ArrayBuffer): number[] =>
  parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows));

test("a row group has 20,000 rows, whatever the pieces", async () => {
  const rows = async (count: number) => groupsIn((await fileOf(tableOf(count, 0))).file);
  expect(await rows(0)).toEqual([]);
  expect(await rows(rowsPerGroup)).toEqual([rowsPerGroup]);
  expect(await rows(2 * rowsPerGroup + 1)).toEqual([rowsPerGroup, rowsPerGroup, 1]);
});

test("a row group has fewer rows where their properties are large", async () => {
  const bytesOfOne = 8_011;
  const perGroup = Math.floor(groupTextCharsMax / bytesOfOne) + 1;
  const { file } = await fileOf(tableOf(10, 2 * perGroup));
  expect(groupsIn(file)).toEqual([10 + perGroup, perGroup]);
});

test("a file is handed over in pieces of a buffer of their own, and reads back whole", async () => {
  const { file, pieces } = await fileOf(tableOf(rowsPerGroup, 5_000));
  expect(pieces.every(({ buffer, byteLength }) => buffer.byteLength === byteLength)).toBe(true);
  expect(pieces.every(({ byteLength }) => byteLength <= 1024 * 1024)).toBe(true);
  const rows = await parquetReadObjects({ file, columns: ["country", "properties"] });
  expect(rows.length).toBe(rowsPerGroup + 5_000);
  expect(rows[0]).toEqual({ country: "DE", properties: null });
  expect(JSON.parse(rows.at(-1)?.properties).text.length).toBe(8_000);
});
