import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

describe("/docs/api", () => {
  test("is a page that loads nothing from elsewhere", async () => {
    const page = await app.send("GET", "/docs/api");
    const html = await page.text();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const loads = /<(?!a )[^>]*(?:src|href)="([^"]+)"/g;
    const loaded = [...html.matchAll(loads)].map(([, url = ""]) => url);
    expect(loaded.length).toBeGreaterThan(4);
    for (const url of loaded.filter((one) => one !== "data:,")) {
      expect(url).toMatch(/^[\w.-]+$/);
      const file = await app.send("GET", `/docs/${url}`);
      expect([url, file.status]).toEqual([url, 200]);
      expect((await file.text()).length).toBeGreaterThan(50);
    }
    expect(await (await app.send("GET", "/docs/start.js")).text()).toContain(
      'url: "../openapi.json"',
    );
  });

  test("shows the version of the product, as /health does, beside that of the interface", async () => {
    expect(await app.get("/health")).toMatchObject({ version });
    expect(await app.get("/openapi.json")).toMatchObject({ info: { version: "1.0.0" } });
    const html = await (await app.send("GET", "/docs/api")).text();
    expect(html).toContain(`version ${version}, interface version 1.0.0`);
  });
});
