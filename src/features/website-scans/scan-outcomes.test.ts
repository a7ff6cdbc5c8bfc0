import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  type Answer,
  app,
  type By,
  call,
  closeApp,
  hold,
  network,
  openApp,
  person,
  read,
  refusal,
  scan,
  site,
} from "../../../test/scans/scan-calls";
import { savedSites } from "../../../test/scans/sites";
import { type Json, noonMs, testApp } from "../../../test/support/app/app";
import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { minuteMs } from "../../lib/clock";
import type { Network } from "../../services/page-fetch/network";
import type { ScanRow } from "../../store/control/scan-tables";
import { Scans } from "./scans";

beforeEach(openApp);
afterEach(closeApp);

describe("what cannot be scanned", () => {
  test.each([
    ["http://localhost/", 400, "INVALID_URL"],
    ["https://2130706433/", 400, "INVALID_URL"],
    [`https://example.com/${"a".repeat(2_000)}`, 400, "INVALID_URL"],
    ["", 400, "MISSING_FIELDS"],
    ["https://unknown.example.net/", 502, "SCAN_FAILED"],
    ["https://no-such-site.example.com/", 502, "SCAN_FAILED"],
  ])("%#: %s", async (url, status, code) => {
    expect(refusal(await scan({ url }))).toEqual([status, code]);
    expect(refusal(await scan({ url }, { key: app.key }))).toEqual([status, code]);
  });

  test("is kept as failed, and named in the answer", async () => {
    const { body } = await scan({ url: "https://unknown.example.net/" }, { key: app.key });
    const shown = await read(body.analysis_id, "", { key: app.key });
    expect(shown.body).toMatchObject({ status: "failed", hostname: "unknown.example.net" });
    expect(shown.body).not.toContainAnyKeys(["preview", "result"]);
  });

  test("is everything where the operator has switched scans off", async () => {
    const off = await testApp({ WEBSITE_SCANS: "false" }, savedSites());
    const made = await off.send("POST", "/website-scans", { body: { url: site } });
    expect([made.status, ((await made.json()) as Json).error]).toEqual([403, "FORBIDDEN"]);
    await off.close();
  });

  test("may be a host of the operator's own network, if it is named", async () => {
    const inside: Network = { ...savedSites(), resolve: async () => ["10.0.0.5"] };
    const open = await testApp({ SCAN_ALLOW_HOSTS: `wiki.example.test, ${site}` }, inside);
    const status = async (url: string) =>
      (await open.send("POST", "/website-scans", { body: { url }, key: open.key })).status;
    expect([await status(site), await status("agency.example.com")]).toEqual([200, 400]);
    await open.close();
  });
});

describe("a project begins with a scan", () => {
  test("of the account's own, of a host that it covers", async () => {
    const { body } = await scan({ url: site }, { key: app.key });
    const create = (fields: Json, by: By = { key: app.key }) =>
      call("POST", "/projects", fields, by);
    const source_scan_id = body.analysis_id;
    const elsewhere = { name: "a", domain: "other.test", source_scan_id };
    expect(refusal(await create(elsewhere))).toEqual([400, "INVALID_SOURCE_SCAN"]);
    const covered = { name: "b", domain: `www.${site}`, source_scan_id };
    expect(refusal(await create(covered, await person()))).toEqual([400, "INVALID_SOURCE_SCAN"]);
    const made = await create(covered);
    expect([made.status, made.body.source_scan_id]).toEqual([201, source_scan_id]);
    // A resume token alone never links.
    const anonymous = await scan({ url: "agency.example.com" });
    const linked = {
      name: "c",
      domain: "agency.example.com",
      source_scan_id: anonymous.body.analysis_id,
    };
    expect(refusal(await create(linked))).toEqual([400, "INVALID_SOURCE_SCAN"]);
  });
});

describe("a site that carries our snippet", () => {
  const tracked = async (attributes: string, rest = "") => {
    const page = `<script ${attributes}></script><h1>Shop</h1><a href="/b">B</a>${rest}`;
    const added = savedSites({
      "https://shop.example.com/": page,
      "https://shop.example.com/b": page,
    });
    network.request = added.request;
    const { body } = await scan({ url: "shop.example.com", full: true }, { key: app.key });
    return body;
  };
  const codes = (body: Answer["body"]) => body.installation.problems.map(({ code }) => code);
  const src = 'defer src="http://localhost:3000/tracker.js"';

  test("is told what fits and what does not", async () => {
    const { token } = await app.makeProject("shop");
    const good = `${src} data-project="shop" data-token="${token}"`;
    const first = await tracked(good);
    expect(first.installation).toEqual({
      snippet: `<script ${good}></script>`,
      token_valid: true,
      origin_allowed: true,
      last_event_at: null,
      problems: [{ code: "NO_EVENTS_YET", what_to_do: expect.any(String) }],
    });
    const body = { token, event: "page_view", timestamp: noonMs - minuteMs };
    await app.send("POST", "/track", { body });
    const now = await read(first.analysis_id, "", { key: app.key });
    expect(now.body.installation).toMatchObject({ last_event_at: noonMs - minuteMs, problems: [] });

    expect(codes(await tracked(`${src} data-project="shop"`))).toEqual(["TOKEN_MISSING"]);
    expect(codes(await tracked(`${good.replace("shop", "other")} type="module"`))).toEqual([
      // A module finds its tag.
      "PROJECT_NAME_DIFFERS",
    ]);
    await app.send("PATCH", "/projects/shop", {
      key: app.key,
      body: { allowed_origins: "https://a.test" },
    });
    const moved = await tracked(good);
    expect(codes(moved)).toEqual(["ORIGIN_NOT_ALLOWED"]);
    expect(moved.installation.origin_allowed).toBe(false);
  });

  test("and of another account's token only that it is not theirs", async () => {
    const other = await person();
    const project = { name: "theirs", domain: "shop.example.com" };
    const made = await call("POST", "/projects", project, other);
    const body = await tracked(
      `${src} data-project="theirs" data-token="${made.body.project_token}"`,
    );
    expect(body.installation).toMatchObject({
      token_valid: false,
      origin_allowed: false,
      last_event_at: null,
    });
    const unknown = await tracked(
      `${src} data-project="theirs" data-token="aat_${"0".repeat(48)}"`,
    );
    expect(unknown.installation.problems).toEqual(body.installation.problems);
    expect(codes(body)).toEqual(["TOKEN_NOT_YOURS"]);
  });
});

test("what a coding agent is given holds nothing that a page says", async () => {
  const { body } = await scan({ url: "hostile-text.example.com" });
  expect(JSON.stringify(body.preview)).toContain("IGNORE ALL");
  expect(body.agent_handoff.prompt).not.toMatch(/IGNORE|script/);
  expect(body.agent_handoff.prompt).toContain(body.resume_token);
});

/** The scan that was begun last, as it is stored. */
function newest(): readonly [id: string, status: string] {
  const query = "select id, status from website_scan order by rowid desc limit 1";
  return app.deps.control.db.get(query) as [string, string];
}
const storedStatus = (id: string) => app.deps.control.scans.byId(id)?.status;

describe("a scan whose client has gone", () => {
  test.each([
    ["for an account", (): Record<string, string> => ({ "x-api-key": app.key })],
    ["for nobody", (): Record<string, string> => ({})],
  ])("goes on, and is stored, %s", async (_, headers) => {
    const origin = app.listen();
    const held = hold();
    const left = new AbortController();
    const asked = fetch(`${origin}/website-scans`, {
      method: "POST",
      body: JSON.stringify({ url: "agency.example.com" }),
      headers: headers(),
      signal: left.signal,
    }).catch((error) => error.name);
    await held.holds(1);
    const [id, begun] = newest();
    expect(begun).toBe("running");
    left.abort();
    expect(await asked).toBe("AbortError");
    held.open();
    while (storedStatus(id) === "running") await Bun.sleep(5);
    expect(storedStatus(id)).toBe("succeeded");
    expect(app.logged.filter((line) => line.includes('"error"'))).toEqual([]);
  });
});

describe("a scan that runs when the server stops", () => {
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return "succeeded";
    } catch (error) {
      return error instanceof ApiError ? error.code : String(error);
    }
  };
  const hanging: Network = { ...savedSites(), request: () => new Promise(() => undefined) };
  const url = new URL(`https://${site}/`);

  test("is ended, says so, and has failed after the next start", async () => {
    const scans = new Scans({ ...app.deps, network: hanging });
    const work = codeOf(scans.anonymous(url, "somebody"));
    const [id] = newest();
    await scans.close();
    expect(await work).toBe("UNAVAILABLE");
    expect(storedStatus(id)).toBe("running");
    await new Scans(app.deps).close();
    expect(storedStatus(id)).toBe("failed");
  });

  test("and was to be made full stays the preview that it was, and costs nothing", async () => {
    const { body } = await scan({ url: site }, { key: app.key });
    const id = body.analysis_id;
    const find = () => app.deps.control.scans.byId(id) as ScanRow;
    const { accountId } = find();
    const account = { id: accountId, tier: "free" };
    const scans = new Scans({ ...app.deps, network: hanging });
    const work = codeOf(scans.upgrade({ account } as Caller, find, null));
    while (storedStatus(id) !== "running") await Bun.sleep(1);
    await scans.close();
    expect(await work).toBe("UNAVAILABLE");
    await new Scans(app.deps).close();
    expect(find()).toMatchObject({ status: "succeeded", mode: "authenticated_preview" });
    expect(app.deps.control.scans.fullSince(String(accountId), 0)).toBe(0);
  });

  test("does not keep it from stopping", async () => {
    hold();
    const asked = scan({ url: site }, { key: app.key });
    while (newest()?.[1] !== "running") await Bun.sleep(1);
    await app.close();
    expect(refusal(await asked)).toEqual([503, "UNAVAILABLE"]);
    await openApp();
  });
});

test("no scan creates a session of an agent", async () => {
  await scan({ url: site });
  await scan({ url: site, full: true }, { key: app.key });
  const listed = await call("GET", "/account/agent-sessions", undefined, { key: app.key });
  expect([listed.status, listed.body.sessions]).toEqual([200, []]);
});

test("scans of nobody are kept for 30 days, those of accounts for 365", async () => {
  const { scans } = app.deps.control;
  const anonymous = (await scan({ url: site })).body.analysis_id;
  const owned = (await scan({ url: site }, { key: app.key })).body.analysis_id;
  const forget = (anonymousBeforeMs: number, ownedBeforeMs: number): void =>
    scans.forget({ anonymousBeforeMs, anonymousMax: 1, ownedBeforeMs });
  forget(noonMs, noonMs);
  expect([scans.byId(anonymous), scans.byId(owned)].map((row) => row?.id)).toEqual([
    anonymous,
    owned,
  ]);
  forget(noonMs + 1, noonMs);
  expect([scans.byId(anonymous), scans.byId(owned)].map((row) => row?.id)).toEqual([
    undefined,
    owned,
  ]);
  forget(noonMs + 1, noonMs + 1);
  expect(scans.byId(owned)).toBeUndefined();
});

test("of nobody's scans the newest are kept, and none that failed: anybody can have them made", async () => {
  const { scans } = app.deps.control;
  const made: string[] = [];
  for (const [at, url] of ["agency.example.com", site, "hidden.example.com"].entries()) {
    app.setTime(noonMs + at);
    made.push((await scan({ url })).body.analysis_id);
  }
  const failed = (await scan({ url: "unknown.example.net" })).body.analysis_id;
  const by = { key: app.key };
  const owned = (await scan({ url: "unknown.example.net" }, by)).body.analysis_id;
  scans.forget({ anonymousBeforeMs: 0, anonymousMax: 3, ownedBeforeMs: 0 });
  const kept = () => [...made, failed, owned].map((id) => scans.byId(id) !== undefined);
  expect(kept()).toEqual([false, true, true, false, true]);
  scans.forget({ anonymousBeforeMs: 0, anonymousMax: 1, ownedBeforeMs: 0 });
  expect(kept()).toEqual([false, false, true, false, true]);
});
