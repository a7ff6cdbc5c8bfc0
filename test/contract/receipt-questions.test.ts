import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

interface Told {
  readonly receipt: {
    readonly filters: unknown;
    readonly request: { readonly body: Json };
    readonly body_sha256: string;
  };
}

test("a receipt names the ids that were looked up, not the address or the id that was sent", async () => {
  const email = "grace@example.org";
  const traits = { email };
  const ids = ["grace", "grace at home"];
  await app.track(shop, ...ids.map((user_id) => ({ event: "page_view", user_id })));
  for (const user_id of ids) {
    const told = { token: shop.token, previous_id: `before ${user_id}`, user_id, traits };
    await app.post("/identify", told);
  }
  const found = (...value: string[]) => ({ field: "user_id", op: "in", value });
  const isView = { field: "event", op: "eq", value: "page_view" };
  const asked = { project: "shop", user_id: "before grace" };
  const filtersOf = async (path: string, body: Json) => {
    const sent = { key: app.key, body: { ...body, receipt: true } };
    const response = await app.send("POST", path, sent);
    const { receipt } = (await response.json()) as { receipt: { filters: unknown } };
    // What strangers have sent is declared wherever it stands.
    expect(response.headers.get("x-untrusted-fields")).toContain("receipt.filters");
    return receipt.filters;
  };
  for (const path of ["/events/lookup", "/journey/lookup", "/query"]) {
    expect([path, await filtersOf(path, asked)]).toEqual([path, [found("grace")]]);
    const all = [found(...ids)];
    expect([path, await filtersOf(path, { project: "shop", email })]).toEqual([path, all]);
  }
  const both = { ...asked, filters: [isView], compare: "previous", date_from: "2d" };
  expect(await filtersOf("/query", both)).toEqual([isView, found("grace")]);
  const queries = [{ filters: [isView] }, { email }];
  expect(await filtersOf("/query", { project: "shop", queries })).toEqual([
    [isView],
    [found(...ids)],
  ]);
});

test("a receipt tells filters as they can be sent again, and a query with all its defaults", async () => {
  const ofQuery = async (body: Json) => {
    const sent = { key: app.key, body: { ...body, receipt: true } };
    const { receipt } = (await (await app.send("POST", "/query", sent)).json()) as Told;
    return { receipt };
  };
  const filters = [
    { did_not: "buy" },
    {
      any: [
        { field: "country", op: "is_null" },
        { did: "page_view", filters: [{ field: "properties.n", op: "not_null" }] },
      ],
    },
  ];
  const { receipt } = await ofQuery({ project: "shop", filters });
  expect(receipt.filters).toEqual(filters);
  expect(receipt.request.body).toMatchObject({
    metrics: ["event_count"],
    group_by: [],
    count_mode: "session_then_user",
    order_by: "event_count",
    order: "desc",
    limit: 100,
  });
  const again = await ofQuery({
    ...receipt.request.body,
    filters: receipt.filters,
  });
  expect(again.receipt.body_sha256).toBe(receipt.body_sha256);
  const several = await ofQuery({ project: "shop", queries: [{}] });
  expect(Object.keys(several.receipt.request.body ?? {}).sort()).toEqual(["project", "queries"]);
});
