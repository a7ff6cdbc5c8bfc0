import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { app, call, closeApp, openApp, person, scan, site } from "../../../test/scans/scan-calls";
import { savedSites } from "../../../test/scans/sites";
import { type Json, testApp } from "../../../test/support/app/app";
import type { Caller } from "../../domain/caller";
import type { Network } from "../../services/page-fetch/network";
import type { ScanRow } from "../../store/control/scan-tables";
import { Scans } from "./scans";

beforeEach(openApp);
afterEach(closeApp);

describe("two upgrades of one scan at a time", () => {
  const upgraded = async (network: Network, count: number) => {
    const { body } = await scan({ url: site }, { key: app.key });
    const find = () => app.deps.control.scans.byId(body.analysis_id) as ScanRow;
    const account = { id: String(find().accountId), tier: "free" };
    const scans = new Scans({ ...app.deps, network });
    const works = Array.from({ length: count }, () =>
      scans.upgrade({ account } as Caller, find, null).catch(() => null),
    );
    await Promise.all(works);
    await scans.close();
    return { row: find(), spent: app.deps.control.scans.fullSince(account.id, 0) };
  };

  test("that fail leave the preview that it was, and cost nothing", async () => {
    const down: Network = { ...savedSites(), request: () => Promise.reject(new Error("down")) };
    const { row, spent } = await upgraded(down, 3);
    expect(row).toMatchObject({ status: "succeeded", mode: "authenticated_preview" });
    expect(spent).toBe(0);
  });

  test("that succeed read the site once, and cost one", async () => {
    const saved = savedSites();
    const { row, spent } = await upgraded(saved, 3);
    expect(row).toMatchObject({ status: "succeeded", mode: "full" });
    expect(spent).toBe(1);
    expect(saved.asked.filter((path) => path === "/robots.txt")).toHaveLength(1);
  });
});

test("a long address in another script has its plan, however long it becomes when encoded", async () => {
  const page = "<!doctype html><h1>茶</h1><a href=/cart>カート</a>";
  const request = async () => new Response(page, { headers: { "content-type": "text/html" } });
  const open = await testApp({}, { ...savedSites(), request });
  const url = `https://${site}/${"漢".repeat(1_900)}`;
  const made = await open.send("POST", "/website-scans", { body: { url }, key: open.key });
  const body = (await made.json()) as Json;
  expect([made.status, body.status]).toEqual([200, "succeeded"]);
  expect(String(body.normalized_url).length).toBeGreaterThan(17_000);
  expect(body).toContainKey("preview");
  await open.close();
});

test("a preview of nobody whose upgrade was cut short is nobody's again, for whoever has its token", async () => {
  const { body } = await scan({ url: site });
  const find = () => app.deps.control.scans.byId(body.analysis_id) as ScanRow;
  const request = () => new Promise<Response>(() => undefined);
  const scans = new Scans({ ...app.deps, network: { ...savedSites(), request } });
  const { body: made } = await call("GET", "/account", undefined, await person());
  const account = { id: String((made as unknown as Json).id), tier: "free" };
  const work = scans.upgrade({ account } as Caller, find, null).catch(() => null);
  while (find().status !== "running") await Bun.sleep(1);
  expect(find().accountId).toBe(account.id);
  await scans.close();
  await work;
  await new Scans(app.deps).close();
  expect(find()).toMatchObject({ status: "succeeded", accountId: null, projectId: null });
  const other = await person();
  const { status } = await call(
    "POST",
    `/website-scans/${body.analysis_id}/upgrade`,
    {
      resume_token: body.resume_token,
    },
    other,
  );
  expect(status).toBe(200);
});
