import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { noonMs, type TestApp, type TestProject, testApp } from "../../test/support/app/app";
import { checked, eventLines, uploaded } from "../../test/support/app/imports";
import { eventually } from "../../test/support/suite/eventually";
import { dayMs } from "../lib/clock";
import type { EventStore } from "../store/port";
import { requireRemovable } from "./import-refusals";
import { Imports } from "./imports";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const file = eventLines([
  { event: "page_view", user_id: "ann", session_id: "s", timestamp: noonMs - dayMs },
]);

/** Starts the service as a server does that finds this state. */
async function resumed({ store }: Pick<TestApp["deps"], "store"> = app.deps): Promise<Imports> {
  const { control } = app.deps;
  const imports = new Imports({ control, store, dataDir: app.dataDir, storedFromMs: () => 0 });
  await imports.resume();
  return imports;
}
const stateOf = async (id: string) => (await app.get(`/imports/${id}`)).state;
const eventsOf = async () =>
  ((await app.get("/stats?project=shop&since=30d")).totals as { total_events: number })
    .total_events;

test("a check that a stop interrupted goes on at the start", async () => {
  const id = await uploaded(app, shop, file);
  app.deps.control.imports.change(id, { state: "checking" });
  const imports = await resumed();
  await eventually(async () => expect(await stateOf(id)).toBe("checked"));
  await imports.close();
});

test("a commit that a stop interrupted goes on at the start, and stores everything once", async () => {
  const { id } = await checked(app, shop, file);
  app.deps.control.imports.change(String(id), { state: "committing" });
  const imports = await resumed();
  await eventually(async () => expect(await stateOf(String(id))).toBe("done"));
  expect(await eventsOf()).toBe(1);
  await imports.close();
});

test("a commit that was stored before the stop is done, and not stored again", async () => {
  const { id } = await checked(app, shop, file);
  await app.post(`/imports/${id}/commit`, {});
  await eventually(async () => expect(await stateOf(String(id))).toBe("done"));
  app.deps.control.imports.change(String(id), { state: "committing" });
  await resumed();
  expect(await stateOf(String(id))).toBe("done");
  expect(await eventsOf()).toBe(1);
});

test("a removal that a stop interrupted is over after the start", async () => {
  const { id } = await checked(app, shop, file);
  await app.post(`/imports/${id}/commit`, {});
  await eventually(async () => expect(await stateOf(String(id))).toBe("done"));
  const { control, store } = app.deps;
  control.imports.change(String(id), { isRemoving: true });
  await store.imports?.remove(String(id));
  await (await resumed()).close();
  expect(control.imports.byId(String(id))).toBeUndefined();
  expect(await eventsOf()).toBe(0);
});

test("what a killed check has left beside its upload goes with the upload, when it lapses or is removed", async () => {
  const { control, imports } = app.deps;
  const ids = [await uploaded(app, shop, file), await uploaded(app, shop, `${file}\n`)];
  for (const id of ids) {
    const folder = join(app.dataDir, "imports", id);
    for (const name of ["file-scratch", "days.db", "checked.db"]) {
      await Bun.write(join(folder, name), "left");
    }
    await Bun.write(join(folder, "spool", "run-0"), "left");
  }
  const [removed = "", lapsing = ""] = ids;
  await app.send("DELETE", `/imports/${removed}`, { key: app.key });
  expect(readdirSync(join(app.dataDir, "imports"))).toEqual([lapsing]);
  imports.lapse(noonMs + 2 * dayMs);
  expect(control.imports.byId(lapsing)).toBeUndefined();
  expect(readdirSync(join(app.dataDir, "imports"))).toEqual([]);
});

test("an upload whose file is gone, as after a backup was restored, fails with a reason", async () => {
  const id = await uploaded(app, shop, file);
  app.deps.control.imports.change(id, { state: "checking" });
  const { control, store } = app.deps;
  const dataDir = `${app.dataDir}/none`;
  const elsewhere = new Imports({ control, store, dataDir, storedFromMs: () => 0 });
  await elsewhere.resume();
  expect(await app.get(`/imports/${id}`)).toMatchObject({
    ...{ state: "failed", error: { code: "IMPORT_BROKEN" } },
  });
});

test("where its events were moved to ClickHouse, an import stays; one of days alone can be removed", async () => {
  const { control, store } = app.deps;
  const moved: EventStore = Object.create(store, { imports: { value: null } });
  const { id } = await checked(app, shop, file);
  await app.post(`/imports/${id}/commit`, {});
  await eventually(async () => expect(await stateOf(String(id))).toBe("done"));
  const ofEvents = control.imports.change(String(id), { isRemoving: true });
  if (ofEvents === undefined) throw new Error("no import");
  const imports = await resumed({ store: moved });
  expect(control.imports.byId(String(id))).toBeDefined();
  expect(() => requireRemovable(moved.imports, ofEvents)).toThrow("delete the project");
  expect(() => requireRemovable(store.imports, ofEvents)).not.toThrow();
  const ofDays = { ...ofEvents, firstEventMs: null };
  expect(() => requireRemovable(moved.imports, ofDays)).not.toThrow();
  await imports.close();
});
