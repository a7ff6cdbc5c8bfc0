import { afterEach, beforeEach, expect, test } from "bun:test";
import { bodyBytesMax } from "../../src/domain/limits";
import { type Call, type TestApp, testApp } from "../support/app/app";

/** Each test sends a request that is wrong in everything, and puts one thing right after the other. */
let app: TestApp;
const perMinute = 40;
beforeEach(async () => {
  app = await testApp({ RATE_LIMIT_RPM: `${perMinute}` });
});
afterEach(() => app.close());

async function refusal(method: string, path: string, call: Call): Promise<string> {
  const answer = await app.send(method, path, call);
  const { error, field } = (await answer.json()) as { error?: string; field?: string };
  return [answer.status, error, field].filter((part) => part !== undefined).join(" ");
}

const tooLong = "x".repeat(bodyBytesMax + 1);

test("of an account operation: route, size, credential, rate, plan, shape, project, fields, cap", async () => {
  await app.makeProject("shop");
  const spend = async () => {
    for (let left = perMinute; left > 0; ) {
      const answer = await app.send("GET", "/projects", { key: app.key });
      left = Number(answer.headers.get("x-ratelimit-remaining"));
    }
  };
  const query = (call: Call) => refusal("POST", "/query", call);
  expect(await refusal("PUT", "/query", { body: tooLong })).toBe("405 METHOD_NOT_ALLOWED");
  expect(await query({ body: tooLong })).toBe("413 PAYLOAD_TOO_LARGE");
  expect(await query({ body: "{" })).toBe("401 AUTH_REQUIRED");
  expect(await query({ body: "{", key: "aak_wrong" })).toBe("401 INVALID_TOKEN");
  await spend();
  expect(await query({ body: "{", key: app.key })).toBe("429 RATE_LIMITED");
  app.setTime(Date.UTC(2026, 0, 14, 12, 1));
  expect(await query({ body: "{", key: app.key })).toBe("400 INVALID_BODY");
  expect(await query({ body: "[]", key: app.key })).toBe("400 INVALID_BODY");
  const wrong = { limit: "ten", order: "up" };
  expect(await query({ body: wrong, key: app.key })).toBe("400 INVALID_BODY limit");
  expect(await query({ body: { order: "up" }, key: app.key })).toBe("400 PROJECT_REQUIRED");
  expect(await query({ body: { order: "up", project: "shed" }, key: app.key })).toBe(
    "404 NOT_FOUND",
  );
  const fields = { order: "up", project: "shop" };
  expect(await query({ body: fields, key: app.key })).toBe("400 MISSING_FIELDS order");
  expect(await query({ body: { ...fields, order: "asc" }, key: app.key })).toBe("200");
});

test("of a read in the query string: the project comes before all other fields", async () => {
  await app.makeProject("shop");
  const stats = (path: string, call: Call = {}) => refusal("GET", `/stats?${path}`, call);
  expect(await stats("groupBy=year&key=aak_wrong")).toBe("401 INVALID_TOKEN");
  expect(await stats("groupBy=year")).toBe("401 AUTH_REQUIRED");
  expect(await stats(`groupBy=year&key=${app.key}`)).toBe("400 PROJECT_REQUIRED");
  expect(await stats(`groupBy=year&project=&key=${app.key}`)).toBe("400 PROJECT_REQUIRED");
  expect(await stats(`groupBy=year&project=shed&key=${app.key}`)).toBe("404 NOT_FOUND");
  expect(await stats(`groupBy=year&project=shop&key=${app.key}`)).toBe(
    "400 MISSING_FIELDS groupBy",
  );
  expect(await stats(`since=soon&project=shop&key=${app.key}`)).toBe("400 MISSING_FIELDS since");
  expect(await stats(`groupBy=week&project=shop&key=${app.key}`)).toBe("200");
});

test("of ingestion: size, shape, token, and the fields last", async () => {
  const { token } = await app.makeProject("shop");
  const track = (body: unknown, headers: Record<string, string> = {}) =>
    refusal("POST", "/track", { body, headers });
  const foreign = { origin: "https://elsewhere.example" };
  expect(await track(tooLong)).toBe("413 PAYLOAD_TOO_LARGE");
  expect(await track("{")).toBe("400 INVALID_BODY");
  expect(await track({ token: "aat_wrong" }, foreign)).toBe("401 INVALID_TOKEN");
  expect(await track({ token }, foreign)).toBe("403 ORIGIN_NOT_ALLOWED");
  expect(await track({ token }, { "user-agent": "curl/8.0" })).toBe("202");
  expect(await track({ token })).toBe("400 MISSING_FIELDS event");
  expect(await track({ token, event: "visit" })).toBe("202");
});

test("a stop refuses what was not read before it", async () => {
  await app.makeProject("shop");
  app.setStopping(true);
  for (const [method, path] of [
    ["GET", "/health"],
    ["GET", "/stats?project=shop"],
    ["POST", "/track"],
    ["GET", "/login"],
  ] as const) {
    const answer = await app.send(method, path, {
      key: app.key,
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "1"]);
  }
});
