import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test("a log line has method, route pattern, status, duration and request id", async () => {
  const project = await app.makeProject("shop");
  await app.send("GET", `/projects/${project.id}`, {
    key: app.key,
    headers: { "x-request-id": "mine-7" },
  });
  const line = app.logged
    .map((text) => JSON.parse(text))
    .findLast((one) => one.request_id === "mine-7");
  expect(line).toEqual({
    time: "2026-01-14T12:00:00.000Z",
    level: "info",
    message: "request",
    method: "GET",
    route: "/projects/{id}",
    status: 200,
    duration_ms: expect.any(Number),
    request_id: "mine-7",
  });
});

test("nothing a client sends is logged: paths, queries, headers, bodies, addresses", async () => {
  const secret = "zebra";
  const body = { token: `aat_${secret}`, event: secret, properties: { [secret]: secret } };
  const headers = {
    "user-agent": `Mozilla/5.0 (${secret}) Firefox/140.0`,
    referer: `https://${secret}.example/`,
    origin: `https://${secret}.example`,
    cookie: `sl_session=${secret}`,
    "x-request-id": `${secret} `.repeat(2),
    "x-forwarded-for": secret,
  };
  const from = "203.0.113.77";
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ["GET", `/${secret}`],
    ["GET", `/stats?project=${secret}&${secret}=1`],
    ["GET", `/projects/${secret}`],
    ["PATCH", `/projects/${secret}`, body],
    ["POST", "/track", body],
    ["POST", "/track", `{"${secret}`],
    ["POST", "/track/batch", { events: [body] }],
    ["POST", "/identify", body],
    ["POST", "/query", { project: secret }],
    ["POST", "/auth/login", { email: `${secret}@example.com`, password: secret.repeat(3) }],
    [secret.toUpperCase(), "/stats"],
  ];
  for (const key of [undefined, app.key, `aak_${secret}`]) {
    for (const [method, path, sent] of calls) {
      const given = sent === undefined ? {} : { body: sent };
      const { cookie: _, ...withoutCookie } = headers;
      const credential = key === undefined ? { headers } : { key, headers: withoutCookie };
      await app.send(method, path, { ...credential, ...given, from });
    }
  }
  const log = app.logged.join("\n");
  expect(app.logged.length).toBeGreaterThan(10);
  expect(log.toLowerCase()).not.toContain(secret);
  expect(log).not.toContain(from);
  expect(log).not.toContain(app.key);
});

test("a fault says nothing to the client, and leads to its place in the log", async () => {
  const broken = await testApp();
  const health = broken.deps.store.health;
  broken.deps.store.health = () => {
    throw new Error("the disk of zebra@example.com burns");
  };
  const answer = await broken.send("GET", "/health/ready", { headers: { "x-request-id": "f-1" } });
  broken.deps.store.health = health;
  const text = await answer.text();
  expect([answer.status, JSON.parse(text).error]).toEqual([500, "INTERNAL_ERROR"]);
  expect(text).not.toContain("zebra");
  const lines = broken.logged.filter((one) => one.includes("f-1") && one.includes('"error"'));
  expect(lines.length).toBe(1);
  expect(lines[0]).toContain("logs.test.ts");
  expect(broken.logged.join("\n")).not.toContain("zebra");
  await broken.close();
});
