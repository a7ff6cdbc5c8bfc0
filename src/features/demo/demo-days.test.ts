import { afterAll, beforeAll, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  asDemo,
  beginDemo,
  demoByDate,
  readDemo,
  seedUpTo,
  shortenDemo,
} from "../../../test/support/app/demo";
import { dayOf, isoDate } from "../../domain/event";
import { startJobs } from "../../jobs";
import { dayMs, minuteMs } from "../../lib/clock";
import { Demo, demoUnusedMs } from "../../services/demo";
import { accessToken } from "../../store/control/agent-tables";
import { account, experiment, project, projectContext } from "../../store/control/tables";

/**
 * The life of one demo, from its first session on: each test goes on where the one before has ended. It has fewer dates
 * than the product's, which demo.test.ts looks at.
 */
let app: TestApp;
const dates = 8;
beforeAll(async () => {
  app = await testApp();
  shortenDemo(app, dates);
});
const seeded = (last: number) => seedUpTo(last, dates);
afterAll(() => app.close());

/** Seeding takes a second or two where other tests run beside it. */
const slowMs = 60_000;
const today = dayOf(noonMs);
const fiveMs = 5 * minuteMs;
const counts = () =>
  [account, project, experiment, accessToken, projectContext].map(
    (table) => app.deps.control.db.select().from(table).all().length,
  );

test(
  "a disk that fails in the middle leaves nothing half done, and the next try succeeds",
  async () => {
    const { store, control } = app.deps;
    let appends = 0;
    const troubled = Object.assign(Object.create(store), {
      append: async (entries: Parameters<typeof store.append>[0]) => {
        appends += 1;
        if (appends % 6 === 0) throw new Error("the disk is full");
        return await store.append(entries);
      },
    });
    const demo = new Demo({ ...app.deps, dates, store: troubled });
    await expect(demo.begin([], noonMs)).rejects.toThrow("the disk is full");
    expect(control.demo.find()?.seededDate).toBeNull();
    const session = await beginDemo(app);
    expect(await demoByDate(app, session)).toEqual(seeded(today));
    appends = 0;
    await expect(demo.move(noonMs + dayMs)).rejects.toThrow("the disk is full");
    expect(control.demo.find()?.seededDate).toBe(isoDate(today));
    expect(await demoByDate(app, session)).toEqual(seeded(today));
  },
  slowMs,
);

test(
  "the dates move at five past midnight, as a whole and with the same data for the same date",
  async () => {
    const midnightMs = (today + 1) * dayMs;
    app.setTime(midnightMs + fiveMs - 1);
    await app.deps.demo.move(midnightMs + fiveMs - 1);
    const session = await beginDemo(app);
    expect(await demoByDate(app, session)).toEqual(seeded(today));
    app.setTime(midnightMs + fiveMs);
    const seen = new Set<string>();
    let isMoved = false;
    const moving = app.deps.demo.move(midnightMs + fiveMs).then(() => {
      isMoved = true;
    });
    // Sixty requests a minute.
    for (let looks = 0; !isMoved && looks < 40; looks++) {
      seen.add(JSON.stringify(await demoByDate(app, session)));
      await Bun.sleep(5);
    }
    await moving;
    for (const one of seen) {
      expect([seeded(today), seeded(today + 1)].map((all) => JSON.stringify(all))).toContain(one);
    }
    expect(await demoByDate(app, session)).toEqual(seeded(today + 1));
    const path = "/experiments/exp_demo_signup_cta";
    expect(await readDemo<object>(app, session, path)).toMatchObject({
      completed_at: new Date(midnightMs).toISOString(),
      results: { recommendation_code: "winner" },
    });
  },
  slowMs,
);

test(
  "a server that was off makes up for it at its start",
  async () => {
    app.setTime((today + 3) * dayMs + fiveMs);
    const stop = startJobs(app.deps, 5);
    const isMoved = () => app.deps.control.demo.find()?.seededDate === isoDate(today + 3);
    while (!isMoved()) await Bun.sleep(10);
    await stop();
    expect(await demoByDate(app, await beginDemo(app))).toEqual(seeded(today + 3));
  },
  slowMs,
);

test(
  "it goes a week after the last session, with all that hangs on it, and comes back",
  async () => {
    const lastMs = (today + 4) * dayMs;
    app.setTime(lastMs);
    const session = await beginDemo(app);
    const id = session.projects[0]?.id;
    await app.deps.demo.tidy(lastMs + demoUnusedMs - 1);
    expect(app.deps.control.demo.find()).toMatchObject({
      projectId: id,
      seededDate: isoDate(today + 3),
    });
    // Wanted at the very moment at which it goes: it is made again.
    const over = lastMs + demoUnusedMs;
    app.setTime(over + fiveMs);
    const [, again] = await Promise.all([app.deps.demo.tidy(over), beginDemo(app)]);
    expect(again.projects[0]?.id).not.toBe(id);
    expect(await demoByDate(app, again)).toEqual(seeded(dayOf(over)));
    expect((await app.send("GET", "/account", asDemo(session))).status).toBe(401);
    expect(counts()).toEqual([2, 1, 1, 1, 1]);
  },
  slowMs,
);

test(
  "switched off, there is no demo, and what is left of it is removed",
  async () => {
    const { control, store, replays, config, trustedTime } = app.deps;
    const off = { ...config, demoEnabled: false };
    await new Demo({ control, store, replays, config: off, trustedTime }).tidy(noonMs);
    expect(counts()).toEqual([1, 0, 0, 0, 0]);
    const other = await testApp({ DEMO_ENABLED: "false" });
    for (const method of ["POST", "GET"]) {
      const answer = await other.send(method, "/demo/session");
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
        404,
        "NOT_FOUND",
      ]);
    }
    expect(await (await other.send("GET", "/openapi.json")).text()).not.toContain("/demo/session");
    await other.close();
  },
  slowMs,
);
