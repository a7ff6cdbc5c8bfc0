import { afterAll, beforeAll, expect, test } from "bun:test";
import { clock } from "../../src/lib/clock";
import { type Call, type Json, type TestApp, testApp } from "../support/app/app";
import { paymentSecrets, signed } from "../support/app/payments";
import { type Person, signUp } from "../support/app/person";

/** One account from Free to Pro and back, as the payment provider says; each limit changes with the next request. */
let app: TestApp;
let person: Person;
let key: string;
beforeAll(async () => {
  app = await testApp({ ...paymentSecrets, REGISTRATION: "open", RATE_LIMIT_RPM: "" });
  person = await signUp(app, "person@example.com");
  const [, made] = await person.ask("POST", "/account/api-key");
  key = String(made.api_key);
  for (const name of ["one", "two"]) await makeProject(name);
});
afterAll(() => app.close());

let minutes = 0;
/** A minute in which nothing was asked yet. */
const nextMinute = () => app.setTime(Date.UTC(2026, 0, 14, 12, ++minutes));
const makeProject = (name: string) =>
  person.ask("POST", "/projects", { name, domain: `${name}.example.com` });

async function tell(type: string, object: object): Promise<void> {
  const event = { id: `evt_${type}`, type, created: minutes, data: { object } };
  const { text, header } = signed(event, clock.nowMs());
  const call: Call = { body: text, headers: { "stripe-signature": header } };
  expect((await app.send("POST", "/webhooks/stripe", call)).status).toBe(200);
}

const ask = (method: string, path: string, body?: unknown) =>
  app.send(method, path, { key, ...(body === undefined ? {} : { body }) });

async function passes(): Promise<readonly [number, Json, string | null]> {
  nextMinute();
  for (let count = 0; ; count++) {
    const answer = await ask("GET", "/projects");
    const limit = answer.headers.get("x-ratelimit-limit");
    if (answer.status === 429) return [count, (await answer.json()) as Json, limit];
    if (count > 2_000) throw new Error("nothing was refused");
  }
}

async function expectFree(): Promise<void> {
  const [count, refused, limit] = await passes();
  expect([count, limit]).toEqual([10, "10"]);
  expect(refused).toMatchObject({ error: "RATE_LIMITED", reason: "rate_limit" });
  expect(String(refused.message)).toContain("free plan");
  nextMinute();
  const upgrade_url = "http://localhost:3000/account/billing";
  const funnel = await ask("POST", "/funnel", { project: "one", steps: ["a", "b"] });
  expect([funnel.status, await funnel.json()]).toMatchObject([
    403,
    { error: "PRO_REQUIRED", reason: "plan", upgrade_url },
  ]);
  expect(await makeProject(`three-${minutes}`)).toMatchObject([
    403,
    { error: "PRO_REQUIRED", reason: "project_limit", upgrade_url },
  ]);
  const stats = await ask("GET", "/stats?project=one");
  expect(stats.headers.get("x-monthly-limit")).toBe("100000");
  expect(stats.headers.get("x-monthly-reads-limit")).toBe("500");
  expect(await (await ask("GET", "/account")).json()).toMatchObject({
    tier: "free",
    tier_limits: { max_projects: 2, retention_days: 90, rate_limit_rpm: 10 },
  });
}

test("a new account is Free where payments are configured", expectFree);

test("paid, it is Pro", async () => {
  await tell("checkout.session.completed", {
    client_reference_id: person.id,
    payment_status: "paid",
    customer: "cus_1",
  });
  const [count, refused, limit] = await passes();
  expect([count, limit]).toEqual([1_000, "1000"]);
  expect(String(refused.message)).not.toContain("free plan");
  nextMinute();
  expect((await ask("POST", "/funnel", { project: "one", steps: ["a", "b"] })).status).toBe(200);
  expect((await makeProject("three"))[0]).toBe(201);
  const stats = await ask("GET", "/stats?project=one");
  expect(stats.headers.get("x-monthly-usage")).toBe("0");
  expect(stats.headers.get("x-monthly-limit")).toBeNull();
  expect(stats.headers.get("x-monthly-reads-limit")).toBeNull();
  expect(await (await ask("GET", "/account")).json()).toMatchObject({
    tier: "pro",
    tier_limits: { max_projects: -1, retention_days: 365, rate_limit_rpm: 1_000 },
  });
});

test("with its subscription ended it is Free again, and keeps the projects that it has", async () => {
  await tell("customer.subscription.deleted", { id: "sub_1", customer: "cus_1" });
  await expectFree();
  const { projects } = (await (await ask("GET", "/projects")).json()) as { projects: unknown[] };
  expect(projects.length).toBe(3);
});
