import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
});
afterAll(() => app.close());
beforeEach(async () => {
  app.setTime(noonMs);
  for (const { id } of await list()) await send("DELETE", `/goals/${id}`);
});

const send = async (method: string, path: string, body?: Json) => {
  const answer = await app.send(method, path, { key: app.key, body });
  const json = (await answer.json()) as Json;
  return { status: answer.status, json, refusal: [answer.status, json.error, json.field] };
};
const create = (more: Json = {}) =>
  send("POST", "/goals", { project: "shop", name: "Order", event: "buy", ...more });
const list = async () => (await app.get("/goals?project=shop")).goals as Json[];
const invalid = (field: string) => [400, "MISSING_FIELDS", field];

test("a goal is created, listed, changed and deleted", async () => {
  const filters = [
    { field: "country", op: "in", value: ["DE", "AT"] },
    { field: "properties.plan", op: "not_null" },
  ];
  const value = { property: "amount", currency: "EUR" };
  const { status, json } = await create({
    ...{ name: " Order ", filters, value, once_per: "order_id" },
  });
  const at = new Date(noonMs).toISOString();
  expect([status, { ...json, id: "", project_id: "" }]).toEqual([
    201,
    {
      ...{ id: "", project_id: "", name: "Order", event: "buy", page: null, filters, value },
      ...{ once_per: "order_id", created_at: at, updated_at: at },
    },
  ]);
  expect(String(json.id)).toMatch(/^goal_[a-z0-9]{16}$/);
  expect(await list()).toEqual([json]);
  app.setTime(noonMs + 1);
  const later = new Date(noonMs + 1).toISOString();
  const asPage = await send("PATCH", `/goals/${json.id}`, { page: "/thanks" });
  expect(asPage.json).toEqual({ ...json, event: null, page: "/thanks", updated_at: later });
  const cleared = { value: null, once_per: null, filters: [] };
  const bare = await send("PATCH", `/goals/${json.id}`, { ...cleared, event: "pay" });
  expect(bare.json).toEqual({ ...json, ...cleared, event: "pay", updated_at: later });
  expect((await send("PATCH", `/goals/${json.id}`, { name: "ORDER" })).json.name).toBe("ORDER");
  expect((await send("DELETE", `/goals/${json.id}`)).json).toEqual({ ok: true, id: json.id });
  expect(await list()).toEqual([]);
});

test("goals are listed oldest first, those of one moment by id", async () => {
  const ids: string[] = [];
  for (const name of ["c", "a", "b"]) ids.push(String((await create({ name })).json.id));
  app.setTime(noonMs - 1_000);
  const oldest = String((await create({ name: "d" })).json.id);
  expect((await list()).map(({ id }) => id)).toEqual([oldest, ...ids.sort()]);
});

test("a name has 1 to 64 characters after trimming", async () => {
  expect((await create({ name: " " })).refusal).toEqual(invalid("name"));
  for (const letter of ["x", "🙂"]) {
    const { json } = await create({ name: ` ${letter.repeat(64)} ` });
    expect(json.name).toBe(letter.repeat(64));
    expect((await create({ name: letter.repeat(65) })).refusal).toEqual(invalid("name"));
  }
  for (const character of ["\ud800", "\n", "\0", "\u007f", "\u0085", "\u2028"]) {
    expect((await create({ name: `a${character}b` })).refusal).toEqual(invalid("name"));
  }
  const { json } = await create({ name: " a b\u200d🙂\n" });
  expect(json.name).toBe("a b\u200d🙂");
  const renamed = await send("PATCH", `/goals/${json.id}`, { name: "a\tb" });
  expect(renamed.refusal).toEqual(invalid("name"));
});

test("a name is taken whatever its case, by another goal of the project alone", async () => {
  const { json } = await create({ name: "Größe" });
  expect((await create({ name: "GRÖSSE" })).status).toBe(201);
  const taken = await create({ name: " gRÖßE " });
  expect(taken.refusal).toEqual([409, "GOAL_NAME_TAKEN", undefined]);
  const other = await create({ name: "other" });
  const renamed = await send("PATCH", `/goals/${other.json.id}`, { name: "größe" });
  expect(renamed.refusal).toEqual([409, "GOAL_NAME_TAKEN", undefined]);
  expect((await send("PATCH", `/goals/${json.id}`, { name: "GRÖßE" })).status).toBe(200);
  await app.makeProject("blog");
  expect((await create({ project: "blog", name: "Größe" })).status).toBe(201);
});

test.each<readonly [Json, string]>([
  [{ event: undefined }, "event"],
  [{ page: "/thanks" }, "page"],
  [{ event: "" }, "event"],
  [{ event: "x".repeat(257) }, "event"],
  [{ event: undefined, page: "" }, "page"],
  [{ event: undefined, page: "/".repeat(257) }, "page"],
  [{ value: { property: "amount", currency: "eur" } }, "value.currency"],
  [{ value: { property: "amount", currency: "ABC" } }, "value.currency"],
  [{ filters: Array(6).fill({ field: "country", op: "eq", value: "DE" }) }, "filters"],
  [{ filters: [{ field: "country", op: "eq", value: null }] }, ""],
])("%j is refused", async (more, field) => {
  const { refusal } = await create(more);
  const codes = field === "" ? [400, "INVALID_FILTER_FIELD", undefined] : invalid(field);
  expect(refusal).toEqual(codes);
});

test.each<Json>([
  { event: "x".repeat(256) },
  { event: undefined, page: "/".repeat(256) },
  { filters: Array(5).fill({ field: "country", op: "eq", value: "DE" }) },
  { value: { property: "amount" } },
  { value: { property: "amount", currency: "JPY" } },
  { value: null, once_per: null, page: null, filters: null },
])("%j is accepted", async (more) => {
  expect((await create(more)).status).toBe(201);
});

describe("filters are conditions on the event's own fields", () => {
  test.each<Json>([
    { field: "session.source", op: "eq", value: "Google" },
    { field: "user.first_source", op: "eq", value: "Google" },
    { any: [{ field: "country", op: "eq", value: "DE" }] },
    { did: "buy" },
    { did_not: "buy" },
    { session_did: "buy" },
    { session_did_not: "buy" },
    { field: "plan", op: "eq", value: "pro" },
  ])("so %j is refused", async (filter) => {
    const { json, status } = await create({ filters: [filter] });
    expect([status, json.error]).toEqual([400, "INVALID_FILTER_FIELD"]);
  });

  test.each(["event", "date", "country", "timestamp", "properties.plan"])(
    "%s is one",
    async (field) => {
      const filters = [{ field, op: "gt", value: 5 }];
      expect((await create({ filters })).json.filters).toEqual(filters);
    },
  );

  const visitorFields = ["user_id", "session_id"];
  test.each(visitorFields.flatMap((field) => ["is_null", "not_null"].map((op) => ({ field, op }))))(
    "%j is one, as it names nobody",
    async (filter) => {
      expect((await create({ filters: [filter] })).json.filters).toEqual([filter]);
    },
  );

  test.each(visitorFields)("%s may not single out a visitor", async (field) => {
    for (const [op, value] of [["eq", "u1"] as const, ["in", ["u1"]] as const]) {
      const { json, status } = await create({ filters: [{ field, op, value }] });
      expect([status, json.error]).toEqual([400, "INVALID_FILTER_FIELD"]);
      expect(json.message).toContain("is_null and not_null");
    }
  });

  test("and an unknown operator and key are refused by their codes", async () => {
    const operator = await create({ filters: [{ field: "country", op: "like", value: "D" }] });
    expect(operator.refusal).toEqual([400, "INVALID_FILTER_OP", undefined]);
    const key = await create({ filters: [{ field: "properties.a-b", op: "eq", value: "D" }] });
    expect(key.refusal).toEqual([400, "INVALID_PROPERTY_KEY", "filters[0].field"]);
    for (const [name, sent] of [
      ["once_per", { once_per: "order id" }],
      ["value.property", { value: { property: "a.b" } }],
    ] as const) {
      expect((await create(sent)).refusal).toEqual([400, "INVALID_PROPERTY_KEY", name]);
    }
  });
});

test("a project can have 30 goals", async () => {
  for (let made = 0; made < 30; made++) {
    expect((await create({ name: `goal ${made}` })).status).toBe(201);
  }
  expect((await create()).refusal).toEqual(invalid("project"));
});

test("a path that names no goal is refused, and a change without a field", async () => {
  for (const [method, body] of [["PATCH", { name: "x" }], ["DELETE"]] as const) {
    const { json, status } = await send(method, "/goals/goal_0000000000000000", body);
    expect([status, json.error, json.goals]).toEqual([404, "GOAL_NOT_FOUND", undefined]);
  }
  const { json } = await create();
  expect((await send("PATCH", `/goals/${json.id}`, {})).refusal).toEqual(invalid("name"));
  const both = await send("PATCH", `/goals/${json.id}`, { event: "a", page: "/b" });
  expect(both.refusal).toEqual(invalid("page"));
});

test("the goals of a deleted project are gone with it", async () => {
  const { id } = await app.makeProject("old");
  const { json } = await create({ project: "old" });
  expect((await send("DELETE", `/projects/${id}`)).status).toBe(200);
  expect((await send("PATCH", `/goals/${json.id}`, { name: "x" })).json.error).toBe(
    "GOAL_NOT_FOUND",
  );
});

test("a share sees names alone", async () => {
  const { json } = await create({ value: { property: "amount", currency: "EUR" } });
  const { json: share } = await send("POST", "/shares", { project: "shop", name: "for Bo" });
  const token = String(share.url).split("/").at(-1);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await app.send("GET", "/goals?project=shop", { headers });
  expect(await answer.json()).toEqual({
    ...{ project: "shop", goals: [{ id: json.id, name: "Order" }] },
  });
});
