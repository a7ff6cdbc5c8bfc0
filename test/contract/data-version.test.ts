import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { definitionsVersion } from "../../src/domain/definitions-version";
import { siteTableVersion } from "../../src/domain/sources/site-table";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import {
  opening,
  type Recorder,
  recorded,
  recordedProject,
  startRecording,
} from "../support/app/recording";

const dayMs = 86_400_000;

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  blog = await app.makeProject("blog");
});
afterAll(() => app.close());

describe("the version of the data", () => {
  const versions = async (paths: readonly string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const path of paths) {
      const { headers } = await app.send("GET", path, { key: app.key });
      found.push(Number(headers.get("x-data-version")));
    }
    return found;
  };

  test("is on every read, of a portfolio's people and of an account too, and grows", async () => {
    const paths = ["/stats?project=shop", "/journey?project=blog&user_id=u1", "/account/all-sites"];
    const grow = async (name: string, work: () => Promise<unknown>) => {
      const before = await versions([...paths, "/live?project=shop", "/experiments?project=shop"]);
      await work();
      const after = await versions([...paths, "/live?project=shop", "/experiments?project=shop"]);
      return { name, grew: after.map((version, at) => Math.sign(version - (before[at] ?? 0))) };
    };
    const track = (project: TestProject) => app.track(project, { event: "x", event_id: "same" });
    const patch = (path: string, body: Json) => app.send("PATCH", path, { key: app.key, body });
    const rename = (at: number) =>
      patch(`/projects/${blog.id}`, { timezone: ["UTC", "Asia/Tokyo"][at] });
    expect(await grow("nothing", async () => undefined)).toMatchObject({ grew: [0, 0, 0, 0, 0] });
    expect(await grow("event", () => track(shop))).toMatchObject({ grew: [1, 0, 1, 1, 1] });
    expect(await grow("repeat", () => track(shop))).toMatchObject({ grew: [0, 0, 0, 0, 0] });
    expect(await grow("other", () => track(blog))).toMatchObject({ grew: [0, 1, 1, 0, 0] });
    const portfolio = { slug: "ours", name: "Ours", projects: ["shop", "blog"] };
    expect(await grow("joined", () => app.post("/portfolios", portfolio))).toMatchObject({
      grew: [1, 1, 1, 1, 1],
    });
    await app.track(shop, { event: "y" });
    expect(await grow("member", () => app.track(blog, { event: "y" }))).toMatchObject({
      grew: [1, 1, 1, 1, 1],
    });
    expect(await grow("zone of a member", () => rename(1))).toMatchObject({
      grew: [1, 1, 1, 1, 1],
    });
    const leaving = () => patch("/portfolios/ours", { projects: ["blog"] });
    expect(await grow("left", leaving)).toMatchObject({ grew: [1, 1, 1, 1, 1] });
    const end = () => app.send("DELETE", "/portfolios/ours", { key: app.key });
    expect(await grow("ended", end)).toMatchObject({ grew: [0, 1, 1, 0, 0] });
    const third = await app.makeProject("third");
    await app.track(third, { event: "z" });
    const remove = () => app.send("DELETE", `/projects/${third.id}`, { key: app.key });
    expect(await grow("deleted", remove)).toMatchObject({ grew: [0, 0, 1, 0, 0] });
    const forget = () => app.deps.store.forget(shop.id, noonMs - 5 * dayMs);
    expect(await grow("forgotten", forget)).toMatchObject({ grew: [1, 0, 1, 1, 1] });
    const { receipt } = await app.get("/stats?project=shop&since=9d&receipt=true");
    expect(receipt).toMatchObject({ retained_from: "2026-01-09" });
    expect((receipt as { caveats: string[] }).caveats).toContain("retention_clips");
  });

  test("grows with every change of recordings, of the reads of their project and of the account", async () => {
    const seen = await recordedProject(app, "seen");
    const other = await recordedProject(app, "unseen");
    for (const project of [seen, other]) {
      await app.track(project, { event: "page_view", user_id: "ann", session_id: "s1" });
    }
    const paths = ["/sessions?project=seen", "/stats?project=seen", "/account/all-sites"];
    const unseen = "/sessions?project=unseen";
    const shown = new Map<string | null, string>();
    /** There is one answer per version. */
    const look = async () => {
      const answer = await app.send("GET", "/sessions?project=seen", { key: app.key });
      const version = answer.headers.get("x-data-version");
      const body = await answer.text();
      expect(shown.get(version) ?? body).toBe(body);
      shown.set(version, body);
    };
    const grow = async (name: string, work: () => Promise<unknown>) => {
      await look();
      const before = await versions([...paths, unseen]);
      await work();
      await look();
      const after = await versions([...paths, unseen]);
      expect([name, ...after.map((one, at) => Math.sign(one - (before[at] ?? 0)))]).toEqual([
        ...[name, 1, 1, 1, 0],
      ]);
    };
    const begun: Recorder[] = [];
    await grow("started", async () => begun.push(await startRecording(app, seen, "s1")));
    await grow("segment", async () => begun[0]?.segment(0, opening()));
    await grow("finished", async () => begun[0]?.finish());
    await app.deps.replays.tend();
    await look();
    await grow("next", () => recorded(app, seen, "s1"));
    await grow("sealed", async () => {
      // The round that sealing belongs to was begun by the end of the recording.
      await recorded(app, seen, "s1");
      await app.deps.replays.tend();
    });
    await grow("deleted", async () => {
      const body = { project: "seen", session_id: "s1" };
      await app.send("DELETE", `/replays?${new URLSearchParams(body)}`, { key: app.key });
    });
    await app.deps.replays.tend();
    await recorded(app, seen, "s1");
    await app.deps.replays.tend();
    await grow("too old", () => app.deps.replays.forget(seen.id, noonMs + dayMs));
    expect(JSON.stringify([...shown.values()])).toContain("has_replay");
  });

  test("is exposed to browsers, and on CSV, streams and calls without data too", async () => {
    const csv = await app.send("GET", "/stats?project=shop&format=csv", { key: app.key });
    const stream = await app.open("/stream?project=shop", { key: app.key });
    await stream.body?.cancel();
    for (const { headers } of [csv, stream]) {
      expect(headers.get("x-data-version")).toMatch(/^\d+$/);
      expect(headers.get("x-definitions")).toBe(definitionsVersion);
      for (const name of ["X-Definitions", "X-Data-Through", "X-Data-Version"]) {
        expect(headers.get("access-control-expose-headers")?.split(", ")).toContain(name);
      }
    }
    const other = await app.send("GET", "/projects", { key: app.key });
    expect(other.headers.get("x-data-version")).toBeNull();
  });
});

/** A change of the table of sites changes answers, and so the version of the definitions. */
test("the version of the definitions belongs to that of the table of sites", () => {
  expect({ definitionsVersion, siteTableVersion }).toEqual({
    ...{ definitionsVersion: "2026-11.3", siteTableVersion: "2026-11.1" },
  });
});
