import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { eventAt } from "../../../test/support/app/archived";
import { forgetOldEvents } from "../../jobs";
import { dayMs, hourMs } from "../../lib/clock";
import { Archive } from "./archive";
import { archivePlaceOf } from "./place";

/** The archive needs room where it lies in the data folder. */

const reserve = 512 * 1024 ** 2;
const today = Math.floor(noonMs / dayMs);
let folder: string;
let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  app = await testApp({ ARCHIVE_DIR: folder });
  shop = await app.makeProject("shop");
  const events = Array.from({ length: 12 }, (_, at) =>
    eventAt((today - Math.floor(at / 2)) * dayMs + at),
  );
  await app.deps.store.append([
    { kind: "events", projectId: shop.id, receivedAtMs: noonMs, events },
  ]);
  const body = { retention_days: 2, archive: true, fold: false };
  await app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const setFree = (freeBytes: number): Promise<void> => {
  app.room.set(() => ({ freeBytes, totalBytes: 100 * 1024 ** 3 }));
  return app.deps.disk.look();
};
/** The run of the next 03:00 UTC. */
const runInto = (archiveDir: string): Promise<unknown> => {
  const { control, store, disk } = app.deps;
  const place = archivePlaceOf({ archiveDir, backups: null, dataDir: app.dataDir });
  const archive = new Archive({ control, store, disk, place });
  const nowMs = today * dayMs + dayMs + 3 * hourMs;
  app.setTime(nowMs);
  return forgetOldEvents({ ...app.deps, archive }, nowMs);
};
const stored = () => app.get(`/projects/${shop.id}`);

test("on a tight disk a folder in DATA_DIR takes no files, so nothing is deleted, until there is room", async () => {
  // The link leads into the data folder as well.
  const link = join(folder, "link");
  symlinkSync(app.dataDir, link);
  await setFree(2 * reserve - 1);
  for (const place of [join(app.dataDir, "archive", "old"), join(link, "archive")]) {
    expect(await runInto(place)).toBe("unfinished");
    expect(await stored()).toMatchObject({ total_events: 12, archive_failing: true });
    expect(await app.get(`/projects/${shop.id}/archive`)).toMatchObject({ files: [] });
  }
  await app.deps.serverLooks.run();
  const archiving = app.deps.conditions.holding.find(({ kind }) => kind === "archive");
  expect(archiving?.sentence).toContain("while the disk is nearly full");
  await setFree(2 * reserve);
  expect(await runInto(join(app.dataDir, "archive"))).toBe("finished");
  expect(await stored()).toMatchObject({ total_events: 4, archive_failing: false });
  expect(readdirSync(join(app.dataDir, "archive", shop.id))).toHaveLength(4);
});

test("on a tight disk a folder elsewhere takes files, whatever it is called", async () => {
  await setFree(2 * reserve - 1);
  expect(await runInto(`${app.dataDir}-archive`)).toBe("finished");
  expect(await stored()).toMatchObject({ total_events: 4, archive_failing: false });
  rmSync(`${app.dataDir}-archive`, { recursive: true });
});
