import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noonMs } from "../../../test/support/app";
import {
  app,
  bearer,
  body,
  closeShares,
  onPlanA,
  openShares,
  outcome,
  query,
  share,
} from "../../../test/support/shares";
import { minuteMs } from "../../lib/clock";

beforeAll(openShares);
afterAll(closeShares);

describe("a password", () => {
  const form = (path: string, password: string, from = "203.0.113.1") =>
    app.send("POST", path, {
      from,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams({ password }).toString(),
    });

  test("is sent by programs in a header", async () => {
    const { token } = await share({ password: "open sesame" });
    expect(await outcome(await query(token))).toEqual([401, "AUTH_REQUIRED"]);
    const wrong = await query(token, {}, { "x-share-password": "open" });
    expect(await outcome(wrong)).toEqual([401, "INVALID_CREDENTIALS"]);
    for (let twice = 0; twice < 2; twice++) {
      const right = await query(token, {}, { "x-share-password": "open sesame" });
      expect(right.status).toBe(200);
    }
  });

  test("is asked for once by the page, whose cookie then opens this share alone", async () => {
    const { path, token } = await share({ ...onPlanA, password: "open sesame" });
    const other = await share({ password: "another" });
    const asking = await (await app.send("GET", path)).text();
    expect(asking).toContain('type="password"');
    expect(asking).not.toContain("<table>");
    expect((await form(path, "wrong")).status).toBe(401);
    const right = await form(path, "open sesame");
    expect([right.status, right.headers.get("location")]).toEqual([302, path]);
    const set = right.headers.get("set-cookie") ?? "";
    expect(set).toContain("HttpOnly; SameSite=Lax");
    const cookie = set.split(";")[0] ?? "";
    expect(await (await app.send("GET", path, { headers: { cookie } })).text()).toContain(
      "<table>",
    );
    const elsewhere = await app.send("GET", other.path, { headers: { cookie } });
    expect(await elsewhere.text()).not.toContain("<table>");
    const asked = { body: { project: "shop", count_mode: "raw" } };
    const rows = async (headers: Record<string, string>) =>
      (await body(await app.send("POST", "/query", { headers, ...asked }))).rows;
    expect(await rows({ cookie })).toEqual([{ event_count: 2 }]);
    expect(await rows({ cookie, authorization: `Bearer ${token}` })).toEqual([{ event_count: 2 }]);
    const forged = cookie.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const refused = await app.send("POST", "/query", { headers: { cookie: forged }, ...asked });
    expect(await outcome(refused)).toEqual([401, "INVALID_TOKEN"]);
  });

  test("locks a share after ten wrong ones, for that network and 15 minutes", async () => {
    const { path, token } = await share({ password: "open sesame" });
    for (let tries = 0; tries < 10; tries++) expect((await form(path, "no")).status).toBe(401);
    expect((await form(path, "open sesame")).status).toBe(429);
    const program = await app.send("POST", "/query", {
      ...bearer(token, { "x-share-password": "open sesame" }),
      ...{ from: "203.0.113.77", body: { project: "shop" } },
    });
    expect(await outcome(program)).toEqual([429, "RATE_LIMITED"]);
    expect((await form(path, "open sesame", "198.51.100.9")).status).toBe(302);
    app.setTime(noonMs + 15 * minuteMs);
    expect((await form(path, "open sesame")).status).toBe(302);
    app.setTime(noonMs);
  });
});

describe("the page of a share", () => {
  test("says who shares and since when, shows its numbers, and is in no index", async () => {
    const { path } = await share({ ...onPlanA, name: "<i>Agency", frame: ["https://a.example"] });
    const page = await app.send("GET", path);
    const text = await page.text();
    expect(text).toContain("<bdi>shop</bdi>");
    expect(text).toContain("&lt;i&gt;Agency");
    expect(text).toContain("shared by <bdi>owner@example.com</bdi> since 2026-01-14");
    expect(text).toContain("<td>1</td><td>1</td><td>2</td>");
    expect(text).toContain("&lt;b&gt;&amp;");
    expect(text).not.toContain("pay");
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors https://a.example;");
    const unframed = await app.send("GET", (await share()).path);
    expect(unframed.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});
