import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test("a slash at the end of a page's address leads to the page, with its query", async () => {
  for (const [typed, page] of [
    ["/app/", "/app"],
    ["/login/", "/login"],
    ["/setup/?token=a%20b", "/setup?token=a%20b"],
    ["/docs/", "/docs"],
    ["/docs/definitions/", "/docs/definitions"],
    ["/app/settings/", "/app/settings"],
    ["/app/p/shop/", "/app/p/shop"],
    ["/app/p/shop/overview/?period=7d", "/app/p/shop/overview?period=7d"],
  ]) {
    for (const method of ["GET", "HEAD"] as const) {
      const answer = await app.send(method, typed ?? "");
      expect([typed, answer.status, answer.headers.get("location")]).toEqual([typed, 308, page]);
    }
  }
});

test("operations, unknown pages and foreign hosts are not led anywhere", async () => {
  for (const path of ["/stats/", "/nothing/", "/app/nothing/", "//login/", "/login//"]) {
    const answer = await app.send("GET", path);
    expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 404, null]);
  }
  const { status, headers } = await app.send("POST", "/login/");
  expect([status, headers.get("location")]).toEqual([404, null]);
});
