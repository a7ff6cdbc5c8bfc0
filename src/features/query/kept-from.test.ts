import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { dayRow, importDays } from "../../../test/support/app/imported-days";
import { dayOf, isoDate } from "../../domain/event";
import { forgetOldEvents } from "../../jobs";
import { dayMs } from "../../lib/clock";

let app: TestApp;
const today = dayOf(noonMs);
beforeEach(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  await app.track(shop, { event: "page_view", user_id: "u1", timestamp: noonMs - 1000 });
  const days = [today - 9, today - 8].map((day) => dayRow(day, 3));
  importDays(app, shop.id, "imp_1", days);
});
afterEach(() => app.close());

const ask = async (question: Json): Promise<Json> =>
  app.post("/query", { project: "shop", date_from: isoDate(today - 6), ...question });
const warning = {
  code: "kept_from",
  message:
    `From ${isoDate(today - 9)} to ${isoDate(today - 8)} the server has only daily sums of an import, and no events. ` +
    "The comparison period has such dates, so its numbers do not include them. GET /history has the sums.",
  date: isoDate(today - 7),
};

test("a comparison warns about dates for which an import has only sums", async () => {
  const question = { metrics: ["unique_users"], compare: "previous" };
  expect(await ask(question)).toMatchObject({
    rows: [{ unique_users: 1, previous: { unique_users: 0 } }],
    warnings: [warning],
  });
  const goals = await app.post("/goals", { project: "shop", name: "Seen", page: "/" });
  expect(goals.name).toBe("Seen");
  expect((await ask({ goals: true, compare: "previous" })).warnings).toEqual([warning]);
  const { results } = await app.post("/query", {
    project: "shop",
    queries: [{ ...question, date_from: isoDate(today - 6) }],
  });
  expect(results).toMatchObject([{ warnings: [warning] }]);
});

test("other comparisons and questions have no such warning", async () => {
  const question = { metrics: ["unique_users"] };
  expect((await ask(question)).warnings).toBeUndefined();
  expect((await ask({ ...question, compare: "year" })).warnings).toBeUndefined();
  const compare = { date_from: isoDate(today - 7), date_to: isoDate(today - 7) };
  expect((await ask({ ...question, compare })).warnings).toBeUndefined();
});

test("a comparison with dates whose events retention deleted says where their sums are", async () => {
  const laterMs = noonMs + 366 * dayMs;
  app.setTime(laterMs);
  await forgetOldEvents(app.deps, laterMs);
  const from = isoDate(today + 2);
  const question = { metrics: ["unique_users"], date_from: from, compare: "previous" };
  const message =
    `The server no longer has events from before ${isoDate(today + 1)}, 00:00 UTC. The comparison period begins ` +
    "earlier, so its numbers do not include them. GET /history has daily sums of such dates.";
  expect((await ask(question)).warnings).toEqual([
    { code: "kept_from", message, date: isoDate(today + 1) },
  ]);
});
