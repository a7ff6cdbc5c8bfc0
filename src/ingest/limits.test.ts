import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { noonMs, type TestApp, type TestProject, testApp } from "../../test/support/app/app";
import { minuteMs } from "../lib/clock";
import { account } from "../store/control/tables";

const event = { event: "e" };
const curl = { "user-agent": "curl/8.5.0" };

const track = (app: TestApp, { token }: TestProject, headers?: Record<string, string>) =>
  app.send("POST", "/track", { body: { token, ...event }, ...(headers && { headers }) });
const batch = (app: TestApp, { token }: TestProject, count: number, changed: object = {}) => {
  const events = Array.from({ length: count }, () => ({ ...event, ...changed }));
  return app.send("POST", "/track/batch", { body: { token, events } });
};

test("a token has INGEST_RPM requests a minute; a batch is one, an automated request none", async () => {
  const app = await testApp({ INGEST_RPM: "3" });
  const [project, other] = [await app.makeProject("a"), await app.makeProject("b")];
  expect((await track(app, project)).status).toBe(202);
  expect((await batch(app, project, 50)).status).toBe(202);
  for (let n = 0; n < 5; n++) expect((await track(app, project, curl)).status).toBe(202);
  const link = { token: project.token, previous_id: "a", user_id: "b" };
  expect((await app.send("POST", "/identify", { body: link })).status).toBe(202);

  const refused = await track(app, project);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.json()).toMatchObject({
    error: "RATE_LIMITED",
    reason: "rate_limit",
    retry_after_seconds: 60,
  });
  app.deps.control.write(() => {
    app.deps.control.db.update(account).set({ tier: "free", complimentary: false }).run();
  });
  expect(await (await track(app, project)).json()).toMatchObject({
    message: expect.stringContaining("free plan"),
  });
  // Rate comes before fields.
  const nothing = await app.send("POST", "/track", { body: { token: project.token } });
  expect(nothing.status).toBe(429);
  expect((await track(app, other)).status).toBe(202);
  app.setTime(noonMs + minuteMs);
  expect((await track(app, project)).status).toBe(202);
  await app.close();
});

test("a Free account has 100,000 events a month; what would cross that is refused whole", async () => {
  const app = await testApp();
  const project = await app.makeProject("a");
  const { control, usage } = app.deps;
  control.write(() => {
    control.db.update(account).set({ tier: "free", complimentary: false }).run();
  });
  const [owner] = control.db.select().from(account).where(eq(account.isDemo, false)).all();
  const ownerId = owner?.id ?? "";
  const storedThisMonth = () => usage.ofMonth(ownerId).events;
  // These events are on their way to the store, and never arrive there.
  usage.reserveEvents(ownerId, 99_990);

  const refused = await batch(app, project, 11);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(17 * 86_400);
  expect(await refused.json()).toMatchObject({
    error: "RATE_LIMITED",
    reason: "monthly_event_limit",
    message: expect.stringContaining("free plan"),
  });
  expect(storedThisMonth()).toBe(0);

  // An event that is refused later, or is a repeat, is given back.
  expect((await batch(app, project, 10, { event: "" })).status).toBe(400);
  expect((await batch(app, project, 9, { event_id: "same" })).status).toBe(202);
  expect(storedThisMonth()).toBe(1);
  expect((await batch(app, project, 9)).status).toBe(202);
  expect(storedThisMonth()).toBe(10);
  expect((await track(app, project)).status).toBe(429);
  // Neither automated requests nor identities are events: they pass even above the limit, as after a downgrade.
  usage.countEvents(ownerId, 0, 1_000);
  expect((await track(app, project, curl)).status).toBe(202);
  const link = { token: project.token, previous_id: "a", user_id: "b" };
  expect((await app.send("POST", "/identify", { body: link })).status).toBe(202);
  await app.close();
});

test("automated requests are counted per project, date, category and actor, and nothing else", async () => {
  const app = await testApp();
  const project = await app.makeProject("a");
  const at = (agent: string) => ({ "user-agent": agent });
  await track(app, project, curl);
  app.setTime(noonMs + 500);
  const events = [event, event, { event: "" }];
  const body = { token: project.token, events };
  await app.send("POST", "/track/batch", { body, headers: curl });
  await track(app, project, at("Mozilla/5.0 (compatible; GPTBot/1.2)"));
  await track(app, project, at("AcmeCrawler/1.0"));
  // An identity, an unknown token and a foreign origin take nothing from the limit.
  const link = { token: project.token, previous_id: "a", user_id: "b" };
  await app.send("POST", "/identify", { body: link, headers: curl });
  await app.send("POST", "/track", { body: { token: "aat_1", ...event }, headers: curl });
  await track(app, project, { ...curl, origin: "https://evil.test" });

  const metrics = await (await app.send("GET", "/metrics")).text();
  expect(metrics).toContain('sightline_events_filtered_total{category="automation_script"} 4');
  expect(metrics).toContain("sightline_events_ingested_total 0");
  const file = join(app.dataDir, "events.db");
  const rows = () => {
    const database = new Database(file, { readonly: true });
    const found = database
      .query(
        `select name, date, category, actor, requests, dropped_events, last_seen_at
        from automated_day join project on project.id = project_id order by category`,
      )
      .all();
    database.close();
    return found;
  };
  while (rows().length === 0) await Bun.sleep(20);
  const common = { name: project.id, date: "2026-01-14", requests: 1, dropped_events: 1 };
  const last_seen_at = noonMs + 500;
  expect(rows()).toEqual([
    { ...common, category: "ai_agent", actor: "GPTBot", last_seen_at },
    {
      ...common,
      category: "automation_script",
      actor: "curl",
      requests: 2,
      dropped_events: 4,
      last_seen_at,
    },
    { ...common, category: "generic_bot", actor: "AcmeCrawler", last_seen_at },
  ]);
  expect(await app.get("/events?project=a")).toMatchObject({ events: [] });
  await app.close();
});
