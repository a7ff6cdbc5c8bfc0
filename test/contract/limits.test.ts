import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyBytesMax } from "../../src/domain/limits";
import { account } from "../../src/store/control/tables";
import { type TestApp, type TestProject, testApp } from "../support/app/app";

describe("the body", () => {
  let app: TestApp;
  let project: TestProject;
  beforeAll(async () => {
    app = await testApp();
    project = await app.makeProject("shop");
  });
  afterAll(() => app.close());

  /** A valid body of exactly the given number of bytes. */
  const sized = (bytes: number) => {
    const body = { token: project.token, event: "visit", ignored: "" };
    return JSON.stringify({ ...body, ignored: "x".repeat(bytes - JSON.stringify(body).length) });
  };

  test("may have 1 MiB, and not a byte more, declared or not", async () => {
    for (const declares of [true, false]) {
      const send = (bytes: number) => {
        const body = sized(bytes);
        const headers = declares ? { "content-length": String(bytes) } : {};
        return app.send("POST", "/track", { body, headers });
      };
      expect((await send(bodyBytesMax)).status).toBe(202);
      const refused = await send(bodyBytesMax + 1);
      expect([refused.status, await refused.json()]).toEqual([
        413,
        {
          error: "PAYLOAD_TOO_LARGE",
          message: "The request body is too large: send at most 1048576 bytes.",
          limit_bytes: 1_048_576,
        },
      ]);
    }
  });

  test("of a GET means nothing, but may have no more either", async () => {
    const ask = (bytes: number) =>
      app.send("GET", "/projects", {
        key: app.key,
        headers: { "content-length": String(bytes) },
      });
    expect((await ask(bodyBytesMax)).status).toBe(200);
    expect((await ask(bodyBytesMax + 1)).status).toBe(413);
  });

  test("is JSON whatever its content type says", async () => {
    const types = [
      "text/plain;charset=UTF-8",
      "application/x-www-form-urlencoded",
      "image/png",
      "",
    ];
    for (const type of types) {
      const call = { body: sized(200), headers: { "content-type": type } };
      expect([type, (await app.send("POST", "/track", call)).status]).toEqual([type, 202]);
    }
  });

  test("may be missing where nothing is required, even with a content type", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await app.send("POST", "/account/revoke-key", { key: app.key, headers });
    expect(answer.status).toBe(200);
  });
});

describe("requests per minute", () => {
  /** Returns how many calls of a kind pass before one is refused, and the answer to that one. */
  async function passes(send: () => Promise<Response>): Promise<readonly [number, Response]> {
    for (let count = 0; ; count++) {
      const answer = await send();
      if (answer.status === 429) return [count, answer];
      if (count > 2_000) throw new Error("nothing was refused");
    }
  }
  const minutesLater = (app: TestApp, minutes: number) =>
    app.setTime(Date.UTC(2026, 0, 14, 12, minutes));

  test("of an account are those of its plan: 1,000 on Pro", async () => {
    const app = await testApp({ RATE_LIMIT_RPM: "" });
    const [count, refused] = await passes(() => app.send("GET", "/projects", { key: app.key }));
    expect(count).toBe(1_000);
    expect(await refused.json()).toMatchObject({
      error: "RATE_LIMITED",
      reason: "rate_limit",
      retry_after_seconds: 60,
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    minutesLater(app, 1);
    expect((await app.send("GET", "/projects", { key: app.key })).status).toBe(200);
    await app.close();
  });

  test("a read that is refused tells the month's usage as any other", async () => {
    const app = await testApp({ RATE_LIMIT_RPM: "2" });
    await app.makeProject("shop");
    const read = () => app.send("GET", "/stats?project=shop", { key: app.key });
    const [, refused] = await passes(read);
    expect(refused.headers.get("x-monthly-usage")).toBe("0");
    expect(refused.headers.get("x-ratelimit-limit")).toBe("2");
    await app.close();
  });

  test("are overridden by RATE_LIMIT_RPM, and 0 is no limit", async () => {
    const limited = await testApp({ RATE_LIMIT_RPM: "3" });
    const [count] = await passes(() => limited.send("GET", "/projects", { key: limited.key }));
    expect(count).toBe(3);
    await limited.close();
    const free = await testApp({ RATE_LIMIT_RPM: "0" });
    for (let i = 0; i < 1_100; i++) {
      const answer = await free.send("GET", "/projects", { key: free.key });
      if (answer.status !== 200) throw new Error(`refused after ${i}`);
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
    }
    await free.close();
  });

  test("of a browser session are 600, apart from those of the key", async () => {
    const app = await testApp({ RATE_LIMIT_RPM: "2" });
    const headers = { cookie: app.cookie };
    const list = () => app.send("GET", "/projects", { headers });
    const [count] = await passes(list);
    expect(count).toBe(600);
    expect((await app.send("GET", "/projects", { key: app.key })).status).toBe(200);
    // Clients look for these words on a Free account.
    app.deps.control.write(() => {
      app.deps.control.db.update(account).set({ tier: "free", complimentary: false }).run();
    });
    expect(((await (await list()).json()) as { message: string }).message).toContain("free plan");
    await app.close();
  });

  test("of sign-in are 10 per address, over all its endpoints together", async () => {
    const app = await testApp({ TRUSTED_PROXIES: "10.0.0.0/8" });
    const body = { email: "nobody@example.com", password: "not the password" };
    const paths = ["/auth/login", "/auth/signup", "/auth/setup"];
    let calls = 0;
    const [count] = await passes(() =>
      app.send("POST", paths[calls++ % 3] ?? "", { body, from: "192.0.2.1" }),
    );
    expect(count).toBe(10);
    const login = (call: object) => app.send("POST", "/auth/login", { body, ...call });
    expect((await login({ from: "192.0.2.2" })).status).toBe(401);
    const behind = { from: "10.0.0.1", headers: { "x-forwarded-for": "192.0.2.1" } };
    expect((await login(behind)).status).toBe(429);
    minutesLater(app, 1);
    expect((await login({ from: "192.0.2.1" })).status).toBe(401);
    await app.close();
  });

  test("of failed log-ins are of one network, however its proxy writes it", async () => {
    const app = await testApp({ TRUSTED_PROXIES: "10.0.0.0/8" });
    const { email, password } = { email: "owner@example.com", password: "correct horse battery" };
    const login = (address: string, word: string) => {
      minutesLater(app, 0);
      const headers = { "x-forwarded-for": address, origin: "http://localhost:3000" };
      const body = { email, password: word };
      return app.send("POST", "/auth/login", { body, from: "10.0.0.1", headers });
    };
    const statuses: number[] = [];
    for (let n = 0; n < 10; n++)
      statuses.push((await login(`192.0.2.1:${5_000 + n}`, "a wrong one")).status);
    expect(statuses).toEqual(Array(10).fill(401));
    minutesLater(app, 1);
    expect((await login("192.0.2.1:6000", password)).status).toBe(429);
    expect((await login("198.51.100.7:6000", password)).status).toBe(200);
    expect((await login("[2a02:db8::1]:443", password)).status).toBe(200);
    await app.close();
  });

  test("of ingestion have no limit, unless INGEST_RPM sets one per token", async () => {
    const app = await testApp({ INGEST_RPM: "5" });
    const shop = await app.makeProject("shop");
    const blog = await app.makeProject("blog");
    const track = ({ token }: TestProject) =>
      app.send("POST", "/track", { body: { token, event: "visit" } });
    const [count, refused] = await passes(() => track(shop));
    expect(count).toBe(5);
    expect(await refused.json()).toMatchObject({ error: "RATE_LIMITED", reason: "rate_limit" });
    expect((await track(blog)).status).toBe(202);
    await app.close();
  });
});
