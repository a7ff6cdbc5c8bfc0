import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type SmtpDouble, smtpServer, smtpSettings } from "../../../test/mail/smtp";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
  visitorAgent,
} from "../../../test/support/app/app";
import { dayMs, hourMs } from "../../lib/clock";
import { forgetOldest } from "../../services/budgets/forget-oldest";

let smtp: SmtpDouble;
let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  smtp = await smtpServer();
  app = await testApp(smtpSettings(smtp));
  shop = await app.makeProject("shop");
  await app.deps.mail.sendDue();
  smtp.taken.length = 0;
});
afterEach(async () => {
  await app.close();
  await smtp.close();
});

const agent = { "user-agent": visitorAgent };
const event = { user_id: "u1", session_id: "s1", event: "page_view" };
const patch = (budget: unknown) =>
  app.send("PATCH", "/projects/shop", { key: app.key, body: { budget } });
const project = () => app.get("/projects/shop");
/** Sends a batch of events. */
const send = (count: number, more: Json = {}) =>
  app.send("POST", "/track/batch", {
    headers: agent,
    body: {
      token: shop.token,
      events: Array.from({ length: count }, () => ({ ...event, ...more })),
    },
  });
const subjects = async (): Promise<readonly string[]> => {
  await app.deps.mail.sendDue();
  return smtp.taken.map(
    ({ raw }) => /^Subject: (.*(?:\r\n .*)*)$/m.exec(raw)?.[1]?.replace(/\r\n /g, " ") ?? "",
  );
};

async function expectOverBudget(answer: Response, wait: number): Promise<void> {
  const { error, reason } = (await answer.json()) as Json;
  expect([answer.status, error, reason]).toEqual([429, "RATE_LIMITED", "project_budget"]);
  expect(answer.headers.get("retry-after")).toBe(String(wait));
}

describe("a budget of events per month", () => {
  test("takes events up to its number, and refuses a batch that would cross it whole", async () => {
    await send(3);
    expect((await patch({ events_per_month: 10, when_over: "refuse" })).status).toBe(200);
    expect((await project()).budget).toEqual({ events_per_month: 10, when_over: "refuse" });
    expect((await send(6)).status).toBe(202);
    await expectOverBudget(await send(2), 86_400);
    expect(await project()).toMatchObject({ total_events: 9, events_this_month: 9 });
    expect((await send(1)).status).toBe(202);
    await expectOverBudget(await send(1), 86_400);
    // A larger one holds at once, and so does none.
    await patch({ events_per_month: 11, when_over: "refuse" });
    expect((await send(1)).status).toBe(202);
    await expectOverBudget(await send(1), 86_400);
    await patch(null);
    expect((await send(50)).status).toBe(202);
    expect((await project()).budget).toBeNull();
  });

  test("counts a repeat of an event once", async () => {
    await patch({ events_per_month: 2, when_over: "refuse" });
    for (let times = 0; times < 4; times++) {
      expect((await send(1, { event_id: "same" })).status).toBe(202);
    }
    expect((await send(1)).status).toBe(202);
    await expectOverBudget(await send(1), 86_400);
  });

  test("is fresh with the next UTC month, to which the last day waits", async () => {
    await patch({ events_per_month: 1, when_over: "refuse" });
    const endMs = Date.UTC(2026, 1, 1);
    app.setTime(endMs - hourMs);
    expect((await send(1)).status).toBe(202);
    await expectOverBudget(await send(1), 3_600);
    app.setTime(endMs);
    expect((await send(1)).status).toBe(202);
  });

  test("is told to administrators at 80% and at 100%, once a month each", async () => {
    await patch({ events_per_month: 10, when_over: "refuse" });
    await send(7);
    await app.deps.budgets.look();
    expect(await subjects()).toEqual([]);
    await send(1);
    for (let looks = 0; looks < 2; looks++) await app.deps.budgets.look();
    expect(await subjects()).toHaveLength(1);
    expect((await subjects())[0]).toContain("shop has used 80% of its budget");
    // Nine of ten are stored, and what was refused says that the budget is used up.
    await send(1);
    await send(5);
    for (let looks = 0; looks < 2; looks++) await app.deps.budgets.look();
    expect(await subjects()).toHaveLength(2);
    expect((await subjects())[1]).toContain("100%");
    app.setTime(Date.UTC(2026, 1, 2));
    await send(8);
    await app.deps.budgets.look();
    expect(await subjects()).toHaveLength(3);
  });
});

describe("a budget of bytes", () => {
  const noise = () => ({
    properties: {
      noise: Buffer.from(crypto.getRandomValues(new Uint8Array(3_000))).toString("base64"),
    },
  });

  test("refuses events while it is used up, on both sides of its bound", async () => {
    await send(20, noise());
    const bytes = Number((await project()).bytes);
    expect(bytes).toBeGreaterThan(1_000);
    await patch({ bytes: bytes + 1, when_over: "refuse" });
    await app.deps.budgets.look();
    expect((await subjects())[0]).toContain("80% of its budget of bytes");
    expect((await send(20, noise())).status).toBe(202);
    await app.deps.budgets.look();
    await expectOverBudget(await send(1), 86_400);
    expect((await subjects())[1]).toContain("100% of its budget of bytes");
    await patch({ bytes: Number((await project()).bytes) + 1, when_over: "refuse" });
    await app.deps.budgets.look();
    expect((await send(1)).status).toBe(202);
  });

  test("deletes the oldest dates until it fits, and never the last seven", async () => {
    for (let day = 0; day < 12; day++) {
      app.setTime(noonMs + day * dayMs);
      await send(20, noise());
    }
    const all = Number((await project()).bytes);
    await patch({ bytes: Math.round(all * 0.8), when_over: "forget_oldest" });
    await app.deps.budgets.look();
    expect((await send(1)).status).toBe(202);
    expect(await forgetOldest(app.deps, () => false)).toBe(true);
    const kept = await project();
    expect(kept.bytes).toBeLessThanOrEqual(Math.round(all * 0.8));
    // Three dates are a quarter; segments of several dates are measured by their share of time.
    expect(["2026-01-16", "2026-01-17", "2026-01-18"]).toContain(String(kept.retained_from));
    expect(await forgetOldest(app.deps, () => false)).toBe(true);
    expect((await project()).retained_from).toBe(kept.retained_from);
    await patch({ bytes: 1, when_over: "forget_oldest" });
    expect(await forgetOldest(app.deps, () => false)).toBe(true);
    // Today is the 25th: the last seven dates begin with the 19th.
    expect((await project()).retained_from).toBe("2026-01-19");
  });
});

test("a budget that says nothing, or the impossible, is refused", async () => {
  const refused = [
    { when_over: "refuse" },
    { events_per_month: 0, when_over: "refuse" },
    { bytes: 1.5, when_over: "refuse" },
    { events_per_month: 5, when_over: "forget_oldest" },
    { events_per_month: 5, bytes: 5, when_over: "forget_oldest" },
    { bytes: 5, when_over: "later" },
    { bytes: 5 },
  ];
  for (const budget of refused)
    expect([budget, (await patch(budget)).status]).toEqual([budget, 400]);
  expect((await project()).budget).toBeNull();
});
