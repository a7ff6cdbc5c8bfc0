import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { addMember } from "../support/app/members";

/** The names that people give to objects, by operation. */
let app: TestApp;
let personId: string;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_ALLOW_HOSTS: "127.0.0.1" });
  await app.makeProject("shop");
  ({ personId } = await addMember(app, { role: "admin", people: true, projects: null }));
});
afterAll(() => app.close());

const send = async (method: string, path: string, body: object) => {
  const answer = await app.send(method, path, { key: app.key, body });
  const json = (await answer.json()) as Json;
  return { status: answer.status, json, refusal: [answer.status, json.error, json.field] };
};

const project = "shop";
const named: readonly (readonly [method: string, path: string, more: () => object])[] = [
  ["POST", "/goals", () => ({ project, event: "pay" })],
  ["POST", "/shares", () => ({ project })],
  ["POST", "/views", () => ({ project, address: "/app" })],
  ["POST", "/alerts", () => ({ project, kind: "goal", event: "pay", count: 1, to: [personId] })],
  ["POST", "/webhooks", () => ({ kind: "signed", url: "http://127.0.0.1:9/hook" })],
  ["POST", "/portfolios", () => ({ slug: "all", projects: [] })],
];
const refused = [400, "MISSING_FIELDS", "name"];
const hostile = ["a\nb", "a\u0000b", "a\u0085b", "a\u2028b", "a\u2029b", "a\u001bb", "a\ud800"];

test.each(named)("%s %s takes one line as a name, in any language", async (method, path, more) => {
  for (const name of hostile) {
    expect([name, (await send(method, path, { ...more(), name })).refusal]).toEqual([
      name,
      refused,
    ]);
  }
  const made = await send(method, path, { ...more(), name: "Größe 尺寸 🙂" });
  expect([made.status, made.json.name]).toEqual([201, "Größe 尺寸 🙂"]);
  if (path === "/shares") return;
  const id = path === "/portfolios" ? "all" : made.json.id;
  const changed = await send("PATCH", `${path}/${id}`, { name: "a\nb" });
  expect(changed.refusal).toEqual(refused);
  expect((await send("PATCH", `${path}/${id}`, { name: "Größe" })).json.name).toBe("Größe");
});

test("no project can have the id of another as its name, because the name would find the other one", async () => {
  const shop = await app.get("/projects/shop");
  const other = await app.makeProject("other");
  const renamed = await send("PATCH", `/projects/${other.id}`, { name: shop.id });
  expect(renamed.refusal).toEqual([409, "DUPLICATE_NAME", undefined]);
  const again = await send("POST", "/projects", { name: shop.id, domain: "x.example.com" });
  expect([again.status, again.json.id, again.json.existing]).toEqual([200, shop.id, true]);
  const free = await send("PATCH", `/projects/${other.id}`, { name: "proj_0000000000000009" });
  expect([free.status, free.json.name]).toEqual([200, "proj_0000000000000009"]);
  expect((await app.get("/projects/proj_0000000000000009")).id).toBe(other.id);
});

test.each([
  ["/alerts", () => ({ kind: "goal", name: "a", event: "pay", count: 1, to: [personId] })],
  ["/reports", () => ({ every: "week", to: [personId] })],
] as const)("%s takes its own filters back after their goal was deleted", async (path, more) => {
  const goal = await send("POST", "/goals", { project, name: `of ${path}`, event: "pay" });
  const filters = [{ session_did: { goal: `of ${path}` } }];
  const { json: made } = await send("POST", path, { project, ...more(), filters });
  const stored = made.filters as Json[];
  expect(stored).toEqual([{ session_did: { goal: goal.json.id } }]);
  expect((await app.send("DELETE", `/goals/${goal.json.id}`, { key: app.key })).status).toBe(200);
  const same = await send("PATCH", `${path}/${made.id}`, { filters: stored });
  expect([same.status, same.json.filters, same.json.goals]).toEqual([200, stored, made.goals]);
  const twice = [...stored, { field: "country", op: "eq", value: "DE" }];
  expect((await send("PATCH", `${path}/${made.id}`, { filters: twice })).status).toBe(200);
  // The name is free, and another alert or report never had the goal.
  const unknown = [404, "GOAL_NOT_FOUND", undefined];
  expect((await send("PATCH", `${path}/${made.id}`, { filters })).refusal).toEqual(unknown);
  expect((await send("POST", path, { project, ...more(), filters: stored })).refusal).toEqual(
    unknown,
  );
  await send("PATCH", `${path}/${made.id}`, { filters: [] });
  expect((await send("PATCH", `${path}/${made.id}`, { filters: stored })).refusal).toEqual(unknown);
});
