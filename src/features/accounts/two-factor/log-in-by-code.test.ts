import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../../test/support/app/app";
import { password } from "../../../../test/support/app/person";
import { elsewhere, withFactor } from "../../../../test/support/app/second-factor";
import { hourMs, minuteMs } from "../../../lib/clock";
import { totpStepMs } from "../../../lib/totp";
import { stepTriesMax } from "../../../services/log-in-steps";
import { loginWindowMs } from "../../../services/login-failures";
import { codeFailuresPerDayMax } from "../../../store/control/second-factors";

let app: TestApp;
let world: Awaited<ReturnType<typeof withFactor>>;
beforeEach(async () => {
  app = await testApp();
  world = await withFactor(app);
});
afterEach(() => app.close());

const wrong = "000000";

describe("a log-in with a second factor", () => {
  test("asks for a code after the right password, and lets nobody in before it", async () => {
    const first = await world.logIn();
    expect(first).toMatchObject({ told: "401 SECOND_FACTOR_REQUIRED", cookie: "" });
    const { login_token: token, methods } = first.body;
    expect(token).toMatch(/^lgt_[0-9a-f]{48}$/);
    expect(methods).toEqual(["totp", "recovery_code"]);
    const done = await world.second(String(token), { code: world.phone.code() });
    expect(done).toMatchObject({ told: "200", body: { account: { two_factor: true } } });
    const headers = { cookie: done.cookie };
    expect((await app.send("GET", "/account", { headers })).status).toBe(200);
  });

  test("says nothing of the factor for a wrong password", async () => {
    const body = { email: world.ann.email, password: "wrong horse battery" };
    expect((await world.post("/auth/login", body)).told).toBe("401 INVALID_CREDENTIALS");
  });

  test("takes the codes of one step before and after, and no other", async () => {
    world.later(10 * totpStepMs);
    for (const off of [-2, 2]) {
      expect([off, await world.enter({ code: world.phone.code(off) })]).toEqual([
        off,
        "401 INVALID_CODE",
      ]);
    }
    for (const off of [-1, 0, 1]) {
      expect([off, await world.enter({ code: world.phone.code(off) })]).toEqual([off, "200"]);
    }
  });

  test("takes a code once, and none of an earlier step after it", async () => {
    const code = world.phone.code();
    const before = world.phone.code(-1);
    expect(await world.enter({ code })).toBe("200");
    expect(await world.enter({ code })).toBe("401 INVALID_CODE");
    expect(await world.enter({ code: before })).toBe("401 INVALID_CODE");
    world.later(totpStepMs);
    expect(await world.enter({ code })).toBe("401 INVALID_CODE");
    expect(await world.enter({ code: world.phone.code() })).toBe("200");
  });

  test("takes each recovery code once, however it is typed", async () => {
    expect(new Set(world.phone.recoveryCodes).size).toBe(10);
    for (const code of world.phone.recoveryCodes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    const [code = "", other = ""] = world.phone.recoveryCodes;
    const typed = ` ${code.replace("-", " ").toUpperCase()}`;
    expect(await world.enter({ recovery_code: typed })).toBe("200");
    expect(await world.enter({ recovery_code: code })).toBe("401 INVALID_CODE");
    expect(await world.enter({ recovery_code: other })).toBe("200");
    expect((await world.ann.ask("GET", "/auth/two-factor"))[1].recovery_codes_left).toBe(8);
    expect(world.entries().filter((one) => one === "recovery_code_used")).toHaveLength(2);
  });

  test("needs the code within five minutes", async () => {
    const [inTime, late] = [await world.tokenOf(), await world.tokenOf()];
    world.later(5 * minuteMs - 1);
    expect((await world.second(inTime, { code: world.phone.code() })).told).toBe("200");
    world.later(1);
    expect((await world.second(late, { code: world.phone.code() })).told).toBe("401 INVALID_TOKEN");
  });

  test(`takes ${stepTriesMax} codes for one password`, async () => {
    const token = await world.tokenOf();
    for (let n = 0; n < stepTriesMax; n++) {
      expect((await world.second(token, { code: wrong })).told).toBe("401 INVALID_CODE");
    }
    expect((await world.second(token, { code: world.phone.code() })).told).toBe(
      "401 INVALID_TOKEN",
    );
    expect((await world.second("lgt_unknown", { code: world.phone.code() })).told).toBe(
      "401 INVALID_TOKEN",
    );
  });

  test("is over once it is done, and when the password changed in between", async () => {
    const token = await world.tokenOf();
    expect((await world.second(token, {})).told).toBe("400 MISSING_FIELDS");
    expect((await world.second(token, { code: world.phone.code() })).told).toBe("200");
    expect((await world.second(token, { code: world.phone.code(1) })).told).toBe(
      "401 INVALID_TOKEN",
    );
    const stale = await world.tokenOf();
    const change = { current_password: password, new_password: "another battery" };
    expect(await world.told("/auth/password", change)).toBe("200");
    expect((await world.second(stale, { code: world.phone.code(1) })).told).toBe(
      "401 INVALID_TOKEN",
    );
  });

  test("is refused to another site's page", async () => {
    const headers = { origin: "https://evil.example" };
    const body = { login_token: await world.tokenOf(), code: world.phone.code() };
    const answer = await app.send("POST", "/auth/login/second", { headers, body });
    expect(answer.status).toBe(403);
  });
});

describe("wrong codes", () => {
  test("lock a network after ten, for a quarter of an hour, and no other network", async () => {
    const mallory = elsewhere();
    for (let n = 0; n < 10; n++) {
      if (n === 5) world.later(minuteMs);
      expect(await world.enter({ code: wrong }, mallory)).toBe("401 INVALID_CODE");
    }
    world.later(minuteMs);
    expect(await world.enter({ code: world.phone.code() }, mallory)).toBe("429 RATE_LIMITED");
    expect(await world.enter({ code: world.phone.code() })).toBe("200");
    world.later(loginWindowMs - minuteMs - 1);
    expect(await world.enter({ code: world.phone.code() }, mallory)).toBe("429 RATE_LIMITED");
    world.later(1);
    expect(await world.enter({ code: world.phone.code() }, mallory)).toBe("200");
  });

  test(`lock the person after ${codeFailuresPerDayMax} until midnight UTC, across a restart`, async () => {
    for (let n = 0; n < codeFailuresPerDayMax; n++) {
      expect(world.entries()).not.toContain("sign_in_locked");
      expect(await world.enter({ code: wrong })).toBe("401 INVALID_CODE");
    }
    expect(world.entries().filter((one) => one === "sign_in_locked")).toHaveLength(1);
    expect(await world.enter({ code: world.phone.code() })).toBe("429 RATE_LIMITED");
    expect(await world.enter({ recovery_code: world.phone.recoveryCodes[0] })).toBe(
      "429 RATE_LIMITED",
    );
    app.setTime(noonMs + 12 * hourMs - 1);
    expect(await world.enter({ code: world.phone.code() })).toBe("429 RATE_LIMITED");
    app.setTime(noonMs + 12 * hourMs);
    expect(await world.enter({ code: world.phone.code() })).toBe("200");
  });

  test("of somebody who is logged in count too", async () => {
    for (let n = 0; n < 10; n++) {
      expect(await world.told("/auth/confirm", { password, code: wrong })).toBe("401 INVALID_CODE");
    }
    expect(await world.told("/auth/confirm", { password, code: world.phone.code() })).toBe(
      "429 RATE_LIMITED",
    );
  });
});
