import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { forgetOldEvents } from "../../src/jobs";
import { account } from "../../src/store/control/tables";
import { type TestApp, type TestProject, testApp } from "../support/app/app";

/**
 * What follows UTC in a project whose dates are those of another zone: months of plans, usage, and the deletion of old
 * data. Kiritimati is 14 hours ahead all year.
 */
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const zone = "Pacific/Kiritimati";

let app: TestApp;
let project: TestProject;
beforeEach(async () => {
  app = await testApp();
  project = await app.makeProject("atoll");
  const body = { timezone: zone };
  const changed = await app.send("PATCH", "/projects/atoll", { key: app.key, body });
  expect(changed.status).toBe(200);
});
afterEach(() => app.close());

const utc = (text: string): number => Date.parse(`${text}Z`);
const trackAt = (nowMs: number) => {
  app.setTime(nowMs);
  return app.send("POST", "/track", {
    body: { token: project.token, event: "visit" },
    headers: { origin: "https://atoll.example.com" },
  });
};
const datesSeen = async (more = ""): Promise<string[]> => {
  const path = `/stats?project=atoll&since=3000d${more}`;
  const { timeSeries } = (await app.get(path)) as { timeSeries: { bucket: string }[] };
  return timeSeries.map(({ bucket }) => bucket);
};

describe("the month of a plan", () => {
  const usage = async () => {
    const answer = await app.send("GET", "/stats?project=atoll", { key: app.key });
    return answer.headers.get("x-monthly-usage");
  };

  test("goes on until the month of UTC ends, when the next one of the zone is 14 hours old", async () => {
    // The 31st, 10:30 in UTC, is the first of February, 00:30, on the atoll.
    expect((await trackAt(utc("2026-01-31T09:30"))).status).toBe(202);
    expect((await trackAt(utc("2026-01-31T10:30"))).status).toBe(202);
    expect((await trackAt(utc("2026-01-31T23:59:59.999"))).status).toBe(202);
    expect(await usage()).toBe("3");
    expect(await datesSeen()).toEqual(["2026-01-31", "2026-02-01"]);
    app.setTime(utc("2026-02-01T00:00"));
    expect(await usage()).toBe("0");
    expect((await trackAt(utc("2026-02-01T00:00"))).status).toBe(202);
    expect(await usage()).toBe("1");
  });

  test("has room again when the month of UTC begins, and not before", async () => {
    const { control, usage: volume } = app.deps;
    control.write(() => {
      control.db.update(account).set({ tier: "free", complimentary: false }).run();
    });
    const [owner] = control.db.select().from(account).all();
    app.setTime(utc("2026-01-31T10:30"));
    const ownerId = owner?.id ?? "";
    volume.reserveEvents(ownerId, 99_999);
    volume.countEvents(ownerId, 99_999, 99_999);
    expect((await trackAt(utc("2026-01-31T10:30"))).status).toBe(202);
    const refused = await trackAt(utc("2026-01-31T23:59:59"));
    expect([refused.status, ((await refused.json()) as { reason: string }).reason]).toEqual([
      ...[429, "monthly_event_limit"],
    ]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await trackAt(utc("2026-02-01T00:00"))).status).toBe(202);
  });

  test("and days of usage are those of UTC too", async () => {
    await trackAt(utc("2026-01-14T09:30"));
    await trackAt(utc("2026-01-14T23:30"));
    app.setTime(utc("2026-01-15T00:30"));
    const { usage: days } = await app.get("/projects/atoll/usage?days=2");
    expect(days).toMatchObject([
      { date: "2026-01-14", event_count: 2 },
      { date: "2026-01-15", event_count: 0 },
    ]);
    expect((await app.get("/projects/atoll")).usage_today).toMatchObject({ event_count: 0 });
  });
});

describe("old events", () => {
  const keptDays = 365;
  const at = (text: string) => ({ event: "visit", timestamp: utc(text) });
  beforeEach(() =>
    app.track(
      project,
      at("2026-01-12T23:59:59.999"), // the 13th, 13:59, on the atoll
      at("2026-01-13T00:00"), // the 13th, 14:00
      at("2026-01-13T09:59:59.999"), // the 13th, 23:59
      at("2026-01-13T10:00"), // the 14th, 00:00
    ),
  );
  const forgetAt = async (nowMs: number) => {
    app.setTime(nowMs);
    await forgetOldEvents(app.deps, nowMs);
  };
  const eventsSeen = async (more = "") =>
    ((await app.get(`/stats?project=atoll&since=3000d${more}`)).totals as { total_events: number })
      .total_events;
  /** The 03:00 of UTC at which the 13th is the first date kept. */
  const runMs = utc("2026-01-13T03:00") + keptDays * dayMs;

  test("go by dates of UTC: of a date of the zone a part may stay", async () => {
    await forgetAt(runMs - 1);
    expect([await eventsSeen(), await eventsSeen("&tz=UTC")]).toEqual([4, 4]);
    await forgetAt(runMs);
    expect([await eventsSeen(), await eventsSeen("&tz=UTC")]).toEqual([3, 3]);
    expect(await datesSeen()).toEqual(["2026-01-13", "2026-01-14"]);
    expect(await datesSeen("&tz=UTC")).toEqual(["2026-01-13"]);
    expect(await app.get("/projects/atoll")).toMatchObject({ retained_from: "2026-01-13" });
    await forgetAt(runMs + dayMs);
    expect(await eventsSeen()).toBe(0);
    expect(await app.get("/projects/atoll")).toMatchObject({ retained_from: "2026-01-14" });
  });

  test("are missed from where UTC cuts, which receipts and comparisons say", async () => {
    await forgetAt(runMs);
    const receiptOf = async (since: string) => {
      const path = `/stats?project=atoll&since=${since}&receipt=true`;
      const { receipt } = (await app.get(path)) as { receipt: Record<string, unknown> };
      const { start } = receipt.window as { start: string };
      const isClipped = (receipt.caveats as string[]).includes("retention_clips");
      return [start, receipt.retained_from, isClipped];
    };
    // The 13th begins there 14 hours before it does in UTC: a part of it is gone.
    expect(await receiptOf("2026-01-13")).toEqual(["2026-01-12T10:00:00.000Z", "2026-01-13", true]);
    expect(await receiptOf("2026-01-14")).toEqual([
      "2026-01-13T10:00:00.000Z",
      "2026-01-13",
      false,
    ]);
    const compared = async (first: string) => {
      const compare = { date_from: first, date_to: first };
      const dates = { date_from: "2026-02-01", date_to: "2026-02-01" };
      const answer = await app.post("/query", { project: "atoll", ...dates, compare });
      return (answer.warnings as { message: string }[] | undefined)?.map(({ message }) => message);
    };
    expect(await compared("2026-01-13")).toEqual([
      "The server no longer has events from before 2026-01-13, 00:00 UTC. The comparison period begins earlier, " +
        "so its numbers do not include them.",
    ]);
    expect(await compared("2026-01-14")).toBeUndefined();
  });
});
