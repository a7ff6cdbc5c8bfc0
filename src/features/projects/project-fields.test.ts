import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";

// No test here leaves anything behind that the others mind, so one app serves them all.
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
  await app.makeProject("blog");
});
afterAll(() => app.close());

const body = async (response: Response): Promise<Json> => (await response.json()) as Json;
const call = (method: string, path: string, sent?: Json) =>
  app.send(method, path, { key: app.key, ...(sent === undefined ? {} : { body: sent }) });
const create = (sent: Json) => call("POST", "/projects", sent);
const patch = (name: string, sent: Json) => call("PATCH", `/projects/${name}`, sent);
const refusal = async (response: Response) => {
  const { error, field } = await body(response);
  return [response.status, error, field].filter((part) => part !== undefined);
};

describe("the origins of a new project", () => {
  // Origins are unique in an account, so each project goes when it was looked at.
  afterEach(async () => {
    await call("DELETE", "/projects/p");
  });

  test.each([
    [{ domain: "a.example" }, "https://a.example", "https://a.example"],
    [
      { allowed_origins: "a.example, *.a.example" },
      "https://a.example,https://*.a.example",
      "https://a.example",
    ],
    [
      { allowed_origins: "*.a.example,b.example" },
      "https://*.a.example,https://b.example",
      "https://b.example",
    ],
    [{ allowed_origins: "*,a.example" }, "*", "https://a.example"],
    [{ domain: "a.example", allowed_origins: "*" }, "*", "https://a.example"],
    [
      { domain: "a.example", allowed_origins: "b.example,a.example" },
      "https://a.example,https://b.example",
      "https://a.example",
    ],
  ])("with %j", async (sent, allowed, primary) => {
    const project = await body(await create({ name: "p", ...sent }));
    expect(project).toMatchObject({ allowed_origins: allowed, primary_domain: primary });
  });
});

describe("the request is refused", () => {
  test.each([
    [{ name: "p" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", domain: "" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", allowed_origins: "*" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", allowed_origins: "*.a.example" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", domain: "*" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", domain: "no origin" }, [400, "MISSING_FIELDS", "domain"]],
    [{ name: "p", allowed_origins: "a.example,b b" }, [400, "MISSING_FIELDS", "allowed_origins"]],
    [{ name: "p", allowed_origins: 5 }, [400, "INVALID_BODY", "allowed_origins"]],
    [{ domain: "a.example" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "", domain: "a.example" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "a b", domain: "a.example" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "é", domain: "a.example" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "n".repeat(65), domain: "a.example" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "p", domain: "a.example", source_scan_id: "scan_gone" }, [400, "INVALID_SOURCE_SCAN"]],
  ])("is refused: %j", async (sent, expected) => {
    expect(await refusal(await create(sent))).toEqual([...expected]);
  });
});

describe("the change is refused", () => {
  test.each([
    [{}, [400, "MISSING_FIELDS", "name"]],
    [{ name: null, allowed_origins: null }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "" }, [400, "MISSING_FIELDS", "name"]],
    [{ name: "n".repeat(65) }, [400, "MISSING_FIELDS", "name"]],
    [{ allowed_origins: "" }, [400, "MISSING_FIELDS", "allowed_origins"]],
    [{ allowed_origins: "https://blog.example.com" }, [409, "DUPLICATE_ORIGIN"]],
  ])("is refused: %j", async (sent, expected) => {
    expect(await refusal(await patch("shop", sent))).toEqual([...expected]);
  });
});

describe("the time zone", () => {
  test("is UTC until another is named, and shown wherever the project is", async () => {
    expect(await app.get("/projects/shop")).toMatchObject({ timezone: "UTC" });
    const changed = await body(await patch("shop", { timezone: "america/st_johns" }));
    expect(changed).toMatchObject({ name: "shop", timezone: "America/St_Johns" });
    const { projects } = (await app.get("/projects")) as { projects: readonly Json[] };
    const zones = projects.map(({ timezone }) => timezone);
    // Both were made in the same millisecond: which of them is listed first is left to chance.
    expect(zones.sort()).toEqual(["America/St_Johns", "UTC"]);
    const again = await body(await create({ name: "shop" }));
    expect(again).toMatchObject({ timezone: "America/St_Johns", existing: true });
    await patch("shop", { timezone: "UTC" });
  });
  test.each(["", "Nowhere", "+05:30", "Europe/Berlin ", "../etc/passwd", "x".repeat(65)])(
    "is not %p",
    async (timezone) => {
      const refused = await refusal(await patch("shop", { timezone }));
      expect(refused).toEqual([400, "MISSING_FIELDS", "timezone"]);
    },
  );
});

test("a project tells its first and its last event, and from when on it keeps events", async () => {
  const made = await app.makeProject("times");
  const none = { first_event_at: null, last_event_at: null, retained_from: "2025-01-14" };
  expect(await app.get("/projects/times")).toMatchObject(none);
  const timestamps = [noonMs - 5, noonMs - 86_400_001];
  await app.track(made, ...timestamps.map((timestamp) => ({ event: "a", timestamp })));
  expect(await app.get("/projects/times")).toMatchObject({
    ...{ first_event_at: noonMs - 86_400_001, last_event_at: noonMs - 5 },
    retained_from: "2025-01-14",
  });
  await app.deps.store.forget(made.id, Date.parse("2026-01-14T00:00:00Z"));
  expect(await app.get("/projects/times")).toMatchObject({
    ...{ first_event_at: noonMs - 5, last_event_at: noonMs - 5, retained_from: "2026-01-14" },
  });
});

test.each([
  ["", 7],
  ["?days=1", 1],
  ["?days=0", 1],
  ["?days=-5", 1],
  ["?days=90", 90],
  ["?days=91", 90],
  ["?days=many", 7],
])("usage%s is %d dates", async (query, dates) => {
  expect((await app.get(`/projects/shop/usage${query}`)).usage).toHaveLength(dates);
});

test("may have a name of 64 characters, in every letter that is allowed", async () => {
  expect((await create({ name: "n".repeat(64), domain: "a.example" })).status).toBe(201);
  expect((await create({ name: "A-z_0.9", domain: "b.example" })).status).toBe(201);
});
