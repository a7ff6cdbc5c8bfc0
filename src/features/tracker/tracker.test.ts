import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type TestApp, testApp } from "../../../test/support/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

describe("the browser script", () => {
  for (const path of ["/tracker.js", "/tracker.src.js"]) {
    test(`${path} is public, cacheable by everybody, and names its checksum`, async () => {
      const response = await app.send("GET", path);
      expect(response.status).toBe(200);
      const { headers } = response;
      expect(headers.get("content-type")).toBe("application/javascript");
      expect(headers.get("cache-control")).toBe("public, max-age=3600, s-maxage=604800");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("x-agent-analytics-tracker-checksum-algorithm")).toBe("sha256");
      const text = await response.text();
      expect(headers.get("x-agent-analytics-tracker-sha256")).toBe(
        createHash("sha256").update(text).digest("hex"),
      );
      const etag = headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[^"]+"$/);
      const again = await app.send("GET", path, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    });
  }

  test("the served one begins with a comment that names the readable one", async () => {
    const text = await (await app.send("GET", "/tracker.js")).text();
    expect(text).toStartWith("/*/tracker.src.js*/");
  });
});

describe("GET /experiments/config", () => {
  test("lists nothing where no experiment runs, for a minute", async () => {
    const project = await app.makeProject("shop");
    const response = await app.send("GET", `/experiments/config?token=${project.token}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(await response.json()).toEqual({ experiments: [] });
  });

  test("needs a token, and one that is known", async () => {
    expect(await refused("")).toEqual([400, "MISSING_FIELDS"]);
    expect(await refused(`?token=aat_${"0".repeat(48)}`)).toEqual([401, "INVALID_TOKEN"]);
  });

  async function refused(query: string): Promise<unknown[]> {
    const response = await app.send("GET", `/experiments/config${query}`);
    const { error } = (await response.json()) as { error: string };
    return [response.status, error];
  }
});
