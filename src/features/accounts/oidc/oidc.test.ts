import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../../test/support/app/app";
import { oidcProvider, type TestProvider } from "../../../../test/support/app/oidc";
import { owner, password, signUp } from "../../../../test/support/app/person";
import { elsewhere, withFactor } from "../../../../test/support/app/second-factor";
import { freshSignInMs } from "../../../domain/limits";
import { clock, minuteMs } from "../../../lib/clock";
import { oidcSessionMsMax } from "../../../store/control/browser-sessions";

let provider: TestProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await oidcProvider();
});
afterAll(() => provider.close());
beforeEach(() => Object.assign(provider, { isRefusing: false }));
afterEach(() => app.close());

const open = async (more: Record<string, string> = {}) => {
  app = await testApp({ ...provider.environment, ...more });
};
const verified = (id: string, email = `${id}@example.com`) => ({ id, email, email_verified: true });
const cookieOf = (answer: Response) => (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

interface Way {
  readonly query?: string;
  /** The session of the browser. */
  readonly cookie?: string;
  /** Changes what comes back from the provider. */
  readonly tamper?: (callback: URL) => void;
  readonly meanwhile?: () => unknown;
}

/** A browser's way to the provider and back. Returns where it ends, and the session that it got. */
async function way({ query = "", cookie = "", tamper, meanwhile }: Way = {}) {
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const from = elsewhere();
  const begun = await app.send("GET", `/auth/oidc${query}`, { headers, from });
  const location = begun.headers.get("location") ?? "";
  if (!location.startsWith(provider.issuer)) return { status: begun.status, location, cookie: "" };
  const callback = await provider.logIn(location);
  tamper?.(callback);
  await meanwhile?.();
  const cookies = [cookieOf(begun), cookie].filter((one) => one !== "").join("; ");
  const call = { headers: { cookie: cookies }, from };
  const ended = await app.send("GET", `${callback.pathname}${callback.search}`, call);
  return {
    status: ended.status,
    location: (ended.headers.get("location") ?? "").replace("http://localhost:3000", ""),
    cookie: cookieOf(ended),
  };
}
const account = async (cookie: string) => {
  const answer = await app.send("GET", "/account", { headers: { cookie } });
  return { status: answer.status, ...((await answer.json()) as Json) };
};
const invite = (email: string, role = "editor") =>
  app.send("POST", "/members/invitations", { key: app.key, body: { email, role } });
const refused = { status: 302, location: "/login?error=oidc_refused", cookie: "" };

describe("somebody who comes by single sign-on", () => {
  test("gets in where an invitation is open, and is known from then on by the provider's id", async () => {
    await open();
    provider.person = verified("bob");
    expect(await way()).toEqual(refused);
    await invite("Bob@example.com");
    const joined = await way({ query: "?next=/app/live" });
    expect(joined).toMatchObject({ status: 302, location: "/app/live" });
    expect(await account(joined.cookie)).toMatchObject({ role: "editor", status: 200 });
    const { invitations } = (await app.get("/members")) as { invitations: unknown[] };
    expect(invitations).toEqual([]);
    // The address may change at the provider: the id does not.
    provider.person = { id: "bob", email: "robert@example.com", email_verified: false };
    const again = await way();
    expect(again.location).toBe("/app");
    expect(await account(again.cookie)).toMatchObject({ user: { email: "bob@example.com" } });
    const entries = app.deps.control.db.all<{ action: string; kind: string }>(
      "select action, actor_kind as kind from audit_entry where actor_kind = 'oidc' order by rowid",
    );
    expect(entries.map(({ action }) => action)).toEqual(["oidc_linked", "signed_in", "signed_in"]);
  });

  test("gets into the log-in of their address that was proved here, and by password into others", async () => {
    await open({ REGISTRATION: "open" });
    provider.person = verified("ann", "owner@example.com");
    expect(await account((await way()).cookie)).toMatchObject({ role: "owner" });
    const eve = await signUp(app, "eve@example.com");
    provider.person = verified("eve");
    const unproved = { ...refused, location: "/login?error=oidc_link" };
    expect(await way()).toEqual(unproved);
    const linked = await way({ query: "?link=1", cookie: eve.cookie });
    expect(linked).toMatchObject({ location: "/app/settings", cookie: "" });
    expect(await account((await way()).cookie)).toMatchObject({ id: eve.id });
  });

  test("needs an address that the provider has verified", async () => {
    await open();
    await invite("cid@example.com");
    for (const person of [
      { id: "cid", email: "cid@example.com", email_verified: false },
      { id: "cid", email: "cid@example.com" },
      { id: "cid" },
      verified("cid", "no address"),
    ]) {
      provider.person = person;
      expect(await way()).toEqual(refused);
    }
  });

  test("is trusted without that word where the operator says so, but never against it", async () => {
    await open({ OIDC_TRUST_EMAIL: "true" });
    await invite("dan@example.com");
    provider.person = { id: "dan", email: "dan@example.com", email_verified: false };
    expect(await way()).toEqual(refused);
    provider.person = { id: "dan", email: "dan@example.com" };
    expect((await way()).location).toBe("/app");
  });

  test("joins an account by the domain of their address", async () => {
    await open();
    const { id } = await app.get("/account");
    await app.close();
    await open({ OIDC_JOIN_ACCOUNT: String(id), OIDC_DOMAINS: "corp.example, example.org" });
    // The settings of another test app make another account: the one that is there counts.
    const { id: own } = await app.get("/account");
    const { oidc } = app.deps.config;
    Object.assign(app.deps, { config: { ...app.deps.config, oidc: null } });
    expect(oidc?.join?.accountId).toBe(String(id));
    Object.assign(oidc?.join ?? {}, { accountId: own });
    Object.assign(app.deps, { config: { ...app.deps.config, oidc } });
    for (const email of ["a@other.example", "a@sub.corp.example", "a@notcorp.example"]) {
      provider.person = verified(email, email);
      expect(await way()).toEqual(refused);
    }
    provider.person = verified("fay", "Fay@CORP.example");
    expect(await account((await way()).cookie)).toMatchObject({
      ...{ id: own, role: "viewer", people: false, user: { email: "fay@corp.example" } },
    });
  });

  test("stays in for seven days, and needs no second factor of ours", async () => {
    await open();
    const { ann } = await withFactor(app);
    await ann.ask("PATCH", "/account", { require_two_factor: true });
    await invite("gus@example.com", "admin");
    provider.person = verified("gus");
    const { cookie } = await way();
    const startMs = clock.nowMs();
    expect((await account(cookie)).status).toBe(200);
    app.setTime(startMs + oidcSessionMsMax - 1);
    expect((await account(cookie)).status).toBe(200);
    app.setTime(startMs + oidcSessionMsMax);
    expect((await account(cookie)).status).toBe(401);
  });

  test("has a fresh sign-in", async () => {
    await open();
    await invite("hal@example.com", "admin");
    provider.person = verified("hal");
    const { cookie } = await way();
    const rotate = async () =>
      (
        await app.send("POST", "/webhooks/whk_nothing/rotate", {
          headers: { cookie, origin: "http://localhost:3000" },
        })
      ).status;
    expect(await rotate()).toBe(404);
    app.setTime(clock.nowMs() + freshSignInMs);
    expect(await rotate()).toBe(403);
  });
});

describe("what comes back from the provider", () => {
  beforeEach(async () => {
    await open();
    await invite("ida@example.com");
    provider.person = verified("ida");
  });

  test.each([
    ["another state", (callback: URL) => callback.searchParams.set("state", "other")],
    ["another code", (callback: URL) => callback.searchParams.set("code", "other")],
    ["another issuer", (callback: URL) => callback.searchParams.set("iss", "https://evil.example")],
    ["no code", (callback: URL) => callback.searchParams.delete("code")],
  ])("lets nobody in with %s", async (_, tamper) => {
    expect(await way({ tamper })).toEqual(refused);
  });

  test("lets nobody in when the person refused, in another browser, or after ten minutes", async () => {
    provider.isRefusing = true;
    expect(await way()).toEqual(refused);
    provider.isRefusing = false;
    for (const value of ["%ff", "%", "AAAA", "x".repeat(500)]) {
      const call = { headers: { cookie: `sl_oidc=${value}` }, from: elsewhere() };
      const answer = await app.send("GET", "/auth/oidc/callback?code=a&state=b", call);
      expect([value, answer.status]).toEqual([value, 302]);
    }
    expect(
      (await app.send("GET", "/auth/oidc/callback?code=a&state=b")).headers.get("location"),
    ).toBe("http://localhost:3000/login?error=oidc_refused");
    const wait = (ms: number) => () => app.setTime(clock.nowMs() + ms);
    expect(await way({ meanwhile: wait(10 * minuteMs) })).toEqual(refused);
    expect((await way({ meanwhile: wait(10 * minuteMs - 1) })).location).toBe("/app");
  });

  test("lets nobody in by a code that was used, or with the state of another log-in", async () => {
    let used = "";
    const keep = (callback: URL) => {
      used = callback.search;
    };
    const again = (callback: URL) => {
      callback.search = used;
    };
    expect((await way({ tamper: keep })).location).toBe("/app");
    expect(await way({ tamper: again })).toEqual(refused);
  });

  test.each([
    ["//evil.example", "/app"],
    ["https://evil.example/app", "/app"],
    ["/\\evil.example", "/app"],
    ["/.//evil.example", "//evil.example"],
    ["/app/settings?a=1#b", "/app/settings?a=1#b"],
  ])("leads on from %s within this origin alone", async (next, location) => {
    const ended = await way({ query: `?next=${encodeURIComponent(next)}` });
    expect(ended.location).toBe(location);
  });
});

test("somebody new who comes twice at once is one person", async () => {
  await open();
  await invite("lea@example.com");
  provider.person = verified("lea");
  for (const { location } of await Promise.all([way(), way()])) expect(location).toBe("/app");
});

describe("linking in the settings", () => {
  test("needs a log-in, a fresh sign-in, and a page of ours that asks", async () => {
    await open();
    const ann = await owner(app);
    provider.person = verified("joe");
    const start = async (headers: Record<string, string>) =>
      (await app.send("GET", "/auth/oidc?link=1", { headers })).status;
    expect(await start({ "sec-fetch-site": "same-origin" })).toBe(403);
    expect(await start({ cookie: ann.cookie })).toBe(403);
    expect(await start({ cookie: ann.cookie, "sec-fetch-site": "cross-site" })).toBe(403);
    app.setTime(noonMs + freshSignInMs);
    expect(await start({ cookie: ann.cookie, "sec-fetch-site": "same-origin" })).toBe(403);
    await ann.ask("POST", "/auth/confirm", { password });
    const link = { query: "?link=1", cookie: ann.cookie };
    // Somebody else has logged in meanwhile.
    const tamper = () => void ann.ask("POST", "/auth/logout");
    expect((await way(link)).location).toBe("/app/settings");
    expect((await way(link)).location).toBe("/app/settings");
    expect(await account((await way()).cookie)).toMatchObject({ id: ann.id });
    expect(await way({ ...link, meanwhile: tamper })).toEqual(refused);
  });

  test("does not take the provider's person of somebody else", async () => {
    await open({ REGISTRATION: "open" });
    const ann = await owner(app);
    const kim = await signUp(app, "kim@example.com");
    provider.person = verified("one");
    expect((await way({ query: "?link=1", cookie: ann.cookie })).location).toBe("/app/settings");
    expect(await way({ query: "?link=1", cookie: kim.cookie })).toEqual(refused);
  });
});

test("where single sign-on is the only way, a password lets in administrators with a second factor", async () => {
  await open({ OIDC_ONLY: "true", REGISTRATION: "open", OIDC_NAME: "Corp" });
  const enter = async () => {
    const body = { email: "owner@example.com", password };
    const answer = await app.send("POST", "/auth/login", { body, from: elsewhere() });
    return ((await answer.json()) as Json).error;
  };
  expect(await enter()).toBe("PASSWORD_LOGIN_OFF");
  const body = { email: "new@example.com", password };
  expect((await app.send("POST", "/auth/signup", { body })).status).toBe(403);
  const state = await (await app.send("GET", "/auth/state")).json();
  expect(state).toMatchObject({ oidc: { name: "Corp" }, password_login: false });
  await withFactor(app);
  expect(await enter()).toBe("SECOND_FACTOR_REQUIRED");
});

test("without a provider there is none; one that is down leaves passwords as they are", async () => {
  app = await testApp();
  expect((await app.send("GET", "/auth/oidc")).status).toBe(404);
  expect((await app.send("GET", "/auth/oidc/callback")).status).toBe(404);
  await app.close();
  const gone = await oidcProvider();
  await gone.close();
  app = await testApp(gone.environment);
  expect(await way()).toMatchObject({
    location: expect.stringContaining("error=oidc_unavailable"),
  });
  const body = { email: "owner@example.com", password };
  expect((await app.send("POST", "/auth/login", { body })).status).toBe(200);
});
