import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { eventually } from "../../../test/support/suite/eventually";
import { dayMs } from "../../lib/clock";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.track(shop, { event: "first" });
});
afterEach(() => app.close());

const open = (call: object = { key: app.key }, project = shop.id) =>
  app.open(`/export?project=${project}`, call);

async function eventsIn(answer: Response): Promise<string[]> {
  const lines = (await answer.text()).trimEnd().split("\n");
  return lines.slice(1, -1).map((line) => JSON.parse(line).event);
}

test("an export is of the moment at which it began", async () => {
  const before = await open();
  await app.track(shop, { event: "second" });
  const after = await open();
  expect(await eventsIn(before)).toEqual(["first"]);
  expect(await eventsIn(after)).toEqual(["first", "second"]);
});

test("an account has two exports at a time: one that ended, or whose client went away, makes room", async () => {
  const [first, second] = [await open(), await open()];
  const third = await open();
  expect([third.status, third.headers.get("retry-after")]).toEqual([429, "30"]);
  expect(await third.json()).toMatchObject({ error: "EXPORT_BUSY" });
  await first.body?.cancel();
  const again = await open();
  expect(await eventsIn(second)).toEqual(["first"]);
  expect(await eventsIn(await open())).toEqual(["first"]);
  expect(await eventsIn(again)).toEqual(["first"]);
});

/** More than sockets hold. */
async function storeMuch(): Promise<void> {
  const many = Array.from({ length: 100 }, () => ({
    event: "large",
    properties: { text: "x".repeat(7_000) },
  }));
  for (let batch = 0; batch < 12; batch++) await app.track(shop, ...many);
}

test("an export that cannot go on fails at its client: it does not look like a whole one", async () => {
  await storeMuch();
  await storeMuch();
  const url = `${app.listen()}/export?project=${shop.id}`;
  const answer = await fetch(url, { headers: { "x-api-key": app.key } });
  await Bun.sleep(200);
  await app.deps.store.close();
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test("a client that hangs up ends the export", async () => {
  await storeMuch();
  const origin = app.listen();
  const leave = new AbortController();
  const url = `${origin}/export?project=${shop.id}`;
  const get = (signal?: AbortSignal) =>
    fetch(url, { headers: { "x-api-key": app.key }, ...(signal && { signal }) });
  const held = [await get(leave.signal), await get(leave.signal)];
  expect(held.map(({ status }) => status)).toEqual([200, 200]);
  const busy = await get();
  expect(busy.status).toBe(429);
  await busy.body?.cancel();
  leave.abort();
  await eventually(async () => expect((await eventsIn(await get())).length).toBe(1_201));
});

test("a store that closes ends its exports, and none begins then", async () => {
  const answer = await open();
  await app.deps.store.close();
  expect((await open()).status).toBe(503);
  await answer.body?.cancel();
});

test("a deleted project is exported by its id for 30 days, by its owner alone", async () => {
  await app.send("DELETE", `/projects/${shop.id}`, { key: app.key });
  expect(await eventsIn(await open())).toEqual(["first"]);
  expect(await eventsIn(await open({ headers: { cookie: app.cookie } }))).toEqual(["first"]);
  expect((await open({ key: app.key }, "shop")).status).toBe(404);
  app.setTime(noonMs + 31 * dayMs);
  expect((await open()).status).toBe(404);
});
