import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Json,
  noonMs,
  type TestApp,
  testApp,
  visitorAgent,
} from "../../../test/support/app/app";
import { eventually } from "../../../test/support/suite/eventually";
import { forgetOldEvents } from "../../jobs";
import { dayMs, minuteMs } from "../../lib/clock";
import { makeRoom } from "../../services/disk/make-room";

const gibibyte = 1024 ** 3;
const reserve = 512 * 1024 ** 2;
const total = 100 * gibibyte;
/** Its reserve is 1.6 MB. */
const smallTotal = 16 * 1024 ** 2;

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

const setRoom = (room: Parameters<TestApp["room"]["set"]>[0]) => {
  app.room.set(room);
  return app.deps.disk.look();
};
const setFree = (freeBytes: number) => setRoom(() => ({ freeBytes, totalBytes: total }));
const own = { origin: "http://localhost:3000" };
const byCookie = async (method: string, path: string, body?: unknown): Promise<Response> =>
  app.send(method, path, { headers: { cookie: app.cookie, ...own }, body });
const disk = async (): Promise<Json> =>
  (await (await byCookie("GET", "/admin/disk")).json()) as Json;
const event = { user_id: "u1", session_id: "s1", event: "page_view" };

async function expectRefused(answer: Response): Promise<void> {
  const { error, reason } = (await answer.json()) as Json;
  expect([answer.status, error, reason]).toEqual([503, "UNAVAILABLE", "disk"]);
  const wait = Number(answer.headers.get("retry-after"));
  expect(wait >= 60 && wait <= 300).toBe(true);
}

describe("GET /admin/disk", () => {
  test("tells what is free and used, and the projects, largest first", async () => {
    const [small, large] = [await app.makeProject("small"), await app.makeProject("large")];
    await app.track(small, event);
    const events = Array.from({ length: 50 }, (_, at) => ({
      ...event,
      properties: { text: `${at} ${crypto.randomUUID()}` },
    }));
    await app.track(large, ...events);
    await setFree(10 * gibibyte);
    const state = await disk();
    expect(state).toMatchObject({
      ...{ free_bytes: 10 * gibibyte, reserve_bytes: reserve, level: "ok" },
      ...{ per_day_bytes: null, days_to_full: null },
    });
    const used = state.used as Record<string, number>;
    const bytesOf = (name: string) => statSync(join(app.dataDir, name)).size;
    expect([used.events, used.control]).toEqual([bytesOf("events.db"), bytesOf("control.db")]);
    expect(used.logs).toBeGreaterThan(0);
    const projects = state.projects as readonly Json[];
    expect(projects.map(({ id }) => id)).toEqual([large.id, small.id]);
    expect(projects[0]).toMatchObject({ events: 50, events_per_day: 0 });
    expect(projects[0]?.bytes).toBe((await app.get("/projects/large")).bytes as number);
    app.setTime(noonMs + dayMs);
    expect(((await disk()).projects as readonly Json[])[0]).toMatchObject({ events_per_day: 7.1 });
  });

  test("tells the growth of complete days, and when the disk will be full", async () => {
    const { disk: service } = app.deps;
    const midnightMs = noonMs - (noonMs % dayMs);
    await setFree(reserve + 10 * gibibyte);
    await service.noteDay(noonMs);
    app.setTime(midnightMs + dayMs);
    await service.noteDay(midnightMs + dayMs);
    app.setTime(midnightMs + 2 * dayMs + 59 * minuteMs);
    // The file grows by what a project of its own takes.
    const project = await app.makeProject("growing");
    await app.track(project, event);
    await service.noteDay(midnightMs + 2 * dayMs + 59 * minuteMs);
    const { per_day_bytes: perDay, days_to_full: days } = await disk();
    // The first look of this server was at noon, so its first complete day is the second.
    expect(perDay).toBeNumber();
    const grown = Number(perDay);
    expect(days).toBe(grown <= 0 ? null : Math.round((100 * gibibyte) / grown) / 10);
  });
});

describe("a tight disk", () => {
  test("takes no new recordings and imports, and everything else", async () => {
    const project = await app.makeProject("shop");
    const replays = { project: "shop" };
    expect(
      (await app.send("POST", "/replays/enable", { key: app.key, body: replays })).status,
    ).toBe(200);
    const agent = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    const start = (session_id: string) =>
      app.send("POST", "/replays/ingest/start", {
        headers: agent,
        body: { token: project.token, session_id },
      });
    const importing = () =>
      app.send("POST", "/imports", {
        key: app.key,
        body: { project: "shop", kind: "plausible", size: 10, sha256: "0".repeat(64) },
      });
    await setFree(2 * reserve);
    expect((await start("s1")).status).toBe(201);
    await setFree(2 * reserve - 1);
    await expectRefused(await start("s2"));
    await expectRefused(await importing());
    await app.track(project, event);
    expect((await app.send("GET", "/health/ready")).status).toBe(200);
    await setFree(2 * reserve);
    expect((await start("s2")).status).toBe(201);
  });
});

describe("a full disk", () => {
  test("refuses ingestion until 1.25 times the reserve is free, and readiness says why", async () => {
    const project = await app.makeProject("shop");
    const agent = { "user-agent": visitorAgent };
    const track = (body: unknown, path = "/track") =>
      app.send("POST", path, { headers: agent, body });
    const one = { token: project.token, ...event };
    await setFree(reserve);
    expect((await track(one)).status).toBe(202);
    await setFree(reserve - 1);
    await expectRefused(await track(one));
    await expectRefused(await track({ token: project.token, events: [event] }, "/track/batch"));
    await expectRefused(
      await track({ token: project.token, previous_id: "a", user_id: "b" }, "/identify"),
    );
    const ready = await app.send("GET", "/health/ready");
    expect([ready.status, ((await ready.json()) as Json).checks]).toEqual([
      503,
      { storage: "ok", queue: "ok", clock: "ok", disk: "failed" },
    ]);
    await setFree(1.25 * reserve - 1);
    await expectRefused(await track(one));
    await setFree(1.25 * reserve);
    expect((await track(one)).status).toBe(202);
    expect((await app.send("GET", "/health/ready")).status).toBe(200);
  });

  test("is a condition that is told with its numbers", async () => {
    await setFree(reserve - 1);
    await app.deps.serverLooks.run();
    const { conditions } = (await (await byCookie("GET", "/admin/conditions")).json()) as Json;
    expect(conditions).toMatchObject([{ kind: "disk", title: "the disk is full" }]);
  });

  test("lets people log in, read, delete and export, and retention runs", async () => {
    const project = await app.makeProject("shop");
    await app.track(project, event);
    await setFree(0);
    const login = await app.send("POST", "/auth/login", {
      headers: own,
      body: { email: "owner@example.com", password: "correct horse battery" },
    });
    expect(login.status).toBe(200);
    expect((await app.get("/projects/shop")).total_events).toBe(1);
    await app.get("/stats?project=shop");
    expect((await app.send("GET", "/export?project=shop", { key: app.key })).status).toBe(200);
    app.setTime(noonMs + 400 * dayMs);
    expect(await forgetOldEvents(app.deps, noonMs + 400 * dayMs)).toBe("finished");
    expect((await app.get("/projects/shop")).total_events).toBe(0);
    expect((await app.send("DELETE", "/projects/shop", { key: app.key })).status).toBe(200);
  });

  test("gets its space back from a project that is deleted, and stores events again", async () => {
    const big = await app.makeProject("big");
    const noise = () =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(3_000))).toString("base64");
    for (let batch = 0; batch < 20; batch++) {
      const events = Array.from({ length: 100 }, () => ({
        ...event,
        properties: { noise: noise() },
      }));
      await app.track(big, ...events);
    }
    copyLog();
    // A disk on which just what is stored now has no room beside the reserve.
    const capacity = bytesIn(app.dataDir) + Math.floor(smallTotal / 10) - 1;
    // The log stays as large as it was, and is written again from its start.
    const free = () => capacity - bytesIn(app.dataDir);
    await setRoom(() => ({ freeBytes: free(), totalBytes: smallTotal }));
    expect((await disk()).level).toBe("full");
    expect((await byCookie("DELETE", "/projects/big")).status).toBe(200);
    await makeRoom(app.deps);
    // No read can need the events any more, and no event came for a while.
    app.setTime(noonMs + 2 * minuteMs);
    await eventually(async () => {
      copyLog();
      expect((await disk()).level).not.toBe("full");
    });
    await app.track(await app.makeProject("next"), event);
  });
});

/** Does what maintenance does half a minute after the last event. */
function copyLog(): void {
  const db = new Database(join(app.dataDir, "events.db"));
  db.run("pragma wal_checkpoint(passive)");
  db.close();
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !/-(wal|shm)$/.test(file.name))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
