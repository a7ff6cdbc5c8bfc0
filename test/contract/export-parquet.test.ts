import { afterAll, beforeAll, expect, test } from "bun:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { dayMs } from "../../src/lib/clock";
import { noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  for (let index = 0; index < 30; index++) {
    const hasVisitor = index % 3 !== 0;
    await app.track(shop, {
      event: index % 2 === 0 ? "page_view" : "buy 🛒",
      timestamp: noonMs - ((index * 7) % 20) * dayMs,
      ...(hasVisitor && {
        user_id: "ann",
        session_id: `s${index}`,
        properties: { 2: "", 1: "\u202e" },
      }),
    });
  }
});
afterAll(() => app.close());

const fileOf = async (query: string): Promise<ArrayBuffer> => {
  const answer = await app.send("GET", `/export?format=parquet&${query}`, { key: app.key });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    ...[200, "application/vnd.apache.parquet"],
  ]);
  return answer.arrayBuffer();
};
const linesOf = async (query: string): Promise<Record<string, unknown>[]> => {
  const answer = await app.open(`/export?${query}`, { key: app.key });
  const lines = (await answer.text()).trimEnd().split("\n").slice(1, -1);
  return lines.map((line) => JSON.parse(line));
};

test("events have the columns of their lines, properties as JSON and times as times", async () => {
  const file = await fileOf("project=shop");
  const { row_groups, schema, num_rows } = parquetMetadata(file);
  expect(schema.slice(1).map(({ name, logical_type }) => [name, logical_type?.type])).toEqual([
    ...[
      ["id", "STRING"],
      ["event", "STRING"],
      ["user_id", "STRING"],
      ["session_id", "STRING"],
    ],
    ...[
      ["timestamp", "TIMESTAMP"],
      ["date", "STRING"],
      ["country", "STRING"],
    ],
    ["properties", "STRING"],
  ]);
  expect(schema[5]?.logical_type).toMatchObject({ isAdjustedToUTC: true, unit: "MILLIS" });
  expect(row_groups[0]?.columns.map(({ meta_data }) => meta_data?.codec)).toEqual(
    Array(8).fill("SNAPPY"),
  );
  expect(Number(num_rows)).toBe(30);
  const rows = await parquetReadObjects({ file });
  const lines = await linesOf("project=shop");
  expect(rows).toEqual(
    lines.map(({ kind: _kind, project_id: _project, ...line }) => ({
      ...line,
      timestamp: new Date(Number(line.timestamp)),
      properties: line.properties === null ? null : JSON.stringify(line.properties),
    })),
  );
});

test("sessions too; dates and the id to go on after choose as for the other formats", async () => {
  const sessions = await parquetReadObjects({ file: await fileOf("project=shop&kind=sessions") });
  expect(sessions.map((row) => ({ ...row, start_time: Number(row.start_time) }))).toMatchObject(
    (await linesOf("project=shop&kind=sessions")).map(
      ({ session_id, user_id, start_time, entry_page, event_count, is_bounce, duration }) => ({
        ...{ session_id, user_id, start_time, entry_page },
        event_count: BigInt(Number(event_count)),
        is_bounce: BigInt(Number(is_bounce)),
        duration: BigInt(Number(duration)),
      }),
    ),
  );
  expect(sessions.length).toBe(20);
  const some = "project=shop&since=2026-01-10&until=2026-01-12";
  const ids = async (query: string) =>
    (await parquetReadObjects({ file: await fileOf(query) })).map(({ id }) => id);
  const lines = await linesOf(some);
  expect(await ids(some)).toEqual(lines.map(({ id }) => id));
  expect(await ids(`${some}&after=${lines[0]?.id}`)).toEqual(lines.slice(1).map(({ id }) => id));
});

test("a project without events has a file without rows", async () => {
  const other = await app.makeProject("other");
  const file = await fileOf(`project=${other.id}`);
  expect(Number(parquetMetadata(file).num_rows)).toBe(0);
  expect(await parquetReadObjects({ file })).toEqual([]);
});

test("other kinds, and a packer, are refused by their parameter", async () => {
  const refused = async (query: string) => {
    const answer = await app.send("GET", `/export?project=shop&format=parquet&${query}`, {
      key: app.key,
    });
    const { error, field, allowed } = (await answer.json()) as Record<string, unknown>;
    return [answer.status, error, field, allowed];
  };
  const ofFormat = [400, "MISSING_FIELDS", "format"];
  for (const kind of ["identities", "profiles", "context", "bot_traffic"]) {
    expect(await refused(`kind=${kind}`)).toEqual([...ofFormat, ["jsonl", "csv"]]);
  }
  expect(await refused("kind=all")).toEqual([...ofFormat, ["jsonl"]]);
  for (const compress of ["gzip", "zstd"]) {
    expect(await refused(`compress=${compress}`)).toEqual([
      ...[400, "MISSING_FIELDS", "compress", ["none"]],
    ]);
  }
  await fileOf("project=shop&compress=none");
});
