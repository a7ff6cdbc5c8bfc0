import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import {
  checked,
  committed,
  eventLines,
  uploaded,
  waitFor,
} from "../../../test/support/app/imports";
import { isoDate } from "../../domain/event";
import { forgetOldEvents } from "../../jobs";
import { dayMs, hourMs } from "../../lib/clock";
import { changeRights } from "../../store/control/accounts";
import { account } from "../../store/control/tables";

/*
 * An import knows which dates the project stores by its retention: also in a new project, of which no run has deleted
 * anything yet.
 */

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const today = Math.floor(noonMs / dayMs);
const eventAt = (timestamp: number) => ({
  ...{ event: "page_view", user_id: "ann", session_id: `s${timestamp}`, timestamp },
  properties: { path: "/" },
});
const eventOn = (day: number) => eventAt(day * dayMs + hourMs);
const rowsOf = ({ report }: Readonly<Record<string, unknown>>) =>
  (report as { readonly rows: Readonly<Record<string, number>> }).rows;
const historyOf = async () => {
  const { totals } = await app.get("/history?project=shop");
  return totals as Readonly<Record<string, number>>;
};
const eventsOf = async () => {
  const { total_events } = await app.get(`/projects/${shop.id}`);
  return total_events;
};
const patch = (body: object) => app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body });
const noPro = { tier: "free", complimentary: false } as const;
const runRetention = (atMs: number) => {
  app.setTime(atMs);
  return forgetOldEvents(app.deps, atMs);
};

test("a new project folds what its retention would delete, and the next run changes nothing", async () => {
  const first = today - 365;
  const { retained_from } = await app.get(`/projects/${shop.id}`);
  expect(retained_from).toBe(isoDate(first));
  const file = [eventAt(Date.UTC(2020, 4, 5)), eventOn(first - 1), eventOn(first), eventOn(today)];
  const found = await checked(app, shop, eventLines(file.slice(0, 3)));
  expect(rowsOf(found)).toMatchObject({ stored: 1, folded: 2, older: 0 });
  await app.post(`/imports/${found.id}/commit`, {});
  await waitFor(app, String(found.id), "done");
  const before = await historyOf();
  expect(before).toMatchObject({ days: 2, events: 2, visits: 2 });
  await runRetention(noonMs + hourMs);
  expect(await historyOf()).toEqual(before);
  expect(await eventsOf()).toBe(1);
});

test("the project's own pages are no sources of what is folded", async () => {
  const referrer = "https://shop.example.com/start";
  const row = { ...eventAt(Date.UTC(2020, 4, 5)), properties: { path: "/", referrer } };
  await committed(app, shop, eventLines([row]));
  const { values } = await app.get("/history?project=shop&dimension=source");
  expect(values).toMatchObject([{ value: "Direct", visits: 1 }]);
});

test("the plan, the project's own number and the server's say where that begins", async () => {
  const file = eventLines([eventOn(today - 91), eventOn(today - 90), eventOn(today - 5)]);
  const countsWith = async (change: () => Promise<unknown>) => {
    await change();
    const found = await checked(app, shop, file);
    await app.send("DELETE", `/imports/${found.id}`, { key: app.key });
    const { stored, folded } = rowsOf(found);
    return [stored, folded];
  };
  const { control } = app.deps;
  const { accountId } = control.projects.byId(shop.id) ?? { accountId: "" };
  expect(await countsWith(() => patch({ retention_days: 5 }))).toEqual([1, 2]);
  expect(await countsWith(() => patch({ retention_days: null }))).toEqual([3, 0]);
  const losePro = async () => changeRights(control, accountId, noPro);
  // They are stored for some time more.
  expect(await countsWith(losePro)).toEqual([3, 0]);
  const endGrace = async () => control.db.update(account).set({ lostProAtMs: null }).run();
  expect(await countsWith(endGrace)).toEqual([2, 1]);
});

test("a server that stores for ever folds nothing, nor does one whose clock may be wrong", async () => {
  const file = eventLines([eventAt(Date.UTC(2020, 4, 5))]);
  const other = await testApp({ RETENTION_DAYS: "0" });
  const site = await other.makeProject("site");
  expect(rowsOf(await checked(other, site, file))).toMatchObject({ stored: 1, folded: 0 });
  await other.close();
  expect(app.deps.trustedTime.isTrusted()).toBe(true);
  app.jumpTo(noonMs + 500 * dayMs);
  expect(app.deps.trustedTime.isTrusted()).toBe(false);
  expect(rowsOf(await checked(app, shop, file))).toMatchObject({ stored: 1, folded: 0 });
});

test("a commit looks where retention begins then, also days after the check", async () => {
  const file = [eventOn(today - 364), eventOn(today - 363), eventOn(today - 10)];
  const found = await checked(app, shop, eventLines(file));
  expect(rowsOf(found)).toMatchObject({ stored: 3, folded: 0 });
  app.setTime(noonMs + 2 * dayMs);
  await app.post(`/imports/${found.id}/commit`, {});
  const done = await waitFor(app, String(found.id), "done");
  expect(rowsOf(done)).toMatchObject({ stored: 2, folded: 1 });
  await runRetention(noonMs + 2 * dayMs);
  expect(await eventsOf()).toBe(2);
  expect(await historyOf()).toMatchObject({ days: 1, events: 1 });
});

test("between midnight and the run of the night the date that it deletes is stored", async () => {
  app.setTime(today * dayMs + hourMs);
  const { retained_from } = await app.get(`/projects/${shop.id}`);
  expect(retained_from).toBe(isoDate(today - 366));
  const found = await checked(app, shop, eventLines([eventOn(today - 367), eventOn(today - 366)]));
  expect(rowsOf(found)).toMatchObject({ stored: 1, folded: 1 });
});

test("a date of the project's zone is stored or folded as a whole", async () => {
  await patch({ timezone: "Asia/Tokyo" });
  // 2025-01-14 in UTC, of which Tokyo has the first nine hours before the boundary.
  const startMs = (today - 365) * dayMs;
  const file = [startMs - 8 * hourMs, startMs + hourMs, startMs + 15 * hourMs].map(eventAt);
  const id = await committed(app, shop, eventLines(file));
  expect(rowsOf(await app.get(`/imports/${id}`))).toMatchObject({ stored: 1, folded: 2 });
  expect(await historyOf()).toMatchObject({ days: 1, events: 2 });
  await runRetention(noonMs + dayMs);
  await runRetention(noonMs + 2 * dayMs);
  expect(await historyOf()).toMatchObject({ days: 2, events: 3 });
});

test("an export of this product comes back with the part of a date that its retention left", async () => {
  for (const name of ["shop", "other"]) {
    if (name !== "shop") await app.makeProject(name);
    const body = { timezone: "Asia/Tokyo" };
    await app.send("PATCH", `/projects/${name}`, { key: app.key, body });
  }
  await committed(app, shop, eventLines([eventOn(today - 363)]));
  await runRetention(noonMs + 2 * dayMs);
  const file = await (await app.open("/export?project=shop&kind=all", { key: app.key })).text();
  const other = await app.get("/projects/other");
  const found = await checked(app, { ...shop, id: String(other.id) }, file);
  expect(rowsOf(found)).toMatchObject({ folded: 0, older: 0 });
  expect(found.report).toMatchObject({ by_event: [{ event: "page_view", count: 1 }] });
});

test("a date that retention has summed up takes no more rows", async () => {
  await committed(app, shop, eventLines([eventOn(today - 365), eventOn(today - 364)]));
  // The run deletes the first date, and counts the second one with it.
  await runRetention(noonMs + dayMs);
  const late = { ...eventOn(today - 364), user_id: "bob" };
  const file = eventLines([late, eventOn(today - 363)]);
  const found = await checked(app, shop, file, { overlap: "keep" });
  expect(rowsOf(found)).toMatchObject({ stored: 1, overlap: 1 });
});

test("a removal counts the events that retention has left, and the dates that the history had", async () => {
  const file = Array.from({ length: 27 }, (_, at) => eventOn(today - 368 + at));
  const id = await committed(app, shop, eventLines(file));
  expect(rowsOf(await app.get(`/imports/${id}`))).toMatchObject({ stored: 24, folded: 3 });
  const remaining = { ...eventOn(today - 340), user_id: "bob" };
  const other = await committed(app, shop, eventLines([remaining]), { overlap: "keep" });
  // The run deletes three dates, and counts the next one, whose event is still there.
  await runRetention(noonMs + 3 * dayMs);
  expect([await eventsOf(), await historyOf()]).toMatchObject([22, { days: 6, events: 6 }]);
  const remove = async (one: string) =>
    (await app.send("DELETE", `/imports/${one}`, { key: app.key })).json();
  expect(await remove(id)).toEqual({ ok: true, deleted: id, events: 21, days: 6 });
  expect([await eventsOf(), await historyOf()]).toMatchObject([1, { days: 0 }]);
  expect(await remove(other)).toMatchObject({ events: 1, days: 0 });
});

test("an import whose events nobody can read any more is removed, and none of them is counted", async () => {
  const id = await committed(app, shop, eventLines([eventOn(today - 365), eventOn(today - 364)]));
  await runRetention(noonMs + dayMs);
  const db = new Database(join(app.dataDir, "events.db"));
  db.run("update segment_column set codes = x'00', dictionary = x'00'");
  db.close();
  const removed = await app.send("DELETE", `/imports/${id}`, { key: app.key });
  expect([removed.status, await removed.json()]).toMatchObject([200, { deleted: id, events: 0 }]);
});

test("retention waits for an import that is being stored", async () => {
  await committed(app, shop, eventLines([eventOn(today - 365)]));
  const id = await uploaded(app, shop, eventLines([eventOn(today - 300)]));
  app.deps.control.imports.change(id, { state: "committing" });
  expect(await runRetention(noonMs + dayMs)).toBe("unfinished");
  expect(await eventsOf()).toBe(1);
  app.deps.control.imports.change(id, { state: "failed" });
  expect(await runRetention(noonMs + dayMs)).toBe("finished");
  expect(await eventsOf()).toBe(0);
});
