import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import packageJson from "../../package.json";
import { type TestApp, testApp } from "../support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test("/health answers without a look at storage", async () => {
  const answer = await app.send("GET", "/health");
  expect(await answer.json()).toEqual({
    status: "ok",
    service: "sightline",
    version: packageJson.version,
  });
});

test("/health/ready says what can be done", async () => {
  const answer = await app.send("GET", "/health/ready");
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { status: "ok", checks: { storage: "ok", queue: "ok", clock: "ok", disk: "ok" } },
  ]);
});

test("/health/ready is 503 while events cannot be stored", async () => {
  const { store } = app.deps;
  const { health } = store;
  for (const failed of ["storage", "queue"] as const) {
    store.health = () => ({ ...health.call(store), [failed]: "failed" });
    const answer = await app.send("GET", "/health/ready");
    const checks = { storage: "ok", queue: "ok", clock: "ok", disk: "ok", [failed]: "failed" };
    expect([answer.status, await answer.json()]).toEqual([503, { status: "unavailable", checks }]);
  }
  store.health = health;
  expect((await app.send("GET", "/health/ready")).status).toBe(200);
});

test("/health/ready is 503 once damage was found in a database that is read after the start", async () => {
  const { fileCheck } = app.deps;
  const status = async () => (await app.send("GET", "/health/ready")).status;
  Object.defineProperty(fileCheck, "foundDamage", { value: true, configurable: true });
  expect(await status()).toBe(503);
  Reflect.deleteProperty(fileCheck, "foundDamage");
  expect(await status()).toBe(200);
});

describe("/metrics", () => {
  const metrics = async (call: Parameters<TestApp["send"]>[2] = {}, of = app) =>
    (await of.send("GET", "/metrics", call)).status;

  test("without a token exist for this machine only", async () => {
    for (const from of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect(await metrics({ from })).toBe(200);
    }
    for (const from of ["192.0.2.1", null]) expect(await metrics({ from })).toBe(404);
    for (const headers of [{ "x-forwarded-for": "127.0.0.1" }, { host: "rebound.example" }]) {
      expect(await metrics({ headers })).toBe(404);
    }
    const answer = await app.send("GET", "/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test("with a token are for those who send it, from anywhere", async () => {
    const guarded = await testApp({ METRICS_TOKEN: "s3cret" });
    const from = "192.0.2.1";
    const sent = (authorization: string) => metrics({ from, headers: { authorization } }, guarded);
    expect(await metrics({ from: "127.0.0.1" }, guarded)).toBe(401);
    for (const wrong of ["Bearer s3cre", "Bearer s3crett", "Bearer", "s3cret", "Basic s3cret"]) {
      expect([wrong, await sent(wrong)]).toEqual([wrong, 401]);
    }
    expect(await sent("Bearer s3cret")).toBe(200);
    await guarded.close();
  });

  test("count requests by route pattern, events, and what was set aside", async () => {
    const project = await app.makeProject("shop");
    await app.track(project, { event: "a" }, { event: "b" });
    const curl = { "user-agent": "curl/8.0" };
    await app.send("POST", "/track", { body: { token: project.token, event: "c" }, headers: curl });
    await app.send("GET", `/projects/${project.id}`, { key: app.key });
    await app.send("GET", "/projects/secret-name", { key: app.key });
    await app.send("GET", "/secret-path");
    const text = await (await app.send("GET", "/metrics")).text();
    for (const line of [
      'sightline_http_requests_total{method="GET",route="/projects/{id}",status="200"} 1',
      'sightline_http_requests_total{method="GET",route="/projects/{id}",status="404"} 1',
      'sightline_http_requests_total{method="other",route="unmatched",status="404"} 1',
      "sightline_events_ingested_total 2",
      'sightline_events_filtered_total{category="automation_script"} 1',
      "sightline_live_connections 0",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).not.toContain("secret");
  });
});

test("what is not there is told to a browser as a page with a way back, to a program as JSON", async () => {
  const page = await app.send("GET", "/app/nothing");
  expect([page.status, page.headers.get("content-type")]).toEqual([
    404,
    "text/html; charset=utf-8",
  ]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("This page does not exist.");
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const other = await app.send("GET", "/nothing", { headers: { accept: browser } });
  expect([other.status, other.headers.get("content-type")]).toEqual([
    404,
    "text/html; charset=utf-8",
  ]);
  const text = await other.text();
  for (const words of ["Page not found", '<a href="/">']) {
    expect(text).toContain(words);
  }
  for (const accept of ["application/json", "*/*", "application/json, text/html;q=0.5"]) {
    const program = await app.send("GET", "/nothing", { headers: { accept } });
    expect([program.status, await program.json()]).toMatchObject([404, { error: "NOT_FOUND" }]);
  }
  const posted = await app.send("POST", "/nothing", { headers: { accept: browser } });
  expect([posted.status, await posted.json()]).toMatchObject([404, { error: "NOT_FOUND" }]);
});
