import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Call, type TestApp, testApp } from "../../../test/support/app/app";
import {
  type FakeProvider,
  paymentSecrets,
  startProvider,
} from "../../../test/support/app/payments";
import { tierLimits } from "../../domain/plan";
import { changeRights } from "../../store/control/accounts";
import { checkoutTextCharsMax } from "./schema";

const own = "http://localhost:3000";
let provider: FakeProvider;
let app: TestApp;
let free: { readonly id: string; readonly cookie: string };
beforeAll(async () => {
  provider = startProvider();
  app = await testApp({ ...paymentSecrets, STRIPE_API_BASE: provider.url, REGISTRATION: "open" });
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});
let people = 0;
beforeEach(async () => {
  const body = { email: `p${++people}@example.com`, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body, from: `198.51.100.${people}` });
  const { account } = (await made.json()) as { account: { id: string } };
  const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  free = { id: account.id, cookie };
});

const checkout = (body?: unknown, cookie = free.cookie) =>
  app.send("POST", "/billing/checkout", { headers: { cookie, origin: own }, body });
const codeOf = async (answer: Response) => ((await answer.json()) as { error: string }).error;

describe("GET /billing", () => {
  const get = async (call: Call) => (await app.send("GET", "/billing", call)).json();

  test("tells what the account has; an account that never paid has no status", async () => {
    expect(await get({ headers: { cookie: free.cookie } })).toEqual({
      tier: "free",
      complimentary: false,
      billing: true,
      status: "none",
      current_period_end: null,
      plans: tierLimits,
    });
    expect(await get({ headers: { cookie: app.cookie } })).toMatchObject({
      tier: "pro",
      complimentary: true,
    });
  });

  test("is for people: neither cached nor open to other sites", async () => {
    const { headers } = await app.send("GET", "/billing", { headers: { cookie: free.cookie } });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(await codeOf(await app.send("GET", "/billing", { key: app.key }))).toBe("FORBIDDEN");
    expect(await codeOf(await app.send("GET", "/billing"))).toBe("AUTH_REQUIRED");
  });
});

describe("POST /billing/checkout", () => {
  test("orders the price for the account, and passes nothing else on", async () => {
    const body = { reason: "I need funnels", command: "stats --key aak_secret" };
    const answer = await checkout(body);
    expect(await answer.json()).toEqual({ checkout_url: `${provider.url}/pay` });
    expect(provider.orders.at(-1)).toEqual({
      method: "POST",
      path: "/v1/checkout/sessions",
      authorization: `Bearer ${paymentSecrets.STRIPE_SECRET_KEY}`,
      fields: {
        mode: "subscription",
        "line_items[0][price]": "price_pro",
        "line_items[0][quantity]": "1",
        client_reference_id: free.id,
        "metadata[account_id]": free.id,
        "subscription_data[metadata][account_id]": free.id,
        success_url: `${own}/account/billing?checkout=done`,
        cancel_url: `${own}/account/billing?checkout=canceled`,
      },
    });
  });

  test("needs no body, and takes null for what is left out", async () => {
    expect((await checkout()).status).toBe(200);
    expect((await checkout({ reason: null, command: null })).status).toBe(200);
  });

  test("bounds the texts", async () => {
    const longest = "ü".repeat(checkoutTextCharsMax);
    expect((await checkout({ reason: longest, command: longest })).status).toBe(200);
    for (const field of ["reason", "command"]) {
      const answer = await checkout({ [field]: `${longest}x` });
      expect(await answer.json()).toMatchObject({ error: "MISSING_FIELDS", field });
    }
    expect(await codeOf(await checkout({ reason: 7 }))).toBe("INVALID_BODY");
  });

  test("orders nothing for an account that has Pro, paid or complimentary", async () => {
    const before = provider.orders.length;
    changeRights(app.deps.control, free.id, { tier: "pro" });
    expect(await (await checkout()).json()).toEqual({ checkout_url: null });
    expect(await (await checkout({}, app.cookie)).json()).toEqual({ checkout_url: null });
    expect(provider.orders.length).toBe(before);
  });

  test("is for a page of ours alone", async () => {
    const headers = { cookie: free.cookie, origin: "https://evil.example" };
    const answer = await app.send("POST", "/billing/checkout", { headers });
    expect(await codeOf(answer)).toBe("CSRF_FAILED");
  });

  test("says so when the provider refuses, without telling its words", async () => {
    const message = "Invalid API Key provided: sk_test_****sts for cus_secret";
    const before = app.logged.length;
    provider.answerWith(401, { error: { type: "invalid_request_error", message } });
    expect(await codeOf(await checkout())).toBe("UNAVAILABLE");
    provider.answerWith(200, { id: "cs_1", url: null });
    expect(await codeOf(await checkout())).toBe("UNAVAILABLE");
    provider.answerWith(200, { id: "cs_1", url: "javascript:alert(1)" });
    const answer = await checkout();
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await codeOf(answer)).toBe("UNAVAILABLE");
    const lines = app.logged.slice(before).join();
    expect(lines).toContain("the payment provider opened no checkout");
    expect(lines).not.toMatch(/sk_test|cus_secret|javascript/);
  });
});

test("a server without a provider says that it takes no payments", async () => {
  const other = await testApp({ DEFAULT_TIER: "free" });
  const headers = { cookie: other.cookie, origin: own };
  const answer = await other.send("POST", "/billing/checkout", { headers });
  expect([answer.status, await codeOf(answer)]).toEqual([503, "BILLING_NOT_CONFIGURED"]);
  expect(await (await other.send("GET", "/billing", { headers })).json()).toMatchObject({
    billing: false,
    status: "none",
  });
  await other.close();
});
