import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeHTML } from "entities";
import { type Json, noonMs } from "../../../test/support/app/app";
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
} from "../../../test/support/app/shares";
import { dayMs, minuteMs } from "../../lib/clock";

beforeAll(openShares);
afterAll(closeShares);

const form = (path: string, password: string, from = "203.0.113.1") =>
  app.send("POST", path, {
    from,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    body: new URLSearchParams({ password }).toString(),
  });

describe("a password", () => {
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
    expect(asking).not.toContain("data-share");
    expect((await form(path, "wrong")).status).toBe(401);
    const right = await form(`${path}?page=explore`, "open sesame");
    const led = [right.status, right.headers.get("location")];
    expect(led).toEqual([302, `${path}?page=explore`]);
    const set = right.headers.get("set-cookie") ?? "";
    expect(set).toContain("HttpOnly; SameSite=Lax");
    const cookie = set.split(";")[0] ?? "";
    expect(await (await app.send("GET", path, { headers: { cookie } })).text()).toContain(
      "data-share",
    );
    const elsewhere = await app.send("GET", other.path, { headers: { cookie } });
    expect(await elsewhere.text()).not.toContain("data-share");
    const asked = { body: { project: "shop", count_mode: "raw" } };
    const rows = async (headers: Record<string, string>) =>
      (await body(await app.send("POST", "/query", { headers, ...asked }))).rows;
    expect(await rows({ cookie })).toEqual([{ event_count: 2 }]);
    expect(await rows({ cookie, authorization: `Bearer ${token}` })).toEqual([{ event_count: 2 }]);
    const forged = cookie.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const refused = await app.send("POST", "/query", { headers: { cookie: forged }, ...asked });
    expect(await outcome(refused)).toEqual([401, "INVALID_TOKEN"]);
  });

  test("is asked for again after 30 days", async () => {
    const { path } = await share({ password: "open sesame" });
    const set = (await form(path, "open sesame")).headers.get("set-cookie") ?? "";
    expect(set).toContain("; Max-Age=2592000; ");
    const headers = { cookie: set.split(";")[0] ?? "" };
    const query = () => app.send("POST", "/query", { headers, body: { project: "shop" } });
    app.setTime(noonMs + 30 * dayMs - 1);
    expect((await query()).status).toBe(200);
    app.setTime(noonMs + 30 * dayMs);
    expect((await query()).status).toBe(401);
    expect(await (await app.send("GET", path, { headers })).text()).toContain('type="password"');
    app.setTime(noonMs);
  });

  test("is known by what the page sends: its reads are free, beside another account's session too", async () => {
    const { path, token } = await share();
    const [cookie = ""] = ((await app.send("GET", path)).headers.get("set-cookie") ?? "").split(
      ";",
    );
    const reads = async () => {
      const account = await body(await app.send("GET", "/account", { key: app.key }));
      return (account.usage as Json).reads;
    };
    const before = Number(await reads());
    const session = `${cookie}; sl_session=of-somebody-else`;
    expect((await query(token, {}, { cookie: session })).status).toBe(200);
    expect(await reads()).toBe(before);
    expect((await query(token)).status).toBe(200);
    expect(await reads()).toBe(before + 1);
  });

  test("opens a share after nine wrong ones", async () => {
    const { path } = await share({ password: "open sesame" });
    for (let tries = 0; tries < 9; tries++) expect((await form(path, "no")).status).toBe(401);
    expect((await form(path, "open sesame")).status).toBe(302);
  });

  test("locks a share after ten wrong ones, for that network and 15 minutes", async () => {
    const { path, token } = await share({ password: "open sesame" });
    for (let tries = 0; tries < 10; tries++) expect((await form(path, "no")).status).toBe(401);
    const locked = await form(path, "open sesame");
    expect([locked.status, locked.headers.get("retry-after")]).toEqual([429, "900"]);
    const program = await app.send("POST", "/query", {
      ...bearer(token, { "x-share-password": "open sesame" }),
      ...{ from: "203.0.113.77", body: { project: "shop" } },
    });
    expect(await outcome(program)).toEqual([429, "RATE_LIMITED"]);
    expect((await form(path, "open sesame", "198.51.100.9")).status).toBe(302);
    app.setTime(noonMs + 15 * minuteMs - 1);
    expect((await form(path, "open sesame")).status).toBe(429);
    app.setTime(noonMs + 15 * minuteMs);
    expect((await form(path, "open sesame")).status).toBe(302);
    app.setTime(noonMs);
  });
});

describe("the page of a share", () => {
  test("tells the dashboard who shares what, since when and how much of it, and is in no index", async () => {
    const frame = ["https://a.example"];
    const { path } = await share({ ...onPlanA, name: `<i>"Agency'`, pages: ["events"], frame });
    const page = await app.send("GET", path);
    const [, told = ""] = /<div id="app" data-share="([^"]*)">/.exec(await page.text()) ?? [];
    expect(told).not.toContain("<i>");
    expect(JSON.parse(decodeHTML(told))).toEqual({
      ...{ name: `<i>"Agency'`, project: "shop", timezone: "UTC", owner: "owner@example.com" },
      ...{ since: "2026-01-14", pages: ["events"], filters: onPlanA.filters },
    });
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors https://a.example;");
    const locked = await share({ frame, password: "open sesame" });
    for (const page of [
      await app.send("GET", locked.path),
      await form(locked.path, "no"),
      await form(locked.path, "open sesame"),
    ]) {
      expect(page.headers.get("x-robots-tag")).toBe("noindex");
      expect(page.headers.get("content-security-policy")).toContain(
        "frame-ancestors https://a.example;",
      );
    }
    const unframed = await app.send("GET", (await share()).path);
    expect(unframed.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});
