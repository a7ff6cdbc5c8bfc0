import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../test/support/app/app";
import { dayMs } from "../lib/clock";

let app: TestApp;
let project: TestProject;
let other: TestProject;
let token: string;

beforeAll(async () => {
  app = await testApp();
  project = await app.makeProject("site");
  other = await app.makeProject("other");
  token = project.token;
});
afterAll(() => app.close());

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: Json;
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await app.send("POST", path, { body, headers });
  return { status: response.status, body: (await response.json()) as Json };
}
const track = (event: Json, headers?: Record<string, string>) =>
  post("/track", { token, ...event }, headers);
const batch = (events: readonly Json[], headers?: Record<string, string>) =>
  post("/track/batch", { token, events }, headers);

/** Status, code and the fields that come with it. */
const refused = ({ status, body: { message: _, ...rest } }: Answer) => [status, rest];
const curl = { "user-agent": "curl/8.5.0" };

describe("the order of checks", () => {
  const nobody = `aat_${"0".repeat(48)}`;
  const foreign = { origin: "https://evil.test" };

  test("size, shape, token, origin, sender, fields", async () => {
    const wrong = { token: nobody, event: "", pad: "" };
    const tooLarge = await post(
      "/track",
      { ...wrong, event: 5, pad: "x".repeat(1_048_576) },
      foreign,
    );
    expect(refused(tooLarge)).toEqual([
      413,
      { error: "PAYLOAD_TOO_LARGE", limit_bytes: 1_048_576 },
    ]);
    const shape = await post("/track", { ...wrong, event: 5 }, { ...foreign, ...curl });
    expect(refused(shape)).toEqual([400, { error: "INVALID_BODY", field: "event" }]);
    const unknown = await post("/track", wrong, { ...foreign, ...curl });
    expect(refused(unknown)).toEqual([401, { error: "INVALID_TOKEN" }]);
    const origin = await track({ event: "" }, { ...foreign, ...curl });
    expect(refused(origin)).toEqual([403, { error: "ORIGIN_NOT_ALLOWED" }]);
    expect((await track({ event: "" }, curl)).status).toBe(202);
    expect(refused(await track({ event: "" }))).toEqual([
      400,
      { error: "MISSING_FIELDS", field: "event" },
    ]);
  });

  test("the length of a batch belongs to its shape", async () => {
    const events = Array.from({ length: 101 }, () => ({}));
    const answer = await post("/track/batch", { token: nobody, events });
    expect(refused(answer)).toEqual([400, { error: "BATCH_TOO_LARGE" }]);
  });

  test("a body of exactly 1 MiB is read", async () => {
    const body = JSON.stringify({ token, event: "e", pad: "" });
    const padded = body.replace('"pad":""', `"pad":"${"x".repeat(1_048_576 - body.length)}"`);
    expect(padded).toHaveLength(1_048_576);
    expect((await post("/track", padded)).status).toBe(202);
    expect((await post("/track", `${padded} `)).status).toBe(413);
  });
});

describe("refusals", () => {
  test.each([
    ["/track", "", [400, { error: "INVALID_BODY" }]],
    ["/track", "{", [400, { error: "INVALID_BODY" }]],
    ["/track", "null", [400, { error: "INVALID_BODY" }]],
    ["/track", "[]", [400, { error: "INVALID_BODY" }]],
    ["/track", "{}", [401, { error: "INVALID_TOKEN" }]],
    ["/track", '{"token":""}', [401, { error: "INVALID_TOKEN" }]],
    ["/track", '{"token":"aat_1"}', [401, { error: "INVALID_TOKEN" }]],
    ["/track", '{"token":[]}', [400, { error: "INVALID_BODY", field: "token" }]],
    ["/track/batch", '{"events":[]}', [400, { error: "INVALID_BODY", field: "events" }]],
    ["/track/batch", "{}", [400, { error: "MISSING_FIELDS", field: "events" }]],
    ["/track/batch", '{"events":[5]}', [400, { error: "INVALID_BODY", index: 0 }]],
    ["/track/batch", '{"events":[{"event":"e"}]}', [401, { error: "INVALID_TOKEN", index: 0 }]],
    ["/track/batch", '{"events":[{"token":"aat_1"}]}', [401, { error: "INVALID_TOKEN", index: 0 }]],
    ["/track/batch", '{"token":"aat_1","events":[{}]}', [401, { error: "INVALID_TOKEN" }]],
    ["/identify", '{"traits":5}', [400, { error: "INVALID_BODY", field: "traits" }]],
    ["/identify", '{"user_id":"u"}', [401, { error: "INVALID_TOKEN" }]],
  ])("%s %s", async (path, body, expected) => {
    expect(refused(await post(path, body))).toEqual(expected);
  });

  test("of a hundred thousand open brackets", async () => {
    const answer = await post("/track", "[".repeat(100_000));
    expect(refused(answer)).toEqual([400, { error: "INVALID_BODY" }]);
    const closed = `{"token":"${token}","event":"e","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect([202, 400]).toContain((await post("/track", closed)).status);
  });

  test("of a batch with two projects' tokens", async () => {
    const events = [
      { event: "a", token },
      { event: "b", token: other.token },
    ];
    const answer = await post("/track/batch", { events });
    expect(refused(answer)).toEqual([400, { error: "MIXED_TOKENS", index: 1 }]);
  });

  test("of properties and times name the item", async () => {
    const large = await batch([
      { event: "a" },
      { event: "b", properties: { a: "x".repeat(8_185) } },
    ]);
    expect(refused(large)).toEqual([400, { error: "PROPERTIES_TOO_LARGE", index: 1 }]);
    const old = await batch([{ event: "a", timestamp: noonMs - 30 * dayMs - 1 }]);
    expect(refused(old)).toEqual([400, { error: "INVALID_TIMESTAMP", index: 0 }]);
    const infinite = await post(
      "/track",
      `{"token":"${token}","event":"e","properties":{"a":1e999}}`,
    );
    expect(refused(infinite)).toEqual([400, { error: "INVALID_BODY", field: "properties" }]);
  });

  test("of an origin; the project's own, its www and no origin at all pass", async () => {
    const from = (origin: string) => track({ event: "e" }, { origin });
    expect((await from(`https://${project.name}.example.com`)).status).toBe(202);
    expect((await from(`https://www.${project.name}.example.com`)).status).toBe(202);
    for (const origin of ["https://example.com", "null", `http://${project.name}.example.com`]) {
      expect(refused(await from(origin))).toEqual([403, { error: "ORIGIN_NOT_ALLOWED" }]);
    }
    const link = { token, previous_id: "a", user_id: "b" };
    expect((await post("/identify", link, { origin: "null" })).status).toBe(403);
    expect((await batch([{ event: "e" }], { origin: "null" })).status).toBe(403);
  });

  test("while the server stops: later", async () => {
    app.setStopping(true);
    const response = await app.send("POST", "/track", { body: { token, event: "e" } });
    app.setStopping(false);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ error: "UNAVAILABLE" });
  });
});

test("what the store cannot take is to be sent again, and the owner is told", async () => {
  const closing = await testApp();
  const site = await closing.makeProject("site");
  await closing.deps.store.close();
  const body = { token: site.token, event: "e", events: [{ event: "e" }] };
  for (const path of ["/track", "/track/batch"]) {
    const response = await closing.send("POST", path, { body });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ error: "UNAVAILABLE" });
  }
  expect(await closing.get("/projects/site/arrivals")).toMatchObject({
    stored: 0,
    refused_events: [{ code: "UNAVAILABLE", requests: 2 }],
  });
  await closing.close();
});
