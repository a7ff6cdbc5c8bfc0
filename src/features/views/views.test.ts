import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
});
afterAll(() => app.close());

const send = async (method: string, path: string, body?: Json) => {
  const answer = await app.send(method, path, { key: app.key, body });
  const json = (await answer.json()) as Json;
  return { status: answer.status, json, refusal: [answer.status, json.error, json.field] };
};
const create = (more: Json = {}) =>
  send("POST", "/views", { project: "shop", name: "Germany", address: "/app?c=DE", ...more });

test("a view is kept, listed, changed and deleted", async () => {
  const { status, json } = await create({ name: " Germany " });
  const atNoon = new Date(noonMs).toISOString();
  const view = { name: "Germany", address: "/app?c=DE", created_at: atNoon, updated_at: atNoon };
  expect([status, json]).toMatchObject([201, view]);
  expect(String(json.id)).toMatch(/^view_[a-z0-9]{16}$/);
  const list = async () => (await app.get("/views?project=shop")).views;
  expect(await list()).toEqual([json]);
  app.setTime(noonMs + 1);
  const changed = await send("PATCH", `/views/${json.id}`, { address: "/app?c=FR#top" });
  const later = new Date(noonMs + 1).toISOString();
  expect(changed.json).toEqual({ ...json, address: "/app?c=FR#top", updated_at: later });
  expect((await send("DELETE", `/views/${json.id}`)).json).toEqual({ ok: true, deleted: json.id });
  expect(await list()).toEqual([]);
  expect((await send("DELETE", `/views/${json.id}`)).status).toBe(404);
});

test.each([
  "",
  "app",
  "https://elsewhere.example/",
  "//elsewhere.example/",
  "/\\elsewhere.example/",
  "/\t/elsewhere.example/",
  "javascript:alert(1)",
])("an address is not %p", async (address) => {
  expect((await create({ address })).refusal).toEqual([400, "MISSING_FIELDS", "address"]);
});

test("an address has up to 4,000 characters, which are code points", async () => {
  for (const letter of ["x", "🙂"]) {
    const longest = `/${letter.repeat(3_999)}`;
    const { json } = await create({ address: longest });
    expect(json.address).toBe(longest);
    expect((await send("DELETE", `/views/${json.id}`)).status).toBe(200);
    const refused = await create({ address: `${longest}${letter}` });
    expect(refused.refusal).toEqual([400, "MISSING_FIELDS", "address"]);
  }
});

test("a name has 1 to 120 characters, and a project 200 views", async () => {
  expect((await create({ name: " " })).refusal).toEqual([400, "MISSING_FIELDS", "name"]);
  expect((await create({ name: "x".repeat(121) })).refusal).toEqual([
    400,
    "MISSING_FIELDS",
    "name",
  ]);
  const { json } = await create({ name: "x".repeat(120) });
  const nothing = await send("PATCH", `/views/${json.id}`, {});
  expect(nothing.refusal).toEqual([400, "MISSING_FIELDS", "name"]);
  for (let views = 1; views < 200; views++) expect((await create()).status).toBe(201);
  expect((await create()).refusal).toEqual([400, "MISSING_FIELDS", "project"]);
});
