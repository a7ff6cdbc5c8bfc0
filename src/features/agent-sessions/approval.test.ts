import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  ask,
  browser,
  callback,
  codeOf,
  poll,
  press,
  seePage,
  textSeen,
  told,
} from "../../../test/support/app/sign-in";
import { withParameters } from "../../domain/oauth";
import { approvalMs, exchangeCodeMs } from "../../store/control/auth-requests";

let app: TestApp;
let other = "";
beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
  other = await signUp("other@example.com");
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const own = "http://localhost:3000";

async function signUp(email: string): Promise<string> {
  const body = { email, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body });
  return (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

describe("an interactive approval", () => {
  test("sends the browser to the callback with the code, its own parameters kept", async () => {
    const asked = await ask(app, { callback_url: `${callback}?state=a%20b&x=+&flag` });
    const answer = await press(app, asked, "approve");
    expect(answer.status).toBe(302);
    const code = codeOf(app, asked);
    expect(code).toMatch(/^aae_[0-9a-f]{48}$/);
    expect(answer.headers.get("location")).toBe(
      `${callback}?state=a%20b&x=+&flag&request_id=${asked.auth_request_id}&exchange_code=${code}`,
    );
  });

  test("is made once", async () => {
    const asked = await ask(app);
    expect((await press(app, asked, "approve")).status).toBe(302);
    const answers = await Promise.all([
      press(app, asked, "approve"),
      press(app, asked, "deny"),
      press(app, asked, "approve", other),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await (await poll(app, asked)).json()) as Json).toMatchObject({ status: "approved" });
  });

  test("takes a form, JSON or nothing, and answers a program with JSON", async () => {
    const headers = { cookie: app.cookie, origin: own };
    for (const body of ["", "{}", "csrf=1&x=y", "not json at all {"]) {
      const { auth_request_id: id } = await ask(app);
      const path = `/agent-sessions/authorize/${id}/approve`;
      expect((await app.send("POST", path, { headers, body })).status).toBe(302);
      const again = await app.send("POST", path, { headers, body });
      expect(await again.json()).toEqual({
        error: "AUTH_REQUEST_ALREADY_EXCHANGED",
        message: "auth request already exchanged",
      });
    }
  });

  test("comes from our own pages, and from a browser that is logged in", async () => {
    const asked = await ask(app);
    const path = `/agent-sessions/authorize/${asked.auth_request_id}`;
    for (const button of ["approve", "deny"]) {
      const send = (headers: Readonly<Record<string, string>>, key?: string) =>
        app.send("POST", `${path}/${button}`, { headers, ...(key === undefined ? {} : { key }) });
      const { cookie } = app;
      expect(await told(await send({}))).toBe("401 AUTH_REQUIRED");
      expect(await told(await send({ cookie: "sl_session=x", origin: own }))).toBe(
        "401 INVALID_TOKEN",
      );
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1:49152"]) {
        expect(await told(await send({ cookie, origin }))).toBe("403 CSRF_FAILED");
      }
      expect(await told(await send({ cookie }))).toBe("403 CSRF_FAILED");
      expect(await told(await send({}, app.key))).toBe("403 FORBIDDEN");
      const page = await send({ ...browser(app), origin: "https://evil.example" });
      expect([page.status, page.headers.get("content-type")]).toEqual([
        403,
        "text/html; charset=utf-8",
      ]);
    }
    expect((await (await poll(app, asked)).json()) as Json).toMatchObject({ status: "pending" });
  });

  test("denied, sends the browser to the callback with an error", async () => {
    const asked = await ask(app, { callback_url: `${callback}?state=x` });
    const answer = await press(app, asked, "deny");
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe(
      `${callback}?state=x&request_id=${asked.auth_request_id}&error=access_denied`,
    );
    expect((await press(app, asked, "approve")).status).toBe(410);
    expect((await press(app, asked, "deny")).status).toBe(410);
  });
});

describe("a detached approval", () => {
  test("shows the finish code, and again until it is used or expires", async () => {
    const asked = await ask(app, { mode: "detached" });
    const shown = async (answer: Response) =>
      /id="finish-code">(aae_[0-9a-f]{48})</.exec(await answer.text())?.[1];
    const first = await press(app, asked, "approve");
    expect(first.status).toBe(200);
    const code = await shown(first);
    expect(code).toBe(codeOf(app, asked));
    expect(await shown(await press(app, asked, "approve"))).toBe(code);
    expect(await shown(await seePage(app, asked))).toBe(code);
    expect(await shown(await seePage(app, asked, other))).toBeUndefined();
    expect((await press(app, asked, "approve", other)).status).toBe(409);
    app.setTime(noonMs + exchangeCodeMs.detached - 1);
    expect(await shown(await seePage(app, asked))).toBe(code);
    app.setTime(noonMs + exchangeCodeMs.detached);
    expect((await seePage(app, asked)).status).toBe(410);
    expect((await press(app, asked, "approve")).status).toBe(410);
  });

  test("denied, is a page", async () => {
    const asked = await ask(app, { mode: "detached" });
    const answer = await press(app, asked, "deny");
    expect(answer.status).toBe(200);
    expect(await textSeen(answer)).toContain("Denied");
    expect(await told(await poll(app, asked))).toBe("410 AUTH_REQUEST_REVOKED");
  });
});

describe("time", () => {
  test.each(["interactive", "detached"] as const)(
    "%s: approval in time or not at all",
    async (mode) => {
      const onTime = await ask(app, { mode });
      const late = await ask(app, { mode });
      expect(onTime.expires_at).toBe(noonMs + approvalMs[mode]);
      app.setTime(onTime.expires_at - 1);
      expect((await press(app, onTime, "approve")).status).toBeLessThan(400);
      app.setTime(late.expires_at);
      expect((await press(app, late, "approve")).status).toBe(410);
      expect((await press(app, late, "deny")).status).toBe(410);
      expect(await told(await poll(app, late))).toBe("410 AUTH_REQUEST_EXPIRED");
    },
  );
});

test("a callback's own parameters of our names give way", () => {
  const added = { request_id: "r&1", error: "x" };
  expect(withParameters("http://localhost/?request_id=old&a=1&%65rror=2", added)).toBe(
    "http://localhost/?a=1&request_id=r%261&error=x",
  );
  expect(withParameters("http://localhost/x?", { error: "x" })).toBe("http://localhost/x?error=x");
  expect(withParameters("http://localhost/?errors=1", { error: "x" })).toBe(
    "http://localhost/?errors=1&error=x",
  );
});
