import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { isoDate, type ObjectEvent } from "../../src/domain/event";
import { forgetOldEvents } from "../../src/jobs";
import { dayMs, hourMs } from "../../src/lib/clock";
import { auditEntry } from "../../src/store/control/audit-tables";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { cases } from "../support/random/cases";
import { randomFrom, randomSeed } from "../support/random/random";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const today = noonMs / dayMs - 0.5;
const eventOn = (day: number): ObjectEvent => ({
  ...{ name: "e", timeMs: day * dayMs + 1, userId: `u${day}`, sessionId: `s${day}` },
  ...{ country: null, properties: null, eventId: null },
});
let made = 0;
/** A project with one event on each of the last dates, today's among them. */
async function projectOf(dates: number): Promise<TestProject> {
  const project = await app.makeProject(`shop${++made}`);
  const events = Array.from({ length: dates }, (_, at) => eventOn(today - at));
  const entry = { kind: "events", projectId: project.id, receivedAtMs: noonMs, events } as const;
  await app.deps.store.append([entry]);
  // The sums of dates take most of the time; one test looks at them.
  app.deps.control.days.setFolding(project.id, false);
  return project;
}
const of = ({ id }: TestProject): Promise<Json> => app.get(`/projects/${id}`);
async function patch({ id }: TestProject, body: Json): Promise<Json & { readonly status: number }> {
  const response = await app.send("PATCH", `/projects/${id}`, { key: app.key, body });
  return { ...((await response.json()) as Json), status: response.status };
}
const run = (atMs: number, retentionDays: number | null = 365): Promise<unknown> => {
  app.setTime(atMs);
  const config = { ...app.deps.config, retentionDays };
  return forgetOldEvents({ ...app.deps, config }, atMs);
};
const dateOf = (day: number): string => isoDate(day);

beforeEach(() => app.setTime(noonMs));

describe("retention_days", () => {
  test("says what the next run deletes, and nothing goes before it", async () => {
    const shop = await projectOf(10);
    expect(await of(shop)).toMatchObject({
      retention_days: null,
      retention: {
        ...{ days: 365, from: dateOf(today + 1 - 365), events_to_go: 0 },
        next_run_at: "2026-01-15T03:00:00.000Z",
      },
    });
    const shorter = { retention_days: 3, total_events: 10 };
    const next = { days: 3, from: dateOf(today - 2), events_to_go: 7 };
    expect(await patch(shop, { retention_days: 3 })).toMatchObject({ ...shorter, retention: next });
    // A start looks whether the last run was missed: the shorter number was not known then.
    await run(noonMs + hourMs);
    expect(await of(shop)).toMatchObject({ ...shorter, retention: next });
    await run(noonMs + 15 * hourMs - 1);
    expect(await of(shop)).toMatchObject({ total_events: 10 });
    await run(noonMs + 15 * hourMs);
    expect(await of(shop)).toMatchObject({
      ...{ retention_days: 3, total_events: 3, retained_from: dateOf(today - 2) },
      retention: { days: 3, events_to_go: 1, from: dateOf(today - 1) },
    });
  });

  test("a longer time brings nothing back, and saves what a run would delete", async () => {
    const shop = await projectOf(10);
    await patch(shop, { retention_days: 5 });
    await run(noonMs + dayMs);
    expect(await of(shop)).toMatchObject({ total_events: 5 });
    expect(await patch(shop, { retention_days: null })).toMatchObject({
      retention: { days: 365, events_to_go: 0 },
    });
    await run(noonMs + 2 * dayMs);
    expect(await of(shop)).toMatchObject({ total_events: 5, retained_from: dateOf(today - 4) });
  });

  test("is from 1 to the plan's number, or null", async () => {
    const shop = await projectOf(1);
    for (const [days, status] of [
      [1, 200],
      [365, 200],
      [366, 400],
      [0, 400],
      [1.5, 400],
    ]) {
      expect([days, (await patch(shop, { retention_days: days })).status]).toEqual([days, status]);
    }
    expect(await patch(shop, { retention_days: 366 })).toMatchObject({
      ...{ error: "MISSING_FIELDS", field: "retention_days" },
      message: expect.stringContaining("RETENTION_DAYS"),
    });
    expect(await patch(shop, { retention_days: null })).toMatchObject({ status: 200 });
  });

  test("is in the audit log where it changed", async () => {
    const shop = await projectOf(1);
    for (const retention_days of [30, 30, null]) await patch(shop, { retention_days });
    const entries = app.deps.control.db.select().from(auditEntry).all();
    const changes = entries.filter(({ targetId, action }) => {
      return targetId === shop.id && action === "retention_changed";
    });
    expect(changes.map(({ details }) => details)).toEqual([
      { retention_days: 30, before: null },
      { retention_days: null, before: 30 },
    ]);
  });

  test("events are counted into days before they go, with the project's own number", async () => {
    const shop = await projectOf(10);
    await patch(shop, { retention_days: 3, fold: true });
    await run(noonMs + dayMs);
    const { totals } = await app.get(`/history?project=${shop.id}`);
    expect(totals).toMatchObject({ days: 7, events: 7 });
    await patch(shop, { fold: false });
  });
});

describe("RETENTION_DAYS", () => {
  test("0 stores for ever, and a shorter number of the server waits for the next run too", async () => {
    const shop = await projectOf(10);
    await run(noonMs + 400 * dayMs, null);
    expect(await of(shop)).toMatchObject({ total_events: 10 });
    await run(noonMs + 400 * dayMs + hourMs, 30);
    expect(await of(shop)).toMatchObject({ total_events: 10 });
    await run(noonMs + 401 * dayMs, 30);
    expect(await of(shop)).toMatchObject({ total_events: 0 });
  });

  test("is what the account and the billing page say", async () => {
    for (const [value, days] of [
      ["0", -1],
      ["700", 700],
    ] as const) {
      const other = await testApp({ RETENTION_DAYS: value });
      const { tier_limits } = await other.get("/account");
      expect(tier_limits).toMatchObject({ retention_days: days });
      const project = await other.makeProject("site");
      const { retention, retained_from } = await other.get(`/projects/${project.id}`);
      expect(retention).toMatchObject({ days: days < 0 ? null : days, events_to_go: 0 });
      const from = days < 0 ? "1970-01-01" : dateOf(today - days);
      expect(retained_from).toBe(from);
      const { receipt } = await other.get("/stats?project=site&receipt=true");
      expect((receipt as Json).retained_from).toBe(from);
      await other.close();
    }
  });
});

/** Each change with its time; a run goes through all of them. */
class NaiveRetention {
  readonly #changes: { readonly atMs: number; readonly days: number }[] = [{ atMs: 0, days: 60 }];
  retainedDay = 0;

  change(atMs: number, days: number): void {
    this.#changes.push({ atMs, days });
  }
  run(atMs: number): void {
    const runDay = Math.floor((atMs - 3 * hourMs) / dayMs);
    const lastRunMs = runDay * dayMs + 3 * hourMs;
    const before = this.#changes.findLast((one) => one.atMs <= lastRunMs)?.days ?? 0;
    const after = this.#changes.filter((one) => one.atMs > lastRunMs).map(({ days }) => days);
    // A longer number holds at once, and what is shorter than it waits for the next run.
    const days = Math.max(before, ...after);
    this.retainedDay = Math.max(this.retainedDay, runDay - Math.min(60, days));
  }
}

test("random changes of the number, at random times, leave what a naive model leaves", async () => {
  const random = randomFrom(randomSeed());
  const upTo = (most: number): number => random.below(most);
  const dates = 50;
  for (let round = 0; round < cases(2, 30); round++) {
    const shop = await projectOf(dates);
    await patch(shop, { retention_days: 60 });
    const naive = new NaiveRetention();
    let nowMs = noonMs;
    const steps: string[] = [];
    for (let step = 0; step < 12; step++) {
      nowMs += upTo(40) * hourMs;
      app.setTime(nowMs);
      if (random.chance(0.6)) {
        const days = 1 + upTo(60);
        steps.push(`${nowMs} set ${days}`);
        naive.change(nowMs, days);
        await patch(shop, { retention_days: days });
      } else {
        steps.push(`${nowMs} run`);
        naive.run(nowMs);
        await run(nowMs);
      }
      const left = Array.from({ length: dates }, (_, at) => today - at);
      const wanted = left.filter((day) => day >= naive.retainedDay).length;
      expect({ steps, total: (await of(shop)).total_events }).toEqual({ steps, total: wanted });
    }
  }
});
