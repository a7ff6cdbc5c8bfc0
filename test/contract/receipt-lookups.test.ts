import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

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
