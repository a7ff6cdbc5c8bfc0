import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { paymentSecrets, signed } from "../../../test/support/app/payments";
import { clock } from "../../lib/clock";
import { billing } from "../../store/control/tables";

let app: TestApp;
let free: { readonly id: string; readonly cookie: string };
beforeEach(async () => {
  app = await testApp({ ...paymentSecrets, REGISTRATION: "open" });
  free = await signUp("free@example.com");
});
afterEach(() => app.close());

const noon = noonMs / 1_000;
const month = 30 * 86_400;
let eventCount = 0;

async function signUp(email: string) {
  const body = { email, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body });
  const { account } = (await made.json()) as { account: { id: string } };
  return { id: account.id, cookie: (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

const deliver = (text: string, header: string | null) =>
  app.send("POST", "/webhooks/stripe", {
    body: text,
    headers: header === null ? {} : { "stripe-signature": header },
  });

/** An event as the provider sends it, well signed. Answers with its id. */
async function tell(
  type: string,
  object: object,
  { created = noon, id = `evt_${++eventCount}` }: { created?: number; id?: string } = {},
): Promise<string> {
  const { text, header } = signed({ id, type, created, data: { object } }, clock.nowMs());
  const answer = await deliver(text, header);
  expect([answer.status, await answer.text()]).toEqual([200, '{"received":true}']);
  return id;
}

async function state(cookie = free.cookie): Promise<string> {
  const answer = await app.send("GET", "/billing", { headers: { cookie } });
  const { tier, status, current_period_end } = (await answer.json()) as Record<string, string>;
  return [tier, status, current_period_end?.slice(0, 10) ?? "no period"].join(", ");
}

const stored = () => app.deps.control.db.select().from(billing).all();

const paid = (more: object = {}) => ({
  object: "checkout.session",
  client_reference_id: free.id,
  metadata: { account_id: free.id },
  payment_status: "paid",
  customer: "cus_1",
  subscription: "sub_1",
  ...more,
});
const subscription = (status: string, more: object = {}) => ({
  id: "sub_1",
  customer: "cus_1",
  status,
  ...more,
});
const subscribe = (options = {}) => tell("checkout.session.completed", paid(), options);

describe("the account", () => {
  test("is Pro once a checkout was paid, and a repeat changes nothing", async () => {
    expect(await state()).toBe("free, none, no period");
    const id = await subscribe();
    expect(await state()).toBe("pro, active, no period");
    expect(stored()).toMatchObject([{ customerId: "cus_1", subscriptionId: "sub_1" }]);
    await tell("customer.subscription.deleted", subscription("canceled"), { created: noon + 1 });
    expect(await state()).toBe("free, canceled, no period");
    await subscribe({ id, created: noon + 2 });
    expect(await state()).toBe("free, canceled, no period");
  });

  test("is Pro at once: for its requests, and for events on the hot path", async () => {
    const ask = () => app.send("GET", "/insights?project=x", { headers: { cookie: free.cookie } });
    expect((await ask()).status).toBe(403);
    expect(app.deps.control.tierOf(free.id)).toBe("free");
    await subscribe();
    expect((await ask()).status).toBe(404);
    expect(app.deps.control.tierOf(free.id)).toBe("pro");
  });

  test("of a checkout without payment is Pro too, that of an unpaid one waits for the money", async () => {
    await tell("checkout.session.completed", paid({ payment_status: "unpaid" }));
    expect(await state()).toBe("free, none, no period");
    await tell("checkout.session.async_payment_failed", paid({ payment_status: "unpaid" }));
    expect(await state()).toBe("free, none, no period");
    await tell("checkout.session.async_payment_succeeded", paid());
    expect(await state()).toBe("pro, active, no period");

    const other = await signUp("other@example.com");
    const trial = { client_reference_id: other.id, payment_status: "no_payment_required" };
    await tell("checkout.session.completed", { ...trial, customer: "cus_2" });
    expect(await state(other.cookie)).toBe("pro, active, no period");
  });

  test("is found by reference, by metadata or by customer; an expanded customer is one too", async () => {
    const byReference = { client_reference_id: free.id, payment_status: "paid" };
    await tell("checkout.session.completed", { ...byReference, customer: { id: "cus_9" } });
    expect(await state()).toBe("pro, active, no period");
    await tell("invoice.payment_failed", { customer: "cus_9" });
    expect(await state()).toBe("pro, past_due, no period");
    const other = await signUp("other@example.com");
    await tell("checkout.session.completed", {
      client_reference_id: "acc_unknown",
      metadata: { account_id: other.id },
      payment_status: "paid",
    });
    expect(await state(other.cookie)).toBe("pro, active, no period");
  });

  test("that is unknown changes nobody's", async () => {
    await subscribe();
    const strange = { client_reference_id: "acc_x", customer: "cus_x", payment_status: "paid" };
    await tell("checkout.session.completed", strange);
    await tell("customer.subscription.deleted", { id: "sub_x", customer: "cus_x" });
    await tell("customer.subscription.deleted", { id: "sub_x", customer: null });
    await tell("customer.created", { id: "cus_1", metadata: { account_id: free.id } });
    expect(await state()).toBe("pro, active, no period");
    expect(stored().length).toBe(1);
  });

  test("keeps its rights when it is complimentary, whatever is told", async () => {
    const owner = await app.send("GET", "/account", { key: app.key });
    const { id } = (await owner.json()) as { id: string };
    await tell("checkout.session.completed", paid({ client_reference_id: id, metadata: {} }));
    await tell("customer.subscription.deleted", subscription("canceled"));
    expect(await state(app.cookie)).toBe("pro, canceled, no period");
    expect(app.deps.control.tierOf(id)).toBe("pro");
  });
});

describe("a subscription", () => {
  beforeEach(() => subscribe());

  test("is extended by a paid invoice, to the end of what it pays for", async () => {
    const line = (end: number) => ({ period: { start: noon, end } });
    await tell("invoice.paid", {
      customer: "cus_1",
      period_end: noon,
      lines: { data: [line(noon), line(noon + month)] },
    });
    expect(await state()).toBe("pro, active, 2026-02-13");
    await tell("invoice.paid", { customer: "cus_1", period_end: noon + 2 * month });
    expect(await state()).toBe("pro, active, 2026-03-15");
  });

  test("is past due after a failed invoice, and active again after a paid one", async () => {
    await tell("invoice.payment_failed", { customer: "cus_1" });
    expect(await state()).toBe("pro, past_due, no period");
    await tell("invoice.paid", { customer: "cus_1" });
    expect(await state()).toBe("pro, active, no period");
  });

  test("gives Pro while it is active, on trial or past due, and with no other status", async () => {
    const after: Readonly<Record<string, string>> = {
      active: "pro, active",
      canceled: "free, canceled",
      trialing: "pro, active",
      unpaid: "free, canceled",
      past_due: "pro, past_due",
      incomplete: "free, canceled",
      incomplete_expired: "free, canceled",
      paused: "free, canceled",
    };
    for (const [status, expected] of Object.entries(after)) {
      await tell("customer.subscription.updated", subscription(status));
      expect([status, await state()]).toEqual([status, `${expected}, no period`]);
    }
  });

  test("tells its period, wherever a version of the provider puts it", async () => {
    const older = subscription("active", { current_period_end: noon + month });
    await tell("customer.subscription.updated", older);
    expect(await state()).toBe("pro, active, 2026-02-13");
    const items = { data: [{ current_period_end: noon + 2 * month }] };
    await tell("customer.subscription.updated", subscription("active", { items }));
    expect(await state()).toBe("pro, active, 2026-03-15");
  });

  test("that is deleted leaves Free: limits at once, retention 30 days later", async () => {
    const { cookie } = free;
    const headers = { cookie, origin: "http://localhost:3000" };
    const body = { name: "shop", domain: "shop.example.com" };
    await app.send("POST", "/projects", { headers, body });
    await tell("customer.subscription.deleted", subscription("canceled"));
    const account = await (await app.send("GET", "/account", { headers: { cookie } })).json();
    expect(account).toMatchObject({ tier: "free", tier_limits: { retention_days: 90 } });
    const days = (nowMs: number) =>
      app.deps.control.lifecycle.projectsWithRetention(nowMs).map((one) => one.retentionDays);
    expect(days(noonMs + month * 1_000 - 1)).toEqual([365]);
    expect(days(noonMs + month * 1_000)).toEqual([90]);
    await tell("customer.subscription.updated", subscription("active"));
    expect(days(noonMs + month * 1_000)).toEqual([365]);
  });

  test("that ends although another has taken its place says nothing", async () => {
    await tell("customer.subscription.updated", subscription("unpaid"));
    await tell("checkout.session.completed", paid({ subscription: "sub_2" }));
    await tell("customer.subscription.deleted", subscription("canceled"), { created: noon + 9 });
    await tell("invoice.payment_failed", { customer: "cus_1", subscription: "sub_1" });
    expect(await state()).toBe("pro, active, no period");
    await tell("customer.subscription.deleted", subscription("canceled", { id: "sub_2" }));
    expect(await state()).toBe("free, canceled, no period");
  });
});

describe("events out of order", () => {
  test("older ones than the last that was applied change nothing, those of the same second do", async () => {
    await subscribe({ created: noon });
    await tell("customer.subscription.deleted", subscription("canceled"), { created: noon + 9 });
    for (const [type, object] of [
      ["customer.subscription.updated", subscription("active")],
      ["invoice.paid", { customer: "cus_1", period_end: noon + month }],
      ["invoice.payment_failed", { customer: "cus_1" }],
      ["checkout.session.completed", paid()],
    ] as const) {
      await tell(type, object, { created: noon + 8 });
      expect([type, await state()]).toEqual([type, "free, canceled, no period"]);
    }
    await tell("invoice.paid", { customer: "cus_1" }, { created: noon + 9 });
    expect(await state()).toBe("pro, active, no period");
  });

  test("an invoice that arrives before its checkout finds the account by the subscription's metadata", async () => {
    const details = { metadata: { account_id: free.id }, subscription: "sub_1" };
    const invoice = { customer: "cus_1", period_end: noon + month };
    const parent = { subscription_details: details };
    await tell("invoice.paid", { ...invoice, parent }, { created: noon + 2 });
    expect(await state()).toBe("pro, active, 2026-02-13");
    await subscribe({ created: noon + 1 });
    expect(await state()).toBe("pro, active, 2026-02-13");
    expect(stored()).toMatchObject([{ customerId: "cus_1", subscriptionId: "sub_1" }]);
    await tell("customer.subscription.deleted", { customer: "cus_1" }, { created: noon + 3 });
    expect(await state()).toBe("free, canceled, no period");
  });

  test("a checkout told late still leaves its ids, by which later events find the account", async () => {
    await tell("customer.subscription.updated", {
      ...subscription("active", { customer: undefined }),
      metadata: { account_id: free.id },
    });
    await subscribe({ created: noon - 1 });
    expect(stored()).toMatchObject([{ customerId: "cus_1" }]);
  });
});

test("what is logged of events names nobody", async () => {
  const before = app.logged.length;
  await subscribe();
  await tell("invoice.paid", { customer: "cus_1", customer_email: "payer@example.com" });
  await deliver("{}", `t=${noon},v1=${"0".repeat(64)}`);
  const lines = app.logged.slice(before);
  expect(lines.filter((line) => line.includes('"outcome":"applied"')).length).toBe(2);
  for (const secret of [...Object.values(paymentSecrets), "cus_1", "sub_1", "payer@", free.id]) {
    expect(lines.join()).not.toContain(secret);
  }
});

test("a server that takes no payments takes no events", async () => {
  const other = await testApp({});
  const { text, header } = signed({ id: "evt_1" }, noonMs);
  const headers = { "stripe-signature": header };
  const answer = await other.send("POST", "/webhooks/stripe", { body: text, headers });
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
    503,
    "BILLING_NOT_CONFIGURED",
  ]);
  await other.close();
});
