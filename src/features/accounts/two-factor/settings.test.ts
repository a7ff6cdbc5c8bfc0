import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../../../../test/support/app/app";
import { addMember } from "../../../../test/support/app/members";
import { password } from "../../../../test/support/app/person";
import { codesOf, turnOnFactor, withFactor } from "../../../../test/support/app/second-factor";
import { freshSignInMs } from "../../../domain/limits";
import { dayMs } from "../../../lib/clock";
import { totpStepMs } from "../../../lib/totp";
import { setUpMsMax } from "../../../store/control/second-factors";

let app: TestApp;
let world: Awaited<ReturnType<typeof withFactor>>;
beforeEach(async () => {
  app = await testApp();
  world = await withFactor(app);
});
afterEach(() => app.close());

const wrong = "000000";

describe("the second factor", () => {
  test("is set up with the password, and is on after the first code", async () => {
    const { cookie } = await addMember(app, { role: "viewer", people: false, projects: null });
    // A log-in without a password, as single sign-on makes them, is proved by none.
    const set = await app.send("POST", "/auth/two-factor/setup", { ...cookie, body: { password } });
    expect(set.status).toBe(401);
    expect(await world.told("/auth/two-factor/setup", { password: "wrong" })).toBe(
      "401 INVALID_CREDENTIALS",
    );
    expect(await world.told("/auth/two-factor/setup", { password })).toBe("403 FORBIDDEN");
    expect((await world.ann.ask("GET", "/auth/two-factor"))[1]).toEqual({
      ...{ enabled: true, enabled_at: "2026-01-14T12:00:00.000Z" },
      ...{ recovery_codes_left: 10, required: false },
    });
  });

  test("shows the secret as an address and as a picture of it", async () => {
    await disable();
    const [, set] = await world.ann.ask("POST", "/auth/two-factor/setup", { password });
    const label = "Sightline%20localhost%3A3000";
    expect(set.otpauth_url).toBe(
      `otpauth://totp/${label}:owner%40example.com?secret=${set.secret}&issuer=${label}`,
    );
    expect(set.qr_svg).toMatch(/^<svg [^>]*viewBox="0 0 (\d+) \1"[^>]*>.*<\/svg>$/s);
  });

  test("whose code comes late is set up again", async () => {
    await disable();
    const late = async (ms: number) => {
      const [, { secret }] = await world.ann.ask("POST", "/auth/two-factor/setup", { password });
      world.later(ms);
      return world.told("/auth/two-factor/enable", { code: codesOf(secret)() });
    };
    expect(await world.told("/auth/two-factor/enable", { code: wrong })).toBe("401 INVALID_CODE");
    expect(await late(setUpMsMax)).toBe("401 INVALID_CODE");
    expect(await late(setUpMsMax - 1)).toBe("200");
  });

  test("ends the other browsers when it is turned on", async () => {
    await disable();
    const { cookie } = await world.logIn();
    const status = async () => (await app.send("GET", "/account", { headers: { cookie } })).status;
    expect(await status()).toBe(200);
    await turnOnFactor(world.ann);
    expect(await status()).toBe(401);
    expect((await world.ann.ask("GET", "/account"))[0]).toBe(200);
  });

  const disable = async () => {
    world.later(totpStepMs);
    const sent = { password, code: world.phone.code() };
    expect(await world.told("/auth/two-factor/disable", sent)).toBe("200");
  };

  test("is turned off with the password and a code, or a recovery code", async () => {
    const off = (sent: Json) => world.told("/auth/two-factor/disable", sent);
    expect(await off({ password: "wrong", code: world.phone.code() })).toBe(
      "401 INVALID_CREDENTIALS",
    );
    expect(await off({ password, code: wrong })).toBe("401 INVALID_CODE");
    expect(await off({ password })).toBe("400 MISSING_FIELDS");
    expect(await off({ password, recovery_code: world.phone.recoveryCodes[3] })).toBe("200");
    expect((await world.logIn()).told).toBe("200");
    expect((await world.ann.ask("GET", "/auth/two-factor"))[1]).toEqual({
      ...{ enabled: false, recovery_codes_left: 0, required: false },
    });
    expect(world.entries().slice(-3)).toEqual([
      "recovery_code_used",
      "two_factor_off",
      "signed_in",
    ]);
  });

  test("has new recovery codes on demand, and the old ones are dead", async () => {
    const sent = { password, code: world.phone.code() };
    const [status, made] = await world.ann.ask("POST", "/auth/two-factor/recovery-codes", sent);
    expect(status).toBe(200);
    expect(await world.enter({ recovery_code: world.phone.recoveryCodes[0] })).toBe(
      "401 INVALID_CODE",
    );
    const [fresh] = made.recovery_codes as string[];
    expect(await world.enter({ recovery_code: fresh })).toBe("200");
  });

  test("is kept as no text in the database", async () => {
    const { secret } = app.deps.control.db.all<{ secret: string }>(
      "select sealed_secret as secret from second_factor",
    )[0] ?? { secret: "" };
    const bytes = Buffer.from(secret, "base64").toString("latin1");
    expect(bytes).not.toMatch(/[A-Z2-7]{32}/);
    const hashes = app.deps.control.db.all<{ hash: string }>("select hash from recovery_code");
    expect(hashes.map(({ hash }) => hash).join(" ")).not.toContain(
      world.phone.recoveryCodes[0] ?? "",
    );
  });
});

describe("while the factor is on", () => {
  const actions = ["/account/api-key", "/account/revoke-key"];
  test("a key is made after a fresh sign-in alone, with password and code", async () => {
    world.later(freshSignInMs);
    for (const path of actions) expect(await world.told(path)).toBe("403 CONFIRM_REQUIRED");
    expect(await world.told("/auth/confirm", { password })).toBe("400 MISSING_FIELDS");
    expect(await world.told("/auth/confirm", { password, code: wrong })).toBe("401 INVALID_CODE");
    for (const path of actions) expect(await world.told(path)).toBe("403 CONFIRM_REQUIRED");
    expect(await world.told("/auth/confirm", { password, code: world.phone.code() })).toBe("200");
    expect(await world.told("/account/revoke-key")).toBe("200");
  });

  test("a key replaces itself without it, and so does a browser of who has no factor", async () => {
    world.later(dayMs);
    const { cookie } = await addMember(app, { role: "viewer", people: false, projects: null });
    world.later(dayMs);
    expect((await app.send("POST", "/account/revoke-key", cookie)).status).toBe(200);
    expect((await app.send("POST", "/account/revoke-key", { key: app.key })).status).toBe(200);
  });

  test("a program is approved after a fresh sign-in alone, and the page asks for it", async () => {
    const started = await app.send("POST", "/agent-sessions/start", {
      body: { mode: "detached", client_type: "cli", scopes: ["projects:read"] },
    });
    const { auth_request_id: id } = (await started.json()) as Json;
    const path = `/agent-sessions/authorize/${id}`;
    const headers = { cookie: world.ann.cookie, origin: "http://localhost:3000" };
    const page = async () => (await app.send("GET", path, { headers })).text();
    expect(await page()).not.toContain("Confirm that it is you");
    world.later(freshSignInMs);
    const approve = async () => (await app.send("POST", `${path}/approve`, { headers })).status;
    expect(started.status).toBe(201);
    expect(await page()).toContain("Confirm that it is you");
    expect(await approve()).toBe(403);
    await world.ann.ask("POST", "/auth/confirm", { password, code: world.phone.code() });
    expect(await approve()).toBe(200);
  });
});

describe("an account that requires a second factor", () => {
  const require_ = (isRequired: boolean) =>
    world.ann.ask("PATCH", "/account", { require_two_factor: isRequired });

  test("lets browsers of members without one only turn theirs on; keys go on", async () => {
    const { cookie, key } = await addMember(app, { role: "admin", people: true, projects: null });
    const told = async (method: string, path: string, call: object) => {
      const answer = await app.send(method, path, call);
      return `${answer.status} ${((await answer.json()) as Json).error ?? ""}`.trim();
    };
    expect(await told("GET", "/projects", cookie)).toBe("200");
    expect((await require_(true))[0]).toBe(200);
    expect(await told("GET", "/projects", cookie)).toBe("403 TWO_FACTOR_REQUIRED");
    expect(await told("POST", "/account/api-key", cookie)).toBe("403 TWO_FACTOR_REQUIRED");
    expect(await told("GET", "/auth/two-factor", cookie)).toBe("200");
    expect(await told("GET", "/projects", key)).toBe("200");
    expect((await world.ann.ask("GET", "/projects"))[0]).toBe(200);
    expect((await world.ann.ask("GET", "/auth/two-factor"))[1].required).toBe(true);
    await require_(false);
    expect(await told("GET", "/projects", cookie)).toBe("200");
  });

  test("has an owner with one", async () => {
    await world.ann.ask("POST", "/auth/two-factor/disable", { password, code: world.phone.code() });
    expect(await require_(true)).toMatchObject([403, { error: "TWO_FACTOR_REQUIRED" }]);
    expect((await require_(false))[0]).toBe(200);
  });

  test("shows who of its members has one", async () => {
    await addMember(app, { role: "viewer", people: false, projects: null });
    expect(await app.get("/members")).toMatchObject({
      members: [{ two_factor: true }, { two_factor: false }],
    });
  });
});

test("an administrator turns off the factor of an owner who lost it, after a fresh sign-in", async () => {
  const path = `/admin/accounts/${(await app.get("/account")).id}/two-factor/off`;
  expect(await world.told("/admin/accounts/acc_nothing/two-factor/off")).toBe("404 NOT_FOUND");
  world.later(freshSignInMs);
  expect(await world.told(path)).toBe("403 CONFIRM_REQUIRED");
  await world.ann.ask("POST", "/auth/confirm", { password, code: world.phone.code() });
  expect(await world.told(path)).toBe("200");
  expect((await world.logIn()).told).toBe("200");
  expect(world.entries().filter((one) => one === "two_factor_off")).toHaveLength(1);
  expect(await world.told(path)).toBe("200");
  expect(world.entries().filter((one) => one === "two_factor_off")).toHaveLength(1);
});
