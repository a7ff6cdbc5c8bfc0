import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { dayMs } from "../../src/lib/clock";
import { noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  const events = Array.from({ length: 30 }, (_, index) => ({
    event: index % 3 === 0 ? "buy" : "page_view",
    user_id: index % 4 === 0 ? "anon" : "ann",
    timestamp: noonMs - ((index * 7) % 20) * dayMs,
    properties: { 2: index, 1: "one", path: "/a\u202eb", note: "=1+1;=2" },
  }));
  for (const event of events) await app.track(shop, event);
  const body = { token: shop.token, previous_id: "anon", user_id: "ann" };
  await app.send("POST", "/identify", { body });
});
afterAll(() => app.close());

const text = async (query: string): Promise<string> => {
  const answer = await app.send("GET", `/export?project=${shop.id}${query}`, { key: app.key });
  expect(answer.status).toBe(200);
  return answer.text();
};
const linesOf = (file: string) => file.split("\n").slice(0, -1);

test("JSON lines have every event as GET /events shows it, by ascending id, and end with what they are", async () => {
  const file = await text("");
  const lines = linesOf(file);
  const [first, ...rest] = lines.map((line) => JSON.parse(line));
  const end = rest.pop();
  expect(first).toEqual({
    ...{ kind: "sightline", version: 1 },
    ...{ project: "shop", timezone: "UTC", exported_at: noonMs },
  });
  const { events } = await app.get(`/events?project=${shop.id}&since=365d&limit=1000`);
  const shown = (events as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(rest).toEqual(shown.map((event) => ({ kind: "event", ...event })));
  const before = file.slice(0, file.lastIndexOf("\n", file.length - 2) + 1);
  const sha256 = createHash("sha256").update(before).digest("hex");
  expect(end).toEqual({ kind: "end", count: 30, last_id: shown.at(-1)?.id, sha256 });
});

test("an export that was cut anywhere and is resumed after its last id has the lines of one that was not", async () => {
  const lines = linesOf(await text(""));
  const whole = lines.slice(1, -1);
  const file = lines.join("\n");
  for (let cut = 1; cut < file.length; cut += 331) {
    const got = linesOf(file.slice(0, cut)).slice(1);
    const last = got.at(-1);
    const after = last === undefined ? "" : `&after=${JSON.parse(last).id}`;
    const rest = linesOf(await text(after));
    expect([cut, ...got, ...rest.slice(1, -1)]).toEqual([cut, ...whole]);
    expect(JSON.parse(rest.at(-1) ?? "")).toMatchObject({ count: whole.length - got.length });
  }
});

test("dates choose by the events' own time", async () => {
  const lines = linesOf(await text("&since=2026-01-10&until=2026-01-12")).map((line) =>
    JSON.parse(line),
  );
  const dates = new Set(lines.slice(1, -1).map(({ date }) => date));
  expect([...dates].sort()).toEqual(["2026-01-10", "2026-01-11", "2026-01-12"]);
});

test("CSV has a column for each field, shows what is hidden, and runs nothing", async () => {
  const call = { key: app.key };
  const answer = await app.send("GET", "/export?project=shop&format=csv", call);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe(
    'attachment; filename="shop-events-2026-01-14.csv"',
  );
  const [head, first, ...rest] = (await answer.text()).split("\r\n");
  expect(head).toBe("id,project_id,event,properties,user_id,session_id,timestamp,date,country");
  expect(first).toContain(
    '"{""1"":""one"",""2"":0,""path"":""/a\\u202eb"",""note"":""=1+1\\u003b=2""}"',
  );
  expect(rest.length).toBe(30);
});

test("a parameter that is wrong is refused by its name", async () => {
  const refused = async (query: string) => {
    const answer = await app.send("GET", `/export?${query}`, { key: app.key });
    const { error, field } = (await answer.json()) as { error: string; field?: string };
    return [answer.status, error, field];
  };
  expect(await refused("kind=events")).toEqual([400, "PROJECT_REQUIRED", undefined]);
  expect(await refused("project=shop&kind=other")).toEqual([400, "MISSING_FIELDS", "kind"]);
  expect(await refused("project=shop&format=xml")).toEqual([400, "MISSING_FIELDS", "format"]);
  const ids = ["", "1", "zzz", `8${"0".repeat(25)}`, "0".repeat(25), "0".repeat(27)];
  for (const after of ids)
    expect([after, ...(await refused(`project=shop&after=${after}`))]).toEqual([
      ...[after, 400, "MISSING_FIELDS", "after"],
    ]);
  const largest = `7${"Z".repeat(25)}`;
  expect(
    (await app.send("GET", `/export?project=shop&after=${largest}`, { key: app.key })).status,
  ).toBe(200);
  expect(await refused("project=shop&since=x")).toEqual([400, "MISSING_FIELDS", "since"]);
  expect(await refused("project=none")).toEqual([404, "NOT_FOUND", undefined]);
});

describe.each([
  ["gzip", ".gz", gunzipSync],
  ["zstd", ".zst", zstdDecompressSync],
] as const)("packed by %s", (compress, ending, unpack) => {
  const open = (project: string) =>
    app.open(`/export?project=${project}&compress=${compress}`, { key: app.key });

  test("it is the same file, and says what it is", async () => {
    const answer = await open("shop");
    expect(answer.headers.get("content-type")).toBe(`application/${compress}`);
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="shop-events-2026-01-14.jsonl${ending}"`,
    );
    expect(unpack(await answer.bytes()).toString()).toBe(await text(""));
  });

  test("it may be larger than what the packer makes at once", async () => {
    const large = await app.makeProject(`large-${compress}`);
    const events = Array.from({ length: 90 }, () => ({
      event: "large",
      properties: { text: randomBytes(5_000).toString("base64") },
    }));
    await app.track(large, ...events);
    const packed = await (await open(large.id)).bytes();
    expect(packed.byteLength).toBeGreaterThan(300_000);
    const plain = await app.open(`/export?project=${large.id}`, { key: app.key });
    expect(unpack(packed).toString()).toBe(await plain.text());
  });
});
