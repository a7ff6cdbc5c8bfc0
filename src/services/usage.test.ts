import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Json, noonMs, type TestApp, testApp } from "../../test/support/app/app";
import { identifyCaller } from "../http/auth/caller";
import { openUsage } from "./usage";

let app: TestApp;
let cookie = "";
let key = "";
let accountId = "";

const body = async (response: Response): Promise<Json> => (await response.json()) as Json;
const asOwner = (method: string, path: string, sent?: Json) =>
  app.send(method, path, {
    headers: { cookie, origin: "http://localhost:3000" },
    ...(sent === undefined ? {} : { body: sent }),
  });

/** A second account, on Free, with a project and a key: the first one is complimentary. */
beforeEach(async () => {
  app = await testApp({ REGISTRATION: "open", DEFAULT_TIER: "free" });
  const login = { email: "free@example.com", password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body: login });
  cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
  ({ id: accountId } = (await body(made)).account as { id: string });
  ({ api_key: key } = (await body(await asOwner("POST", "/account/api-key"))) as {
    api_key: string;
  });
});
afterEach(() => app.close());

const makeProject = async (name: string) => {
  const made = await body(await asOwner("POST", "/projects", { name, domain: `${name}.example` }));
  return { id: String(made.id), name, token: String(made.project_token) };
};
/** Stands in for a month of reads. */
const countRead = (reads: number) => {
  const request = new Request("http://localhost:3000/", { headers: { "x-api-key": key } });
  const caller = identifyCaller(app.deps, request);
  for (let n = 0; n < reads && caller !== null; n++) app.deps.usage.countRead(caller, null);
};
const read = () => app.send("GET", "/stats?project=shop", { key });
const monthly = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-monthly-")));

describe("reads of the free plan", () => {
  test("are 500 a month: the last one is answered, the next is not", async () => {
    await makeProject("shop");
    countRead(499);
    expect((await read()).status).toBe(200);
    const refused = await read();
    expect(refused.status).toBe(403);
    expect(await body(refused)).toMatchObject({
      error: "PRO_REQUIRED",
      reason: "read_cap",
      upgrade_url: "http://localhost:3000/account/billing",
    });
    expect(monthly(refused)).toMatchObject({ "x-monthly-reads": "500" });
    expect((await app.send("GET", "/projects", { key })).status).toBe(200);
    expect((await asOwner("GET", "/stats?project=shop")).status).toBe(200);

    app.setTime(Date.UTC(2026, 1, 1));
    expect((await read()).status).toBe(200);
  });

  test("are told in the headers, with what events have used", async () => {
    const shop = await makeProject("shop");
    await app.track(shop, ...Array.from({ length: 7 }, () => ({ event: "a" })));
    expect(monthly(await read())).toEqual({
      "x-monthly-usage": "7",
      "x-monthly-limit": "100000",
      "x-monthly-usage-percent": "0.01",
      "x-monthly-reads": "1",
      "x-monthly-reads-limit": "500",
    });
    expect(monthly(await asOwner("GET", "/stats?project=shop"))).toEqual({
      "x-monthly-usage": "7",
      "x-monthly-limit": "100000",
      "x-monthly-usage-percent": "0.01",
    });
    expect(monthly(await app.send("GET", "/projects", { key }))).toEqual({});
  });

  test("of several questions in one request are counted all, or none", async () => {
    const request = new Request("http://localhost:3000/", { headers: { "x-api-key": key } });
    const caller = identifyCaller(app.deps, request);
    if (caller === null) throw new Error("The key is nobody's.");
    const { usage } = app.deps;
    usage.countRead(caller, null, 490);
    expect(() => usage.countRead(caller, null, 11)).toThrow(
      "This request needs 11 reads; 10 of your",
    );
    expect(usage.ofMonth(accountId).reads).toBe(490);
    usage.countRead(caller, null, 10);
    expect(usage.ofMonth(accountId).reads).toBe(500);
    expect(() => usage.countRead(caller, null)).toThrow("has used all 500 reads");
  });

  test("a refused request is no read", async () => {
    await makeProject("shop");
    await app.send("GET", "/stats?project=nowhere", { key });
    await app.send("GET", "/stats?project=shop&since=never", { key });
    expect(monthly(await read())).toMatchObject({ "x-monthly-reads": "1" });
  });
});

test("Pro sees what it has used, and no limits", async () => {
  await app.makeProject("shop");
  const answer = await app.send("GET", "/stats?project=shop", { key: app.key });
  expect(monthly(answer)).toEqual({ "x-monthly-usage": "0" });
});

describe("counted reads", () => {
  const stored = () => app.deps.control.readCounts.ofMonth(accountId, "2026-01");

  test("are written once a second, not with each read", async () => {
    await makeProject("shop");
    await read();
    expect(stored()).toBe(0);
    await read();
    while (stored() < 2) await Bun.sleep(20);
    expect(stored()).toBe(2);
  });

  test("wait, and fail no read, while control.db cannot be written", async () => {
    await makeProject("shop");
    const other = new Database(join(app.dataDir, "control.db"));
    other.run("begin immediate");
    await read();
    app.deps.usage.flush();
    await read();
    app.deps.usage.flush();
    expect(
      app.logged.filter((line) => line.includes("could not write the read counts")),
    ).toHaveLength(1);
    expect(stored()).toBe(0);
    other.run("rollback");
    other.close();
    app.deps.usage.flush();
    expect(stored()).toBe(2);
    expect(monthly(await read())).toMatchObject({ "x-monthly-reads": "3" });
  });

  test("go on where they stopped after a restart", async () => {
    const shop = await makeProject("shop");
    await app.track(shop, { event: "a" }, { event: "b" });
    await read();
    app.deps.usage.flush();
    const again = await openUsage({
      ...{ control: app.deps.control, publicUrl: () => app.deps.config.publicUrl },
      received: app.deps.store.receivedEvents.bind(app.deps.store),
    });
    expect(again.ofMonth(accountId)).toEqual({ month: "2026-01", events: 2, reads: 1 });
    again.close();
  });
});

describe("events of the free plan", () => {
  /** This number stands in for a month of traffic. */
  const used = (events: number) => {
    app.deps.usage.reserveEvents(accountId, events);
    app.deps.usage.countEvents(accountId, events, events);
  };
  const track = (token: string, count: number) =>
    app.send("POST", "/track/batch", {
      body: { token, events: Array.from({ length: count }, () => ({ event: "a" })) },
    });

  test("a batch that crosses the month's limit is refused whole, one that fits is stored", async () => {
    const { token } = await makeProject("shop");
    used(99_990);
    const refused = await track(token, 11);
    expect(refused.status).toBe(429);
    const refusal = await body(refused);
    expect(refusal).toMatchObject({ error: "RATE_LIMITED", reason: "monthly_event_limit" });
    expect(refusal.message).toContain("free plan");
    expect(refused.headers.get("retry-after")).toBe(
      String((Date.UTC(2026, 1, 1) - noonMs) / 1_000),
    );
    expect((await track(token, 10)).status).toBe(202);
    expect((await track(token, 1)).status).toBe(429);
  });

  test("many at once store exactly what is left", async () => {
    const { token } = await makeProject("shop");
    used(99_950);
    const answers = await Promise.all(Array.from({ length: 20 }, () => track(token, 5)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(app.deps.usage.ofMonth(accountId).events).toBe(100_000);
  });

  test("repeats of an event_id and refused events take no room", async () => {
    const { token } = await makeProject("shop");
    used(99_998);
    const send = (more: Json) =>
      app.send("POST", "/track", { body: { token, event: "a", event_id: "one", ...more } });
    await send({});
    await send({});
    expect((await send({ timestamp: 5 })).status).toBe(400);
    expect(app.deps.usage.ofMonth(accountId).events).toBe(99_999);
    expect((await send({ event_id: "two" })).status).toBe(202);
    expect((await send({ event_id: "three" })).status).toBe(429);
  });
});
