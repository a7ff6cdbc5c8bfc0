import { afterEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { dayMs } from "../../lib/clock";

const login = { email: "owner@example.com", password: "correct horse battery" };
const publicUrl = "https://stats.example.com";

let app: TestApp;
afterEach(() => app.close());

const status = async (cookie: string) =>
  (await app.send("GET", "/account", { headers: { cookie } })).status;
const logIn = async (): Promise<string> => {
  const answer = await app.send("POST", "/auth/login", { body: login });
  return answer.headers.get("set-cookie") ?? "";
};
const secretOf = (cookie: string): string => /sl_session=(\w+)/.exec(cookie)?.[1] ?? "";
/** The same server, as it goes on under another address. */
const moveTo = (url: string) =>
  Object.assign(app.deps, { config: { ...app.deps.config, publicUrl: url, publicUrlIsSet: true } });

describe("under https the cookie", () => {
  test("has a name that browsers keep for this host", async () => {
    app = await testApp({ PUBLIC_URL: publicUrl });
    const cookie = await logIn();
    expect(cookie).toMatch(
      /^__Host-sl_session=host_[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(await status(cookie.split(";")[0] ?? "")).toBe(200);
    const headers = { cookie: cookie.split(";")[0] ?? "", origin: publicUrl };
    const left = await app.send("POST", "/auth/logout", { headers });
    expect(left.headers.get("set-cookie")).toStartWith("__Host-sl_session=; Max-Age=0; Path=/");
    expect(await status(headers.cookie)).toBe(401);
  });

  test("counts under no other name, which a sibling host could set", async () => {
    app = await testApp({ PUBLIC_URL: publicUrl });
    expect(await status(`sl_session=${secretOf(await logIn())}`)).toBe(401);
  });

  test("is renewed under its name", async () => {
    app = await testApp({ PUBLIC_URL: publicUrl });
    app.setTime(noonMs + dayMs + 1);
    const answer = await app.send("GET", "/auth/state", { headers: { cookie: app.cookie } });
    expect(answer.headers.get("set-cookie")).toStartWith(`${app.cookie}; Max-Age=2592000`);
  });

  test("leaves who logged in before the server had https logged in, until that session ends", async () => {
    app = await testApp();
    moveTo(publicUrl);
    const ask = () => app.send("GET", "/auth/state", { headers: { cookie: app.cookie } });
    app.setTime(noonMs + 29 * dayMs);
    const answer = await ask();
    expect((await answer.json()) as Json).toMatchObject({ authenticated: true });
    expect(answer.headers.get("set-cookie")).toBeNull();
    app.setTime(noonMs + 30 * dayMs);
    expect((await (await ask()).json()) as Json).toMatchObject({ authenticated: false });
  });
});

describe("of several cookies", () => {
  test("the valid one decides, wherever it stands", async () => {
    app = await testApp();
    const stale = `sl_session=${"0".repeat(64)}`;
    for (const order of [
      [stale, app.cookie],
      [app.cookie, stale],
      ["sl_session=", "theme=dark", stale, app.cookie, "sl_session=x"],
    ]) {
      expect([order, await status(order.join("; "))]).toEqual([order, 200]);
    }
    expect(await status([stale, "sl_session=x"].join("; "))).toBe(401);
  });

  test("the host's own comes from https alone, and a planted one beside it changes nothing", async () => {
    app = await testApp();
    const planted = app.cookie;
    moveTo(publicUrl);
    const own = (await logIn()).split(";")[0] ?? "";
    for (const cookie of [`${own}; sl_session=x`, `sl_session=x; ${own}`, `${planted}x; ${own}`]) {
      expect(await status(cookie)).toBe(200);
    }
  });

  test("no more than 16 are looked at", async () => {
    app = await testApp();
    const others = (count: number) => Array.from({ length: count }, (_, n) => `sl_session=${n}`);
    expect(await status([...others(15), app.cookie].join("; "))).toBe(200);
    expect(await status([...others(16), app.cookie].join("; "))).toBe(401);
  });
});
