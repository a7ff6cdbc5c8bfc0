import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../test/support/app/app";
import {
  dropExpiredSessions,
  forgetEndedSignIns,
  forgetOldEvents,
  forgetPaymentEvents,
  purgeDeletedProjects,
  removeEndedMemberships,
  startJobs,
} from "./jobs";
import { dayMs, hourMs } from "./lib/clock";
import { usageRead } from "./reads/usage";
import { changeRights } from "./store/control/accounts";
import { authRequest } from "./store/control/agent-tables";
import { cookieSession } from "./store/control/member-tables";
import { billingEvent } from "./store/control/tables";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const today = Math.floor(noonMs / dayMs);
const threeOClock = (day: number): number => day * dayMs + 3 * hourMs;

/** Dates of the stored events, oldest first, as somebody sees them who asks on a day. */
async function datesSeen(nowMs: number): Promise<string[]> {
  app.setTime(nowMs);
  const { timeSeries } = (await app.get("/stats?project=shop&since=3000d")) as {
    timeSeries: { bucket: string }[];
  };
  return timeSeries.map(({ bucket }) => bucket);
}

test("events are kept for the plan's days, counted from the last 03:00 UTC", async () => {
  await app.track(shop, { event: "old", timestamp: noonMs - dayMs }, { event: "new" });
  const retentionDays = 365;
  // The day on which the older event's date is the last one kept.
  const lastDay = today - 1 + retentionDays;
  await forgetOldEvents(app.deps, threeOClock(lastDay));
  expect(await datesSeen(threeOClock(lastDay))).toEqual(["2026-01-13", "2026-01-14"]);
  await forgetOldEvents(app.deps, threeOClock(lastDay + 1) - 1);
  expect(await datesSeen(threeOClock(lastDay + 1) - 1)).toEqual(["2026-01-13", "2026-01-14"]);
  await forgetOldEvents(app.deps, threeOClock(lastDay + 1));
  expect(await datesSeen(threeOClock(lastDay + 1))).toEqual(["2026-01-14"]);
  // The clock of a machine may be put back; what was forgotten stays so.
  await forgetOldEvents(app.deps, noonMs);
  expect(await datesSeen(noonMs)).toEqual(["2026-01-14"]);
});

test("a deleted project is purged after 30 days, and not before", async () => {
  await app.track(shop, { event: "visit" });
  await app.send("DELETE", `/projects/${shop.id}`, { key: app.key });
  const { projects } = app.deps.control;
  const traces = async () => {
    const request = { accountId: "", signal: new AbortController().signal, arrivedAtMs: noonMs };
    const input = { projectIds: [shop.id], fromDate: "2026-01-01", toDate: "2026-12-31" };
    const { json } = await app.deps.store.read(usageRead, input, request);
    const stored = (JSON.parse(json) as Record<string, { total_events: number }>)[shop.id];
    return [stored?.total_events, app.deps.control.lifecycle.projectsDeletedBefore(noonMs + 1, 9)];
  };
  await purgeDeletedProjects(app.deps, noonMs + 30 * dayMs);
  expect(await traces()).toEqual([1, [shop.id]]);
  await purgeDeletedProjects(app.deps, noonMs + 30 * dayMs + 1);
  expect(await traces()).toEqual([0, []]);
  expect(projects.byId(shop.id)).toBeUndefined();
});

test("browser sessions are dropped when they expired", async () => {
  const sessions = () => app.deps.control.db.select().from(cookieSession).all().length;
  await dropExpiredSessions(app.deps, noonMs + 30 * dayMs);
  expect(sessions()).toBe(1);
  await dropExpiredSessions(app.deps, noonMs + 30 * dayMs + 1);
  expect(sessions()).toBe(0);
});

test("ids of payment events are remembered for 30 days", async () => {
  const { control } = app.deps;
  control.db.insert(billingEvent).values({ id: "evt_1", receivedAtMs: noonMs }).run();
  const ids = () => control.db.select().from(billingEvent).all().length;
  await forgetPaymentEvents(app.deps, noonMs + 30 * dayMs);
  expect(ids()).toBe(1);
  await forgetPaymentEvents(app.deps, noonMs + 30 * dayMs + 1);
  expect(ids()).toBe(0);
});

test("after Pro is lost, events are kept for 30 more days as Pro keeps them", async () => {
  await app.track(shop, { event: "old", timestamp: noonMs - dayMs }, { event: "new" });
  const lostOn = today + 200;
  app.setTime(lostOn * dayMs);
  const { id } = await app.get("/account");
  changeRights(app.deps.control, String(id), { complimentary: false, tier: "free" });
  // The run at 03:00 of the 30th day is the first after the grace, which ended at 00:00.
  await forgetOldEvents(app.deps, threeOClock(lostOn + 30) - 1);
  expect(await datesSeen(threeOClock(lostOn + 30) - 1)).toEqual(["2026-01-13", "2026-01-14"]);
  await forgetOldEvents(app.deps, threeOClock(lostOn + 30));
  expect(await datesSeen(threeOClock(lostOn + 30))).toEqual([]);
  // A later upgrade brings nothing back.
  changeRights(app.deps.control, String(id), { tier: "pro" });
  await forgetOldEvents(app.deps, threeOClock(lostOn + 31));
  expect(await datesSeen(threeOClock(lostOn + 31))).toEqual([]);
});

test("what was missed is done at start, and what failed is tried again", async () => {
  const { store } = app.deps;
  await app.track(shop, { event: "visit" });
  const years = noonMs + 2 * 365 * dayMs;
  app.setTime(years);
  const forget = store.forget.bind(store);
  let calls = 0;
  const troubled = Object.assign(Object.create(store), {
    forget: async (projectId: string, fromMs: number) => {
      calls += 1;
      if (calls === 1) throw new Error("the disk is full");
      await forget(projectId, fromMs);
    },
  });
  const every = 5;
  const stop = startJobs({ ...app.deps, store: troubled }, every);
  while (calls < 2) await Bun.sleep(every);
  await stop();
  expect(await datesSeen(years)).toEqual([]);
  expect(app.logged.filter((line) => line.includes("job failed")).length).toBe(1);
  expect(app.logged.join()).not.toContain("disk is full");
  // Once done, it is not done again before the next day's hour.
  const again = startJobs({ ...app.deps, store: troubled }, every);
  await Bun.sleep(10 * every);
  await again();
  expect(calls).toBe(3);
});

test("ended agent sign-ins are forgotten", async () => {
  const body = { client_type: "cli", mode: "detached" };
  await app.send("POST", "/agent-sessions/start", { body });
  const kept = () => app.deps.control.db.select().from(authRequest).all().length;
  await forgetEndedSignIns(app.deps, noonMs + 2 * dayMs);
  expect(kept()).toBe(1);
  await forgetEndedSignIns(app.deps, noonMs + 2 * dayMs + 1);
  expect(kept()).toBe(0);
});

test("what a project told a portfolio is removed once it has left, or was deleted", async () => {
  const blog = await app.makeProject("blog");
  const projects = ["shop", "blog"];
  await app.post("/portfolios", { slug: "one", name: "One", projects });
  for (const { token } of [shop, blog]) {
    const traits = { email: "ada@example.org" };
    await app.post("/identify", { token, previous_id: "anon", user_id: "ada", traits });
  }
  const database = new Database(join(app.dataDir, "events.db"), { readonly: true });
  const kept = () => ({
    edges: database.query("select distinct project_id from identity_edge").values().flat(),
    digests: database.query("select project_id, membership <> '' from email_digest").values(),
    ended: app.deps.control.memberships.ended(9).length,
  });
  const both = { edges: [1, 2], digests: expect.arrayContaining([[1, 0]]), ended: 0 };
  await removeEndedMemberships(app.deps);
  expect(kept()).toEqual(both);

  const send = (method: string, path: string, body?: unknown) =>
    app.send(method, path, { key: app.key, ...(body === undefined ? {} : { body }) });
  await send("PATCH", "/portfolios/one", { projects: ["blog"] });
  expect(kept()).toEqual({ ...both, ended: 1 });
  await send("DELETE", "/projects/blog");
  await removeEndedMemberships(app.deps);
  await until(() => kept().edges.length === 0);
  await until(() => kept().digests.length === 2);
  // The edges and digests of the project itself stay.
  const own = [
    [1, 0],
    [2, 0],
  ];
  expect({ ...kept(), digests: kept().digests.sort() }).toEqual({
    edges: [],
    digests: own,
    ended: 0,
  });
  database.close();
});

/** The store removes bit by bit, when it has nothing else to do. */
async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; !isSo(); looks++) {
    expect(looks).toBeLessThan(2_000);
    await Bun.sleep(20);
  }
}
