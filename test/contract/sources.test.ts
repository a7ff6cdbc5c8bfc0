import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type TestApp, type TestProject, testApp } from "../support/app/app";

/** The sources of sessions, as they are told over HTTP. `../sources/referrers.txt` is the table of what is expected. */

interface Visit {
  readonly referrer: string | null;
  readonly utm: readonly (string | null)[];
  readonly told: readonly (string | null)[];
}

const cell = (text: string): string | null => (text.trim() === "-" ? null : text.trim());
const visits: readonly Visit[] = readFileSync(`${import.meta.dir}/../sources/referrers.txt`, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [referrer = "", utm = "", ...told] = line.split(" | ");
    return { referrer: cell(referrer), utm: utm.trim().split(" ").map(cell), told: told.map(cell) };
  });

const fields = ["session.referrer", "session.source", "session.channel"];
type Row = Readonly<Record<string, string | number | null>>;

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  const made = await app.post("/projects", { name: "shop", domain: "https://shop.example" });
  shop = { id: String(made.id), name: "shop", token: String(made.project_token) };
  for (let from = 0; from < visits.length; from += 100) {
    await app.track(
      shop,
      ...visits.slice(from, from + 100).map((visit, at) => view(visit, from + at)),
    );
  }
});
afterAll(() => app.close());

const view = ({ referrer, utm: [source = null, medium = null] }: Visit, number: number) => ({
  event: "page_view",
  session_id: `visit ${number}`,
  properties: {
    path: "/",
    ...(referrer !== null && { referrer }),
    ...(source !== null && { utm_source: source }),
    ...(medium !== null && { utm_medium: medium }),
  },
});
async function rowsOf(asked: object): Promise<readonly Row[]> {
  const body = { project: "shop", count_mode: "raw", limit: 1_000, ...asked };
  return (await app.post("/query", body)).rows as readonly Row[];
}

test("more than 300 referrers of real life tell referrer, source and channel", async () => {
  expect(visits.length).toBeGreaterThan(300);
  const rows = await rowsOf({ group_by: ["session_id", ...fields] });
  const found = new Map(rows.map((row) => [row.session_id, fields.map((field) => row[field])]));
  const told = visits.map((visit, number) => ({ ...visit, told: found.get(`visit ${number}`) }));
  expect<unknown>(told).toEqual(visits);
});

test("a filter and a group by a channel or a source count what the table says", async () => {
  for (const [place, field] of fields.entries()) {
    const counts = new Map<string | null, number>();
    for (const { told } of visits) {
      counts.set(told[place] ?? null, (counts.get(told[place] ?? null) ?? 0) + 1);
    }
    const rows = await rowsOf({ group_by: [field] });
    expect(new Map(rows.map((row) => [row[field], row.event_count]))).toEqual(counts);
    const [value, count] = [...counts].find(([one]) => one !== null) ?? [];
    const filters = [{ field, op: "eq", value }];
    expect(await rowsOf({ filters })).toEqual([{ event_count: count ?? 0 }]);
  }
});

test("a filter reads a source as a utm_source is read, and session.utm_source is as it was sent", async () => {
  const countOf = async (filter: object, ...more: object[]) => {
    const [row] = await rowsOf({ filters: [filter, ...more] });
    return row.event_count;
  };
  const from = (...names: readonly string[]) =>
    visits.filter(({ told: [, source = null] }) => source !== null && names.includes(source))
      .length;
  const field = "session.source";
  for (const value of ["google", "Google", " GOOGLE.COM ", "www.google.de", "adwords"]) {
    expect([value, await countOf({ field, op: "eq", value })]).toEqual([value, from("Google")]);
  }
  expect(await countOf({ field, op: "neq", value: "FB" })).toBe(visits.length - from("Facebook"));
  const some = ["NEWSLETTER", "ig", "direct"];
  const ofSome = from("newsletter", "Instagram", "Direct");
  expect(await countOf({ field, op: "in", value: some })).toBe(ofSome);
  expect(await countOf({ field, op: "not_in", value: some })).toBe(visits.length - ofSome);
  const other = {
    any: [
      { field, op: "eq", value: "twitter" },
      { field, op: "is_null" },
    ],
  };
  expect(await countOf(other)).toBe(from("X"));
  // As texts, in the case that is shown.
  expect(await countOf({ field, op: "prefix", value: "news" })).toBeGreaterThan(0);
  expect(await countOf({ field, op: "prefix", value: "News" })).toBe(0);

  const sent = visits.filter(({ utm: [source] }) => source === "Newsletter").length;
  const asSent = { field: "session.utm_source", op: "eq", value: "Newsletter" };
  expect([sent, await countOf(asSent)]).toEqual([1, 1]);
});

test("the project's own hosts are those of today", async () => {
  const asked = { group_by: ["session.referrer"], filters: [] };
  const hosts = async () => (await rowsOf(asked)).map((row) => row["session.referrer"]);
  expect(await hosts()).toContain("news.google.com");
  const change = (allowed_origins: string) =>
    app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body: { allowed_origins } });
  await change("https://shop.example,https://*.google.com");
  expect(await hosts()).not.toContain("news.google.com");
  expect(await hosts()).toContain("google.de");
  await change("https://shop.example");
  expect(await hosts()).toContain("news.google.com");
});

test("a share with a filter on the channel shows that channel alone, whatever else is asked", async () => {
  const filters = [{ field: "session.channel", op: "eq", value: "Email" }];
  const made = await app.post("/shares", { project: "shop", name: "Mail", filters });
  const [, token = ""] = String(made.url).split("/share/");
  const headers = { authorization: `Bearer ${token}` };
  const seen = async (asked: object) => {
    const body = { project: "shop", count_mode: "raw", ...asked };
    const answer = await app.send("POST", "/query", { headers, body });
    return ((await answer.json()) as { rows: readonly Row[] }).rows;
  };
  const expected = visits.filter(({ told: [, , channel] }) => channel === "Email").length;
  const email = { "session.channel": "Email", event_count: expected };
  expect(await seen({ group_by: ["session.channel"] })).toEqual([email]);
  const wide = fields.map((field) => ({ field, op: "not_in", value: [] }));
  expect(await seen({ group_by: ["session.channel"], filters: [{ any: wide }] })).toEqual([email]);
  const others = [{ field: "session.channel", op: "neq", value: "Email" }];
  expect(await seen({ filters: others })).toEqual([{ event_count: 0 }]);
  const stats = await app.send("GET", "/stats?project=shop", { headers });
  const { totals } = (await stats.json()) as { totals: { total_events: number } };
  expect(totals.total_events).toBe(expected);
});

test("a name that is nearly right is refused with the one that was meant", async () => {
  const refused = async (asked: object) => {
    const body = { project: "shop", ...asked };
    const answer = await app.send("POST", "/query", { key: app.key, body });
    const { error, suggested_field } = (await answer.json()) as Readonly<Record<string, unknown>>;
    return [answer.status, error, suggested_field];
  };
  expect(await refused({ group_by: ["session.chanel"] })).toEqual([
    ...[400, "INVALID_GROUP_BY", "session.channel"],
  ]);
  const filters = [{ field: "session.referer", op: "eq", value: "google.com" }];
  expect(await refused({ filters })).toEqual([400, "INVALID_FILTER_FIELD", "session.referrer"]);
});
