import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { dayRow, importDays } from "../../../test/support/app/imported-days";
import { checked, committed, waitFor } from "../../../test/support/app/imports";
import { eventually } from "../../../test/support/suite/eventually";
import { dayOf, isoDate } from "../../domain/event";
import { dayMs } from "../../lib/clock";
import { RetentionRun } from "../../services/retention";

let app: TestApp;
let shop: TestProject;
let other: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  other = await app.makeProject("other");
});
afterEach(() => app.close());

const crawler = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" };
const identify = (to: TestProject, previous_id: string, user_id: string, traits?: object) =>
  app.post("/identify", { token: to.token, previous_id, user_id, ...(traits && { traits }) });
const context = { goals: ["sell"], activation_events: ["buy"], glossary: [], annotations: [] };
const putContext = (project: string, body: object = context) =>
  app.send("PUT", "/project-context", { key: app.key, body: { project, ...body } });

async function exported({ id }: TestProject): Promise<string> {
  const answer = await app.open(`/export?project=${id}&kind=all`, { key: app.key });
  return answer.text();
}
const linesOf = async (project: TestProject) =>
  (await exported(project))
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line));
/** Lines without what differs between projects. */
const alikeOf = async (project: TestProject) =>
  (await linesOf(project)).map(({ emails: _, ...line }) => ({
    ...line,
    ...(line.kind === "event" && { id: "", project_id: "" }),
    ...(line.kind === "context" && { annotations: [] }),
  }));

const firstDay = dayOf(noonMs) - 20;
const rowsOf = ({ report }: Readonly<Record<string, unknown>>) =>
  (report as { readonly rows: Readonly<Record<string, number>> }).rows;
const none = {
  ...{ stored: 0, duplicates: 0, overlap: 0, older: 0, folded: 0, unsupported: 0, refused: 0 },
};

async function fill(project: TestProject): Promise<void> {
  await app.track(
    project,
    { event: "page_view", user_id: "anon", session_id: "s", properties: { path: "/" } },
    { event: "buy", user_id: "ann", session_id: "s" },
  );
  await identify(project, "anon", "ann", { plan: "pro", email: "ann@example.com" });
  await putContext(project.id);
  const body = { token: project.token, event: "page_view" };
  await app.send("POST", "/track", { headers: crawler, body });
  importDays(app, project.id, "imp_first", [dayRow(firstDay, 3)]);
  importDays(app, project.id, "imp_second", [dayRow(firstDay + 1, 5)]);
  app.deps.control.days.fold(project.id, firstDay + 2, [dayRow(firstDay + 2, 7)]);
  await eventually(async () =>
    expect((await linesOf(project)).some(({ kind }) => kind === "bot_day")).toBe(true),
  );
}

test("an export of everything becomes the same project, and its report counts every line", async () => {
  await fill(shop);
  const file = await exported(shop);
  const found = await checked(app, other, file);
  expect(rowsOf(found)).toEqual({ ...none, stored: 9 });
  expect(found.report).toMatchObject({
    ...{ becomes: "both", users: 1, sessions: 1, caveats: ["emails_left_out"] },
    ...{ from: isoDate(firstDay), to: "2026-01-14", hidden_days: 0 },
  });
  expect(await linesOf(other)).toEqual([]);
  await app.post(`/imports/${found.id}/commit`, {});
  await waitFor(app, String(found.id), "done");
  expect(await alikeOf(other)).toEqual(await alikeOf(shop));
  const history = async (project: string) => {
    const { project: _, imports, ...rest } = await app.get(`/history?project=${project}`);
    return { ...rest, imports: (imports as { kind: string }[]).map(({ kind }) => kind) };
  };
  expect(await history("other")).toEqual(await history("shop"));
});

test("an export stores nothing in the project that wrote it, whatever had come into that by imports", async () => {
  await fill(shop);
  const row = (day: number, n: number) => ({
    ...{ event: "page_view", user_id: `u${n}`, session_id: `s${n}`, event_id: `e${n}` },
    timestamp: day * dayMs + n,
  });
  const old = [row(firstDay + 3, 1), row(firstDay + 4, 2), row(dayOf(noonMs) - 400, 3)];
  const file = old.map((one) => `${JSON.stringify(one)}\n`).join("");
  const third = await app.makeProject("third");
  await identify(third, "old-1", "u1", { plan: "free" });
  await app.send("POST", "/track", {
    ...{ headers: crawler, body: { token: third.token, event: "page_view" } },
  });
  await eventually(async () =>
    expect((await linesOf(third)).some(({ kind }) => kind === "bot_day")).toBe(true),
  );
  await committed(app, shop, await exported(third), { overlap: "keep" });
  await committed(app, shop, file);
  const before = await linesOf(shop);
  expect(before.filter(({ kind }) => kind === "event").length).toBe(4);
  const own = await exported(shop);
  for (const overlap of ["drop", "keep"]) {
    const found = await checked(app, shop, own, { overlap });
    const { duplicates = 0, overlap: beside = 0, ...others } = rowsOf(found);
    expect({ overlap, others, all: duplicates + beside }).toEqual({
      ...{ overlap, all: before.length },
      others: { stored: 0, older: 0, folded: 0, unsupported: 0, refused: 0 },
    });
    expect(duplicates).toBeGreaterThanOrEqual(overlap === "drop" ? 2 : 4);
    await app.send("DELETE", `/imports/${found.id}`, { key: app.key });
  }
});

test("an export names the earliest event where that is deleted, and only then", async () => {
  const old = `${JSON.stringify({ event: "old", timestamp: noonMs - 9 * dayMs })}\n`;
  await committed(app, shop, old);
  const head = async () => JSON.parse((await exported(shop)).split("\n")[0] ?? "");
  expect(await head()).not.toHaveProperty("first_deleted_at");
  await new RetentionRun(app.deps, () => false).forget(shop.id, noonMs - 8 * dayMs);
  expect(await head()).toMatchObject({ first_deleted_at: noonMs - 9 * dayMs });
});

test("an event that was removed since its export comes back with it", async () => {
  const file = `${JSON.stringify({ event: "old", timestamp: noonMs - 9 * dayMs })}\n`;
  const id = await committed(app, shop, file);
  const own = await exported(shop);
  expect(rowsOf(await checked(app, shop, own))).toEqual({ ...none, duplicates: 1 });
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  const again = await exported(shop);
  expect(again.includes('"kind":"event"')).toBe(false);
  const [waiting] = app.deps.control.imports.ofProject(shop.id);
  await app.post(`/imports/${waiting?.id}/check`, {});
  expect(rowsOf(await waitFor(app, String(waiting?.id), "checked"))).toEqual({
    ...none,
    stored: 1,
  });
});

test("a removal takes all of it back, and leaves what clients told", async () => {
  await fill(shop);
  const file = await exported(shop);
  await identify(other, "bob-1", "bob", { plan: "free" });
  const before = await linesOf(other);
  const id = await committed(app, other, file);
  expect((await linesOf(other)).length).toBe(before.length + 9);
  const removed = await (await app.send("DELETE", `/imports/${id}`, { key: app.key })).json();
  expect(removed).toEqual({ ok: true, deleted: id, events: 2, days: 3 });
  expect(await linesOf(other)).toEqual(before);
});

test("what clients told before stays; what they tell later is theirs", async () => {
  await fill(shop);
  await identify(other, "anon", "somebody");
  await identify(other, "ann", "ann", { plan: "free", since: 1 });
  const file = await exported(shop);
  const found = await checked(app, other, file, { overlap: "keep" });
  expect(rowsOf(found)).toEqual({ ...none, stored: 8, overlap: 1 });
  await app.post(`/imports/${found.id}/commit`, {});
  await waitFor(app, String(found.id), "done");
  const profiles = async () =>
    (await linesOf(other)).filter(({ kind }) => kind === "identity" || kind === "profile");
  const told = [
    { kind: "identity", previous_id: "anon", user_id: "somebody" },
    { kind: "profile", user_id: "ann", traits: { plan: "free", since: 1 }, emails: [] },
  ];
  expect(await profiles()).toEqual(told);
  await app.send("DELETE", `/imports/${found.id}`, { key: app.key });
  expect(await profiles()).toEqual(told);
});

test("a link and traits that a client tells again stay when the import is removed", async () => {
  await identify(shop, "anon", "ann", { plan: "pro", city: "Bonn" });
  const id = await committed(app, other, await exported(shop));
  await identify(other, "anon", "ann", { plan: "pro" });
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect(await linesOf(other)).toEqual([
    { kind: "identity", previous_id: "anon", user_id: "ann" },
    { kind: "profile", user_id: "ann", traits: { plan: "pro" }, emails: [] },
  ]);
});

test("a context that somebody has written stays", async () => {
  await putContext(shop.id);
  const file = await exported(shop);
  await putContext(other.id, { ...context, goals: ["give"] });
  const found = await checked(app, other, file);
  expect(rowsOf(found)).toEqual({ ...none, overlap: 1 });
  const third = await app.makeProject("third");
  const id = await committed(app, third, file);
  await putContext(third.id, { ...context, goals: ["change"] });
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect(await linesOf(third)).toMatchObject([{ kind: "context", goals: ["change"] }]);
});

test("the seam goes back with the import that moved it, also after retention deleted its events", async () => {
  const year = noonMs - 365 * dayMs;
  await app.track(shop, { event: "own" });
  importDays(app, shop.id, "imp_days", [dayRow(dayOf(year) + 1, 3)]);
  const seam = async () => (await app.get("/history?project=shop")).seam;
  expect(await seam()).toBe("2026-01-14");
  const old = `${JSON.stringify({ event: "old", timestamp: year })}\n`;
  const id = await committed(app, shop, old);
  expect(await seam()).toBe(isoDate(dayOf(year)));
  await new RetentionRun(app.deps, () => false).forget(shop.id, year + 2 * dayMs);
  expect(await seam()).toBe(isoDate(dayOf(year)));
  await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect(await seam()).toBe("2026-01-14");
});

test("a date that has begun nowhere is refused, and the latest that has begun somewhere is stored", async () => {
  const tomorrow = dayOf(noonMs) + 1;
  // At noon in UTC it is tomorrow already where clocks are 14 hours ahead.
  importDays(app, shop.id, "imp_first", [
    dayRow(firstDay, 3),
    dayRow(tomorrow, 4),
    dayRow(tomorrow + 1, 5),
  ]);
  const { report } = await checked(app, other, await exported(shop));
  expect(report).toMatchObject({
    rows: { stored: 2, refused: 1 },
    refusals: [{ code: "INVALID_TIMESTAMP", count: 1 }],
  });
});
