import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type TestApp, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test("the recorder is public, cacheable by everybody, and names its checksum", async () => {
  const response = await app.send("GET", "/replay.js");
  expect(response.status).toBe(200);
  const { headers } = response;
  expect(headers.get("content-type")).toBe("application/javascript");
  expect(headers.get("cache-control")).toBe("public, max-age=3600, s-maxage=604800");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  const text = await response.text();
  expect(headers.get("x-agent-analytics-tracker-sha256")).toBe(
    createHash("sha256").update(text).digest("hex"),
  );
  expect(text).toContain("aaReplay");
});

test("the player is asked about each time, and sent again only when it has changed", async () => {
  const response = await app.send("GET", "/replay-player.js");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(await response.text()).toContain("Skip inactivity");
  const etag = response.headers.get("etag") ?? "";
  const again = await app.send("GET", "/replay-player.js", { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
});
