import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Json, noonMs, testApp } from "../../test/support/app/app";
import { databaseFiles } from "../commands/databases";
import { clock, minuteMs } from "../lib/clock";
import { Catalogue } from "../store/backups/catalogue";
import { FolderTarget } from "../store/backups/folder-target";
import { ObjectCodec } from "../store/backups/object-codec";
import { installationOf } from "../store/backups/statements";
import { conditionsIn } from "../store/control/server-conditions";
import { openInstallation } from "../store/installation";

const root = mkdtempSync(join(tmpdir(), "erasure-notes-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a note that the target does not take is written once it does, and an operator sees that it lacks", async () => {
  const target = join(root, "target");
  mkdirSync(target);
  const app = await testApp(
    { BACKUP_URL: pathToFileURL(target).href, BACKUP_EVERY_S: "86400" },
    undefined,
    undefined,
    {
      prepare: (dataDir) => openInstallation(dataDir, databaseFiles),
    },
  );
  const control = join(app.dataDir, "control.db");
  const notes = () =>
    new Catalogue(new FolderTarget(target), new ObjectCodec(null)).erasures(
      installationOf(control),
    );
  const shop = await app.makeProject("shop");
  await app.track(shop, { event: "visit", user_id: "u1", session_id: "s1" });
  // A restore of this point has the person, as long as no note tells of the erasure.
  expect((await app.deps.backups?.run(clock.nowMs))?.lastError).toBeNull();
  app.setTime(noonMs + minuteMs);
  // The target is away: in its place there is something that is no folder.
  renameSync(target, `${target}-away`);
  writeFileSync(target, "");
  const person = { project: "shop", user_id: "u1" };
  const { confirm } = (await app.post("/people/erase", person)) as Json;
  const { id } = (await app.post("/people/erase", { ...person, dry_run: false, confirm })) as Json;
  const state = async () => (await app.get(`/people/erasures/${id}`)).state;
  const shown = async (): Promise<readonly Json[]> => {
    await app.deps.serverLooks.run();
    return app.deps.conditions.holding.filter(({ kind }) => kind === "erasure");
  };
  expect([await state(), await app.deps.erasures.goOn(), await shown()]).toEqual([
    "running",
    false,
    [],
  ]);
  // An hour later it is still away.
  app.setTime(noonMs + 60 * minuteMs);
  expect([await app.deps.erasures.goOn(), await state()]).toEqual([false, "running"]);
  const title = "an erasure is not noted beside the backup";
  expect(await shown()).toMatchObject([
    { title, sentence: expect.stringMatching(/ENOTDIR|EEXIST/) },
  ]);
  expect(conditionsIn(control)).toContain(title);

  rmSync(target);
  renameSync(`${target}-away`, target);
  expect(await notes()).toEqual([]);
  while (!(await app.deps.erasures.goOn())) await Bun.sleep(20);
  expect(await notes()).toMatchObject([{ id, projects: [{ projectId: shop.id }] }]);
  expect([await state(), await shown()]).toEqual(["done", []]);
  expect(conditionsIn(control)).not.toContain(title);
  await app.close();
}, 60_000);
