import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { arrivalsKeptMs } from "../../services/ingest-diagnostics";

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
  project = await app.makeProject("site");
});
afterAll(() => app.close());

interface NotStored {
  readonly remedy: string;
}
interface Arrivals {
  readonly stored: number;
  readonly automated: readonly (NotStored & { actor: string })[];
  readonly refused_origins: readonly NotStored[];
  readonly refused_events: readonly (NotStored & { code: string; field: string | null })[];
}
const arrivals = async (): Promise<Arrivals> =>
  (await app.get(`/projects/${project.id}/arrivals`)) as unknown as Arrivals;
const send = (event: object, headers: Record<string, string> = {}) =>
  app.send("POST", "/track", { body: { token: project.token, ...event }, headers });

test("before anything arrived there is nothing to tell", async () => {
  expect(await app.get("/projects/site/arrivals")).toEqual({
    project_id: project.id,
    first_event_at: null,
    last_event_at: null,
    stored: 0,
    automated: [],
    refused_origins: [],
    refused_events: [],
  });
});

describe("each cause comes with what to do about it", () => {
  test.each([
    ["curl/8.5.0", /curl -A/],
    ["Mozilla/5.0 HeadlessChrome/126", /normal browser/],
    ["acme", /name\/version/],
    ["Mozilla/5.0 (compatible; Googlebot/2.1)", /need not do anything/],
  ])("an automated request of %s", async (agent, remedy) => {
    await send({ event: "e" }, { "user-agent": agent });
    expect((await arrivals()).automated[0]?.remedy).toMatch(remedy);
  });

  test.each([
    ["https://staging.test", /allowed origins/],
    ["null", /has no origin/],
  ])("the origin %s", async (origin, remedy) => {
    await send({ event: "e" }, { origin });
    expect((await arrivals()).refused_origins[0]?.remedy).toMatch(remedy);
  });

  test.each([
    [{}, "MISSING_FIELDS", "event", /"event"/],
    [{ event: 5 }, "INVALID_BODY", "event", /"event"/],
    [{ event: "e", timestamp: 5 }, "INVALID_TIMESTAMP", null, /clock/],
  ])("%j", async (event, code, field, remedy) => {
    await send(event);
    await expectNewest({ code, field }, remedy);
  });
  test("an event whose properties are too large", async () => {
    await send({ event: "e", properties: { a: "x".repeat(9_000) } });
    await expectNewest({ code: "PROPERTIES_TOO_LARGE", field: null }, /8,192/);
  });
  const expectNewest = async (wanted: object, remedy: RegExp): Promise<void> => {
    const [newest] = (await arrivals()).refused_events;
    expect(newest).toMatchObject(wanted);
    expect(newest?.remedy).toMatch(remedy);
  };
});

test("what a sender wrote in the place of an origin does not come back, and soon nothing does", async () => {
  await send({ event: "e" }, { origin: `https://<script>${"x".repeat(4_000)}` });
  expect((await arrivals()).refused_origins[0]).toMatchObject({ origin: "(no origin)" });
  app.setTime(noonMs + arrivalsKeptMs + 1);
  expect(await arrivals()).toMatchObject({
    automated: [],
    refused_origins: [],
    refused_events: [],
  });
  app.setTime(noonMs);
});

test("it is told to the project's owner only", async () => {
  const path = `/projects/${project.id}/arrivals`;
  expect((await app.send("GET", path)).status).toBe(401);
  expect((await app.send("GET", "/projects/nothing/arrivals", { key: app.key })).status).toBe(404);
  const body = { email: "other@example.com", password: "correct horse battery" };
  const signUp = await app.send("POST", "/auth/signup", { body });
  const cookie = (signUp.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  expect((await app.send("GET", path, { headers: { cookie } })).status).toBe(403);
  expect((await app.send("GET", path, { headers: { cookie: app.cookie } })).status).toBe(200);
});
