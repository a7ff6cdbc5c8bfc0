import { afterEach, beforeEach, expect, test } from "bun:test";
import { zip } from "../../../test/imports/zip";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import {
  checked,
  committed,
  eventLines,
  uploaded,
  waitFor,
} from "../../../test/support/app/imports";
import { dayMs } from "../../lib/clock";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const year = noonMs - 365 * dayMs;
const history = eventLines([
  { event: "page_view", user_id: "ann", session_id: "s1", timestamp: year, event_id: "e1" },
  { event: "sign_up", user_id: "ann", session_id: "s1", timestamp: year + 1, event_id: "e2" },
  { event: "page_view", user_id: "bob", session_id: "s2", timestamp: year + dayMs },
]);
const since = "since=2020-01-01";

test("a file is sent, checked, stored and seen; nothing is seen before", async () => {
  const id = await uploaded(app, shop, history);
  expect((await app.post(`/imports/${id}/check`, {})).state).toBe("checking");
  const checked = await waitFor(app, id, "checked");
  expect(checked.report).toMatchObject({
    ...{ format: "events", becomes: "events", from: "2025-01-14", to: "2025-01-15" },
    rows: { stored: 3, duplicates: 0, overlap: 0, older: 0, folded: 0, unsupported: 0, refused: 0 },
    ...{ users: 2, sessions: 2, page_views: 2, refusals: [], differences: [] },
    by_event: [
      { event: "page_view", count: 2 },
      { event: "sign_up", count: 1 },
    ],
    by_day: [
      { date: "2025-01-14", events: 2, page_views: 1, users: 1, sessions: 1 },
      { date: "2025-01-15", events: 1, page_views: 1, users: 1, sessions: 1 },
    ],
  });
  const before = await app.get(`/stats?project=shop&${since}`);
  expect(before.totals).toMatchObject({ total_events: 0 });
  await app.post(`/imports/${id}/commit`, {});
  expect(await waitFor(app, id, "done")).toMatchObject({ committed_at: noonMs, progress: 1 });
  const after = await app.get(`/stats?project=shop&${since}`);
  expect(after.totals).toMatchObject({ total_events: 3, unique_users: 2 });
  expect(after.sessions).toMatchObject({ total_sessions: 2 });
});

test("an import that is removed takes what it stored with it, and nothing else", async () => {
  await app.track(shop, { event: "own", user_id: "ann" });
  const id = await committed(app, shop, history);
  const removed = await (await app.send("DELETE", `/imports/${id}`, { key: app.key })).json();
  expect(removed).toEqual({ ok: true, deleted: id, events: 3, days: 0 });
  const after = await app.get(`/stats?project=shop&${since}`);
  expect(after.totals).toMatchObject({ total_events: 1, unique_users: 1 });
  expect((await app.send("GET", `/imports/${id}`, { key: app.key })).status).toBe(404);
  expect(await app.get("/imports?project=shop")).toMatchObject({ imports: [] });
});

const own = (time: number, fields: object = {}) => ({
  ...{ event: "page_view", user_id: "ann", session_id: "s1", timestamp: time },
  ...fields,
});
const rowsOf = ({ report }: Readonly<Record<string, unknown>>) =>
  (report as { readonly rows: Readonly<Record<string, number>> }).rows;
const none = {
  ...{ stored: 0, duplicates: 0, overlap: 0, older: 0, folded: 0, unsupported: 0, refused: 0 },
};
const eventCount = async () => {
  const { totals } = await app.get(`/stats?project=shop&${since}`);
  return (totals as { readonly total_events: number }).total_events;
};

test("ids that came before are duplicates, as rows of other imports are; equal rows of a file are not", async () => {
  const first = eventLines([
    ...[own(year, { event_id: "a" }), own(year + 1, { event_id: "a" })],
    ...[own(year + 2), own(year + 2)],
  ]);
  const one = await checked(app, shop, first);
  expect(rowsOf(one)).toEqual({ ...none, stored: 3, duplicates: 1 });
  expect((one.report as { differences: unknown[] }).differences).toMatchObject([
    { what: "duplicates", file: 1, stored: 0 },
    { what: "page_views", file: 4, stored: 3 },
  ]);
  await app.post(`/imports/${one.id}/commit`, {});
  await waitFor(app, String(one.id), "done");
  const second = eventLines([
    ...[own(year + 9, { event_id: "a" }), own(year + 9, { event_id: "b" })],
    ...[own(year + 2), own(year + 2), own(year + 2)],
  ]);
  const two = await checked(app, shop, second);
  expect(rowsOf(two)).toEqual({ ...none, stored: 2, duplicates: 3 });
  await app.send("DELETE", `/imports/${one.id}`, { key: app.key });
  await app.post(`/imports/${two.id}/commit`, {});
  expect(rowsOf(await waitFor(app, String(two.id), "done"))).toEqual({ ...none, stored: 5 });
  expect(await eventCount()).toBe(5);
});

test("rows from the project's first own event on are left out, unless they are to be kept", async () => {
  await app.track(shop, { event: "own", timestamp: noonMs - dayMs });
  const file = eventLines([own(noonMs - dayMs - 1), own(noonMs - dayMs), own(noonMs)]);
  const dropped = await checked(app, shop, file);
  expect(rowsOf(dropped)).toEqual({ ...none, stored: 1, overlap: 2 });
  await app.post(`/imports/${dropped.id}/check`, { overlap: "keep" });
  expect(rowsOf(await waitFor(app, String(dropped.id), "checked"))).toEqual({ ...none, stored: 3 });
});

test("an imported event is no event of the project's own", async () => {
  await committed(app, shop, eventLines([own(year)]));
  const later = await checked(app, shop, eventLines([own(year + dayMs)]));
  expect(rowsOf(later)).toEqual({ ...none, stored: 1 });
});

test("what the project does not keep is left out", async () => {
  // A date that was deleted in part counts as a whole.
  await app.deps.store.forget(shop.id, year + dayMs - 5_000);
  const nextDate = year + dayMs / 2 + dayMs;
  const file = eventLines([own(nextDate - 1), own(nextDate)]);
  const checking = await checked(app, shop, file, { older: "drop" });
  expect(rowsOf(checking)).toEqual({ ...none, stored: 1, older: 1 });
});

test("a commit looks again at a project that changed since the check", async () => {
  const { id } = await checked(app, shop, eventLines([own(noonMs - 10), own(noonMs - 1)]));
  await app.track(shop, { event: "own", timestamp: noonMs - 5 });
  await app.post(`/imports/${id}/commit`, {});
  const done = await waitFor(app, String(id), "done");
  expect(rowsOf(done)).toEqual({ ...none, stored: 1, overlap: 1 });
  expect(await eventCount()).toBe(2);
});

test("events of an import order as their times, those of one time as their lines", async () => {
  const names = ["c", "a", "b", "d"];
  const times = [year + 2, year, year, year + 3];
  const file = names.map((event, at) => own(times[at] ?? 0, { event }));
  await committed(app, shop, eventLines(file));
  const exported = await app.open(`/export?project=${shop.id}`, { key: app.key });
  const lines = (await exported.text()).trimEnd().split("\n").slice(1, -1);
  const events = lines.map((line) => JSON.parse(line));
  expect(events.map(({ event }) => event)).toEqual(["a", "b", "c", "d"]);
});

test("the version of the data grows at the end and at the removal, and receipts tell of imports", async () => {
  const versionOf = async () => {
    const answer = await app.send("GET", `/stats?project=shop&${since}&receipt=true`, {
      key: app.key,
    });
    const { receipt } = (await answer.json()) as {
      readonly receipt: { readonly caveats: string[] };
    };
    return { version: Number(answer.headers.get("x-data-version")), caveats: receipt.caveats };
  };
  const before = await versionOf();
  const { id } = await checked(app, shop, history);
  expect(await versionOf()).toEqual(before);
  await app.post(`/imports/${id}/commit`, {});
  await waitFor(app, String(id), "done");
  const done = await versionOf();
  expect(done.version).toBeGreaterThan(before.version);
  expect(done.caveats).toContain("imported_events");
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  const after = await versionOf();
  expect(after.version).toBeGreaterThan(done.version);
  expect(after.caveats).not.toContain("imported_events");
});

test("imported rows are no events of the month", async () => {
  await committed(app, shop, history);
  expect(await app.deps.store.receivedEvents("2020-01-01", "2030-01-01")).toEqual(new Map());
});

test("events of an export keep the order of its lines, and an export of them is the same but for ids", async () => {
  await app.track(
    shop,
    { event: "late", timestamp: noonMs - 5 },
    { event: "early", timestamp: noonMs - 9 },
  );
  const other = await app.makeProject("other");
  const linesOf = async ({ id }: TestProject) => {
    const answer = await app.open(`/export?project=${id}`, { key: app.key });
    return (await answer.text()).trimEnd().split("\n");
  };
  const file = await linesOf(shop);
  await committed(app, other, `${file.join("\n")}\n`);
  const events = (lines: readonly string[]) =>
    lines.slice(1, -1).map((line) => ({ ...JSON.parse(line), id: "", project_id: "" }));
  expect(events(await linesOf(other))).toEqual(events(file));
});

test("the report names the files of an archive that nothing is read of", async () => {
  const others = ["readme.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt", "g.txt"];
  const archive = zip([
    { name: "events.jsonl", content: history },
    ...others.map((name) => ({ name, content: "by hand" })),
  ]);
  const { report } = await checked(app, shop, archive);
  expect(report).toMatchObject({
    rows: { stored: 3 },
    differences: [
      {
        ...{ what: "files", file: 8, stored: 1 },
        why: expect.stringContaining('"readme.txt", "b.txt", "c.txt", "d.txt", "e.txt", 2 more'),
      },
    ],
  });
});
