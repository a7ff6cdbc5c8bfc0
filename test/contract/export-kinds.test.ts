import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayOf, isoDate } from "../../src/domain/event";
import { noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { dayRow, importDays } from "../support/app/imported-days";
import { eventually } from "../support/suite/eventually";

let app: TestApp;
let shop: TestProject;
const crawler = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" };

beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  const visit = (user_id: string, session_id: string, path: string) => ({
    ...{ event: "page_view", user_id, session_id, properties: { path } },
  });
  await app.track(shop, visit("anon-1", "s1", "/"), visit("anon-1", "s1", "/buy"));
  await app.track(shop, visit("anon-2", "s2", "/"), visit("bob", "s3", "/\u202e"));
  const identify = (previous_id: string, user_id: string, more: object = {}) =>
    app.post("/identify", { token: shop.token, previous_id, user_id, ...more });
  await identify("anon-1", "ann", { traits: { email: "ann@example.com", 2: "two", 1: "one" } });
  await identify("anon-2", "anon-1");
  await identify("bob", "bob", { traits: { plan: "pro" } });
  const put = await app.send("PUT", "/project-context", {
    key: app.key,
    body: { project: "shop", goals: ["sell"], activation_events: ["buy"] },
  });
  expect(put.status).toBe(200);
  const body = { token: shop.token, event: "page_view" };
  await app.send("POST", "/track", { headers: crawler, body });
  importDays(app, shop.id, "imp_1", [
    dayRow(day, 3),
    dayRow(day, 1, { dimension: "page", value: "/" }),
    dayRow(day, 2, { dimension: "page", value: "=/\u202e" }),
  ]);
});
afterAll(() => app.close());

async function text(query: string): Promise<string> {
  const answer = await app.send("GET", `/export?project=shop&${query}`, { key: app.key });
  expect(answer.status).toBe(200);
  return answer.text();
}
const linesOf = async (query: string) =>
  (await text(query))
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line));

const identities = [
  { kind: "identity", previous_id: "anon-1", user_id: "ann" },
  { kind: "identity", previous_id: "anon-2", user_id: "ann" },
];
const profiles = [
  {
    ...{ kind: "profile", user_id: "ann", traits: { 1: "one", 2: "two" } },
    emails: [expect.stringMatching(/^[0-9a-f]{64}$/)],
  },
  { kind: "profile", user_id: "bob", traits: { plan: "pro" }, emails: [] },
];
const context = {
  ...{ kind: "context", goals: ["sell"], activation_events: ["buy"] },
  ...{ glossary: [], annotations: [] },
};
const botDay = {
  ...{ kind: "bot_day", date: "2026-01-14", category: "search_crawler", actor: "Googlebot" },
  ...{ requests: 1, dropped_events: 1, last_seen_at: noonMs },
};

test("identities are the ids that stand for another one, each with the one at the end", async () => {
  expect(await linesOf("kind=identities")).toEqual(identities);
});

test("profiles have traits, and addresses as digests", async () => {
  expect(await linesOf("kind=profiles")).toEqual(profiles);
  expect(await text("kind=profiles")).not.toContain("example.com");
});

test("the context is one line, and none where nobody wrote one", async () => {
  expect(await linesOf("kind=context")).toEqual([context]);
  const other = await app.makeProject("other");
  const call = { key: app.key };
  const answer = await app.send("GET", `/export?project=${other.id}&kind=context`, call);
  expect(JSON.parse((await answer.text()).trimEnd().split("\n")[1] ?? "").count).toBe(0);
});

const day = dayOf(noonMs) - 9;
const dayLine = (dimension: string, value: string, count: number) => ({
  ...{ kind: "day", date: isoDate(day), dimension, value },
  ...{ visitors: count, visits: count, page_views: count, events: count },
  ...{ bounces: count, seconds: count, import: { id: "imp_1", kind: "plausible" } },
});
const days = [dayLine("page", "=/\u202e", 2), dayLine("page", "/", 1), dayLine("total", "", 3)];

test("days are by date and dimension, the largest values first, with their import", async () => {
  expect(await linesOf("kind=history")).toEqual(days);
  expect(await linesOf(`kind=history&until=${isoDate(day - 1)}`)).toEqual([]);
  expect(await linesOf(`kind=history&since=${isoDate(day + 1)}`)).toEqual([]);
  const csv = (await text("kind=history&format=csv")).split("\r\n");
  expect(csv[0]).toBe(
    "date,dimension,value,visitors,visits,page_views,events,bounces,seconds,import",
  );
  expect(csv).toHaveLength(days.length + 2);
  const head = async () => JSON.parse((await text("kind=history")).split("\n")[0] ?? "");
  expect(await head()).not.toHaveProperty("first_deleted_at");
  app.deps.control.days.noteDeleted(shop.id, 5);
  expect(await head()).toMatchObject({ kind: "sightline", first_deleted_at: 5 });
});

test("automated requests are by date, and chosen by it", async () => {
  await eventually(async () => expect(await linesOf("kind=bot_traffic")).toEqual([botDay]));
  expect(await linesOf("kind=bot_traffic&since=2026-01-14")).toEqual([botDay]);
  expect(await linesOf("kind=bot_traffic&until=2026-01-13")).toEqual([]);
});

test("sessions are those that GET /sessions lists, newest first", async () => {
  const { sessions } = await app.get("/sessions?project=shop&since=30d");
  const listed = (sessions as readonly Record<string, unknown>[]).map(
    ({ replay_count: _count, has_replay: _has, replays: _replays, ...session }) => ({
      kind: "session",
      ...session,
    }),
  );
  expect(listed.length).toBe(3);
  expect(await linesOf("kind=sessions")).toEqual(listed);
});

test("all has every kind but sessions, events last; after an event it has events alone", async () => {
  const events = await linesOf("kind=events");
  const botDays = await eventually(async () => {
    const lines = await linesOf("kind=bot_traffic");
    expect(lines.length).toBe(1);
    return lines;
  });
  expect(await linesOf("kind=all")).toEqual([
    ...[context, ...identities, ...profiles, ...botDays, ...days, ...events],
  ]);
  expect(await linesOf(`kind=all&after=${events[1].id}`)).toEqual(events.slice(2));
});

test("each kind but all is CSV too, with its lists as JSON", async () => {
  const firstLines = async (kind: string) => (await text(`kind=${kind}&format=csv`)).split("\r\n");
  expect(await firstLines("identities")).toEqual([
    ...["previous_id,user_id", "anon-1,ann", "anon-2,ann", ""],
  ]);
  const [head, first] = await firstLines("profiles");
  expect([head, first?.slice(0, 36)]).toEqual([
    "user_id,traits,emails",
    'ann,"{""1"":""one"",""2"":""two""}",',
  ]);
});

test("a parameter that does not fit the kind is refused by its name", async () => {
  const refused = async (query: string) => {
    const answer = await app.send("GET", `/export?project=shop&${query}`, { key: app.key });
    const { error, field } = (await answer.json()) as { error: string; field?: string };
    return [answer.status, error, field];
  };
  const after = "after=01KEY610G002E0000001S1GHT1";
  expect(await refused("kind=all&format=csv")).toEqual([400, "MISSING_FIELDS", "format"]);
  expect(await refused("kind=profiles&since=7d")).toEqual([400, "MISSING_FIELDS", "since"]);
  expect(await refused("kind=context&until=1d")).toEqual([400, "MISSING_FIELDS", "until"]);
  expect(await refused(`kind=sessions&${after}`)).toEqual([400, "MISSING_FIELDS", "after"]);
});
