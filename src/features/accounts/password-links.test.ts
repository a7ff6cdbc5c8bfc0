import { afterEach, describe, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../../../test/support/app/app";
import { logIn, owner, password } from "../../../test/support/app/person";
import { elsewhere, withFactor } from "../../../test/support/app/second-factor";
import { clock, hourMs } from "../../lib/clock";
import { handedLinkMs, mailedLinkMs } from "../../store/control/password-links";

let app: TestApp;
afterEach(() => app.close());

/** Nothing takes the messages: they wait, and can be read. */
const withMail = {
  ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: "9", SMTP_TLS: "none" },
  ...{ MAIL_FROM: "stats@example.com", PUBLIC_URL: "http://localhost:3000" },
};
const email = "owner@example.com";
const next = "another battery";

const post = async (path: string, body: Json, headers: Record<string, string> = {}) => {
  const answer = await app.send("POST", path, { body, headers, from: elsewhere() });
  const { error, ...rest } = (await answer.json()) as Json;
  return { told: `${answer.status}${error === undefined ? "" : ` ${error}`}`, body: rest };
};
const forgot = async (address: string) => {
  const { told } = await post("/auth/forgot", { email: address });
  await Bun.sleep(5);
  return told;
};
/** The tokens in the messages, oldest first. */
const mailed = (): string[] =>
  app.deps.control.mail
    .newest()
    .filter(({ kind }) => kind === "reset")
    .reverse()
    .map(
      (row) => /reset#(pwt_\w+)/.exec(app.deps.control.mail.letterOf(row)?.text ?? "")?.[1] ?? "",
    );
const reset = async (token = "", secret = next) =>
  (await post("/auth/reset", { token, password: secret })).told;
const enter = async (secret: string) =>
  (await post("/auth/login", { email, password: secret })).told;
const later = (ms: number) => app.setTime(clock.nowMs() + ms);

describe("a forgotten password", () => {
  test("is replaced by a link that works once, logs all browsers out and nobody in", async () => {
    app = await testApp(withMail);
    const ann = await owner(app);
    const elsewhereToo = await logIn(app, email);
    expect(await forgot(` ${email.toUpperCase()}`)).toBe("202");
    const [token = ""] = mailed();
    expect(token).toMatch(/^pwt_[0-9a-f]{48}$/);
    expect(await reset(token, "short")).toBe("400 MISSING_FIELDS");
    const answer = await app.send("POST", "/auth/reset", { body: { token, password: next } });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
    for (const one of [ann, elsewhereToo]) expect((await one.ask("GET", "/account"))[0]).toBe(401);
    expect(await enter(password)).toBe("401 INVALID_CREDENTIALS");
    expect(await enter(next)).toBe("200");
    expect(await reset(token)).toBe("410 RESET_OVER");
    const entries = app.deps.control.db.all<{ action: string }>("select action from audit_entry");
    expect(entries.map(({ action }) => action)).toContain("password_reset");
    expect(app.logged.join("")).not.toContain(token);
  });

  test("is answered alike for every address, and only a log-in gets a message", async () => {
    app = await testApp(withMail);
    const answers = await Promise.all(
      [email, "nobody@example.com", "no address"].map(async (one) => {
        const answer = await app.send("POST", "/auth/forgot", {
          ...{ body: { email: one }, from: elsewhere() },
        });
        const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
        return JSON.stringify([answer.status, await answer.text(), headers]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    await Bun.sleep(5);
    expect(mailed()).toHaveLength(1);
  });

  test("sends three links an hour, of which the newest alone works, for half an hour", async () => {
    app = await testApp(withMail);
    for (let n = 0; n < 4; n++) expect(await forgot(email)).toBe("202");
    expect(mailed()).toHaveLength(3);
    const [first, , third] = mailed();
    expect(await reset(first)).toBe("410 RESET_OVER");
    later(mailedLinkMs - 1);
    expect((await post("/auth/reset", { token: third ?? "", password: "x" })).told).toBe(
      "400 MISSING_FIELDS",
    );
    later(1);
    expect(await reset(third)).toBe("410 RESET_OVER");
    later(hourMs - mailedLinkMs);
    await forgot(email);
    expect(await reset(mailed()[3])).toBe("200");
  });

  test("has no link any more after a change of the password or of the address", async () => {
    app = await testApp(withMail);
    const ann = await owner(app);
    await forgot(email);
    await ann.ask("POST", "/auth/password", { current_password: password, new_password: next });
    expect(await reset(mailed()[0])).toBe("410 RESET_OVER");
    await forgot(email);
    await ann.ask("PATCH", `/admin/accounts/${ann.id}`, { email: "new@example.com" });
    expect(await reset(mailed()[1])).toBe("410 RESET_OVER");
  });

  test("does not turn the second factor off", async () => {
    app = await testApp(withMail);
    const { phone } = await withFactor(app);
    await forgot(email);
    expect(await reset(mailed()[0])).toBe("200");
    const first = await post("/auth/login", { email, password: next });
    expect(first.told).toBe("401 SECOND_FACTOR_REQUIRED");
    const sent = { login_token: first.body.login_token, code: phone.code() };
    expect((await post("/auth/login/second", sent)).told).toBe("200");
  });

  test("is refused to another site's page, and where the server sends no mail", async () => {
    app = await testApp();
    const foreign = { origin: "https://evil.example" };
    expect((await post("/auth/forgot", { email }, foreign)).told).toBe("403 CSRF_FAILED");
    expect((await post("/auth/reset", { token: "a", password: next }, foreign)).told).toBe(
      "403 CSRF_FAILED",
    );
    for (const one of [email, "nobody@example.com"]) {
      expect(await forgot(one)).toBe("503 MAIL_NOT_CONFIGURED");
    }
    expect(await (await app.send("GET", "/auth/state")).json()).toMatchObject({ mail: false });
  });
});

test("an administrator hands over a link for a day, without learning the password", async () => {
  app = await testApp();
  const ann = await owner(app);
  const link = () => ann.ask("POST", `/admin/accounts/${ann.id}/reset-link`);
  const [status, made] = await link();
  expect([status, made.expires_at]).toEqual([
    200,
    new Date(clock.nowMs() + handedLinkMs).toISOString(),
  ]);
  const [base, token] = String(made.url).split("#");
  expect(base).toBe("http://localhost:3000/reset");
  later(handedLinkMs - 1);
  expect(await reset(token)).toBe("200");
  const again = await logIn(app, email, next);
  const [, late] = await again.ask("POST", `/admin/accounts/${ann.id}/reset-link`);
  later(handedLinkMs);
  expect(await reset(String(late.url).split("#")[1])).toBe("410 RESET_OVER");
  expect((await again.ask("POST", "/admin/accounts/acc_nothing/reset-link"))[0]).toBe(404);
});
