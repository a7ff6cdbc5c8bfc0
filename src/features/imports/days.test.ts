import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { checked, committed, eventLines, waitFor } from "../../../test/support/app/imports";
import { pathFromRoot } from "../../../test/support/suite/sources";
import { dayMs } from "../../lib/clock";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp({ RETENTION_DAYS: "0" });
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const plausible = readFileSync(pathFromRoot("test/imports/samples/plausible.zip"));
const historyOf = () => app.get("/history?project=shop");
const reportOf = ({ report }: Readonly<Record<string, unknown>>) =>
  report as Readonly<Record<string, unknown>>;

test("a file of days is stored as days, shown in the history, and removed with its import", async () => {
  const one = await checked(app, shop, plausible);
  const report = reportOf(one);
  expect(report).toMatchObject({ format: "plausible", becomes: "days", hidden_days: 0, users: 0 });
  const days = report.by_day as { readonly date: string; readonly page_views: number }[];
  expect(report).toMatchObject({ from: days[0]?.date, to: days.at(-1)?.date });
  expect((await historyOf()).totals).toMatchObject({ days: 0 });
  await app.post(`/imports/${one.id}/commit`, {});
  await waitFor(app, String(one.id), "done");
  const views = days.reduce((sum, day) => sum + day.page_views, 0);
  expect((await historyOf()).totals).toMatchObject({ days: days.length, page_views: views });
  const removed = await app.send("DELETE", `/imports/${one.id}`, { key: app.key });
  expect(await removed.json()).toMatchObject({ events: 0, days: days.length });
  expect((await historyOf()).totals).toMatchObject({ days: 0 });
});

test("a date belongs to the import that brought it first", async () => {
  const head = "date,visitors,pageviews,bounces,visits,visit_duration\n";
  const first = "2025-09-01,3,7,1,4,120\n";
  await committed(app, shop, head + first, { kind: "plausible" });
  const file = `${head}${first.replace("7", "9")}2025-09-02,1,2,1,1,10\n`;
  const again = reportOf(await checked(app, shop, file, { kind: "plausible" }));
  expect(again.rows).toMatchObject({ stored: 1, overlap: 1 });
  expect(again.by_day).toMatchObject([{ date: "2025-09-02", page_views: 2 }]);
});

test("days beside events of the project are hidden", async () => {
  await committed(app, shop, eventLines([{ event: "a", timestamp: Date.UTC(2025, 0, 1) }]));
  const hidden = reportOf(await checked(app, shop, plausible));
  expect(hidden.hidden_days).toBe((hidden.by_day as unknown[]).length);
});

test("events that the project does not keep are counted into days", async () => {
  const first = noonMs - 400 * dayMs;
  await app.deps.store.forget(shop.id, first + dayMs);
  const event = (timestamp: number, session_id: string) => ({
    ...{ event: "page_view", user_id: "ann", session_id, timestamp },
    properties: { path: "/" },
  });
  const file = [event(first, "s1"), event(first + 2_000, "s1"), event(first + 2 * dayMs, "s2")];
  const one = await checked(app, shop, eventLines(file));
  expect(reportOf(one).rows).toMatchObject({ stored: 1, folded: 2, older: 0 });
  await app.post(`/imports/${one.id}/commit`, {});
  await waitFor(app, String(one.id), "done");
  expect((await historyOf()).totals).toMatchObject({
    ...{ days: 1, visitor_days: 1, visits: 1, page_views: 2, events: 2, seconds: 2 },
  });
  const { values } = await app.get("/history?project=shop&dimension=page");
  expect(values).toMatchObject([{ value: "/", page_views: 2 }]);
});
