import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  app,
  cliScan,
  closeApp,
  hold,
  network,
  openApp,
  person,
  read,
  refusal,
  release,
  scan,
  site,
  upgrade,
} from "../../../test/scans/scan-calls";
import { noonMs } from "../../../test/support/app/app";
import { dayMs, hourMs } from "../../lib/clock";

beforeEach(openApp);
afterEach(closeApp);

describe("somebody without an account", () => {
  test("previews the root page of a site, and comes back with the resume token", async () => {
    const { status, body } = await scan({ url: `HTTPS://${site}/pricing?x=1#y` });
    expect(status).toBe(200);
    // This compares a copy, as toMatchObject puts what it is given in place of what it was compared with.
    expect(structuredClone(body)).toMatchObject({
      ok: true,
      analysis_id: expect.stringMatching(/^scan_[a-z0-9]{16}$/),
      status: "succeeded",
      mode: "anonymous_preview",
      normalized_url: `https://${site}/`,
      hostname: site,
      project_id: null,
      cached: false,
      resume_token: expect.stringMatching(/^rst_[0-9a-f]{48}$/),
      preview: { framing: "fastest_path_to_useful_analytics", hostname: site },
      created_at: noonMs,
    });
    expect(body).not.toContainAnyKeys(["result", "installation"]);
    expect(network.asked).toEqual(["/"]);
    const again = await read(body.analysis_id, `?resume_token=${body.resume_token}`);
    const { resume_token: _, ...shown } = body;
    expect(again.body).toEqual(shown as typeof body);
    expect(refusal(await read(body.analysis_id))).toEqual([404, "NOT_FOUND"]);
    const wrong = `?resume_token=rst_${"0".repeat(48)}`;
    expect(refusal(await read(body.analysis_id, wrong))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await read(body.analysis_id, "", { key: app.key }))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await read("scan_unknown", wrong))).toEqual([404, "NOT_FOUND"]);
  });

  test("is told to sign in for more", async () => {
    for (const more of [{ full: true }, { mode: "full" }, { project: "shop" }]) {
      expect(refusal(await scan({ url: site, ...more }))).toEqual([401, "AUTH_REQUIRED"]);
    }
    expect(refusal(await cliScan({ url: site }))).toEqual([401, "AUTH_REQUIRED"]);
    expect((await scan({ url: site, full: false, mode: "preview", project: null })).status).toBe(
      200,
    );
  });

  test("gets the preview of the last 24 hours again, whoever asked for it", async () => {
    const first = await scan({ url: site }, { from: "192.0.2.1" });
    app.setTime(noonMs + dayMs - 1);
    const second = await scan({ url: `http://${site}/docs` }, { from: "192.0.2.2" });
    expect(second.body).toMatchObject({ cached: true, analysis_id: first.body.analysis_id });
    expect(second.body).not.toHaveProperty("resume_token");
    expect(second.body.agent_handoff.resume_token).toBeNull();
    expect(network.asked.length).toBe(1);
    app.setTime(noonMs + dayMs);
    const third = await scan({ url: site });
    expect(third.body).toMatchObject({ cached: false });
    expect(third.body.preview).toEqual(first.body.preview);
  });

  test("scans five times an hour from one address", async () => {
    const names = ["shop-start", "shop-german", "blog-post", "docs-page", "agency", "hidden"];
    const urls = names.map((name) => `${name}.example.com`);
    for (const url of urls.slice(0, 5)) expect((await scan({ url })).status).toBe(200);
    const sixth = await scan({ url: urls[5] ?? "" });
    expect([...refusal(sixth), sixth.retryAfter]).toEqual([429, "SCAN_BUSY", "3600"]);
    // A known scan costs nothing, and other addresses have an hour of their own.
    expect((await scan({ url: urls[0] ?? "" })).body.cached).toBe(true);
    expect((await scan({ url: urls[5] ?? "" }, { from: "192.0.2.7" })).status).toBe(200);
    app.setTime(noonMs + hourMs);
    expect((await scan({ url: "empty.example.com" })).status).toBe(200);
  });

  test("that fails uses none of the five; sixty that fail are enough for an hour", async () => {
    const missing = (count: number) => scan({ url: `missing-${count}.example.com` });
    for (let count = 0; count < 59; count++) {
      expect(refusal(await missing(count))).toEqual([502, "SCAN_FAILED"]);
    }
    expect((await scan({ url: site })).status).toBe(200);
    expect(refusal(await missing(59))).toEqual([502, "SCAN_FAILED"]);
    const over = await missing(60);
    expect([...refusal(over), over.retryAfter]).toEqual([429, "SCAN_BUSY", "3600"]);
    expect(refusal(await scan({ url: "agency.example.com" }))).toEqual([429, "SCAN_BUSY"]);
    expect((await scan({ url: "hidden.example.com" }, { from: "192.0.2.7" })).status).toBe(200);
    app.setTime(noonMs + hourMs);
    expect((await scan({ url: "agency.example.com" })).status).toBe(200);
  });

  test("runs one scan at a time, and all together two", async () => {
    const held = hold();
    const first = scan({ url: "agency.example.com" }, { from: "192.0.2.1" });
    await held.holds(1);
    expect(refusal(await scan({ url: site }, { from: "192.0.2.1" }))).toEqual([429, "SCAN_BUSY"]);
    const second = scan({ url: "hidden.example.com" }, { from: "192.0.2.2" });
    await held.holds(2);
    expect(refusal(await scan({ url: site }, { from: "192.0.2.3" }))).toEqual([429, "SCAN_BUSY"]);
    held.open();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect((await scan({ url: site }, { from: "192.0.2.3" })).status).toBe(200);
  });
});

describe("an account", () => {
  test("previews the page it names, or reads the site in full, and reads it again", async () => {
    const preview = await scan({ url: `https://${site}/` }, { key: app.key });
    expect(preview.body).toMatchObject({ mode: "authenticated_preview", cached: false });
    expect(preview.body).not.toContainAnyKeys(["result", "resume_token"]);
    for (const full of [{ full: true }, { mode: "full" }, { full: false, mode: "full" }]) {
      const whole = await scan({ url: "site-full.example.com", ...full }, { key: app.key });
      expect(whole.body).toMatchObject({ mode: "full", status: "succeeded" });
      expect(whole.body).toContainAllKeys([...Object.keys(preview.body), "result"]);
      expect((await read(whole.body.analysis_id, "", { key: app.key })).body).toEqual(whole.body);
      expect(refusal(await read(whole.body.analysis_id, "", await person()))).toEqual([
        404,
        "NOT_FOUND",
      ]);
    }
  });

  test("names a project that covers the host", async () => {
    await app.post("/projects", {
      name: "quill",
      domain: "example.com",
      allowed_origins: "https://*.example.com",
    });
    await app.post("/projects", { name: "other", domain: "other.test" });
    const made = await scan({ url: site, project: "quill" }, { key: app.key });
    expect(made.body.project_id).toMatch(/^proj_/);
    const by = { key: app.key };
    expect(refusal(await scan({ url: site, project: "other" }, by))).toEqual([403, "FORBIDDEN"]);
    expect(refusal(await scan({ url: site, project: "none" }, by))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await scan({ url: "http://10.0.0.1", project: "none" }, by))).toEqual([
      404,
      "NOT_FOUND",
    ]);
  });

  test("needs a project on the command line, unless it is complimentary", async () => {
    const owner = await cliScan(
      { url: site, full: null, mode: null, project: null },
      { key: app.key },
    );
    expect(owner.status).toBe(200);
    const refused = await cliScan({ url: site }, await person());
    expect(refusal(refused)).toEqual([400, "MISSING_FIELDS"]);
    expect(refused.body).toMatchObject({
      field: "project",
      message: expect.stringContaining("project required"),
    });
  });

  test("makes three full scans a month on the free plan, whatever runs at the same time", async () => {
    const by = await person();
    const full = (url: string) => scan({ url, full: true }, by);
    expect((await full("site-full.example.com")).status).toBe(200);
    // A scan that fails uses nothing.
    expect(refusal(await full("unknown.example.net"))).toEqual([502, "SCAN_FAILED"]);
    expect((await full("site-full.example.com")).status).toBe(200);
    const held = hold();
    const last = full("site-full.example.com");
    await held.holds(1);
    const refused = await full("agency.example.com");
    expect(refusal(refused)).toEqual([429, "SCAN_QUOTA_REACHED"]);
    expect(Number(refused.retryAfter)).toBe((Date.UTC(2026, 1, 1) - noonMs) / 1_000);
    held.open();
    expect((await last).status).toBe(200);
    release();
    expect((await scan({ url: site }, by)).status).toBe(200);
    app.setTime(Date.UTC(2026, 1, 1));
    expect((await full("agency.example.com")).status).toBe(200);
  });

  test("runs two at a time", async () => {
    const held = hold();
    const by = { key: app.key };
    const running = [scan({ url: site }, by), scan({ url: site }, by)];
    await held.holds(2);
    const third = await scan({ url: site }, by);
    expect([...refusal(third), third.retryAfter]).toEqual([429, "SCAN_BUSY", "10"]);
    held.open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a preview is taken over", () => {
  test("with its token, by one account, which alone sees the rest of it", async () => {
    const made = await scan({ url: "site-full.example.com" });
    const { analysis_id: id, resume_token } = made.body;
    const [one, two] = [await person(), await person()];
    expect(refusal(await upgrade(id, {}, one))).toEqual([404, "NOT_FOUND"]);
    const held = hold();
    const both = [upgrade(id, { resume_token }, one), upgrade(id, { resume_token }, two)];
    await held.holds(1);
    held.open();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
    expect(answers[0]?.body).toMatchObject({
      analysis_id: id,
      mode: "full",
      preview: made.body.preview,
    });
    const stranger = await read(id, `?resume_token=${resume_token}`);
    expect(stranger.body.preview).toEqual(made.body.preview);
    expect(stranger.body).not.toContainAnyKeys(["result", "installation"]);
    // Again costs nothing and asks for nothing.
    const asked = network.asked.length;
    const again = await upgrade(id, { resume_token: null, project: null }, one);
    expect(again.body.result).toEqual(answers[0]?.body.result ?? {});
    expect(network.asked.length).toBe(asked);
  });

  test("or stays what it was when that fails", async () => {
    const made = await scan({ url: site });
    const { analysis_id: id, resume_token } = made.body;
    const { resolve } = network;
    app.deps.network.resolve = async () => ["10.0.0.1"];
    expect(refusal(await upgrade(id, { resume_token }, { key: app.key }))).toEqual([
      400,
      "UNSAFE_URL",
    ]);
    app.deps.network.resolve = resolve;
    expect(refusal(await read(id, "", { key: app.key }))).toEqual([404, "NOT_FOUND"]);
    const shown = await read(id, `?resume_token=${resume_token}`);
    expect(shown.body).toMatchObject({ status: "succeeded", preview: made.body.preview });
    expect((await upgrade(id, { resume_token }, { key: app.key })).status).toBe(200);
  });
});
