import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Catalogue } from "../store/backups/catalogue";
import { FolderTarget } from "../store/backups/folder-target";
import { BackupLine } from "../store/backups/line";
import { lineOf } from "../store/backups/manifest";
import { ObjectCodec } from "../store/backups/object-codec";
import { openInstallation } from "../store/installation";
import { version } from "../version";
import { databaseFiles } from "./databases";
import { restoreTo } from "./restore-to";

const root = mkdtempSync(join(tmpdir(), "restore-to-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a backup of a later version is refused before anything is fetched, and names that version", async () => {
  const dataDir = join(root, "data");
  openInstallation(dataDir, databaseFiles);
  mkdirSync(join(dataDir, "replays"), { recursive: true });
  const [target, codec] = [new FolderTarget(join(root, "target")), new ObjectCodec(null)];
  const catalogue = new Catalogue(target, codec);
  const pointBy = async (writer: string, laterTag: string | null, n: number) => {
    const databases = databaseFiles.map(({ name, schema }) => {
      const last = schema.migrations.slice(-1);
      const later = laterTag === null ? [] : last.map((one) => ({ ...one, tag: laterTag }));
      return { name, schema: { ...schema, migrations: [...schema.migrations, ...later] } };
    });
    const line = BackupLine.open({
      ...{ dataDir, databases, target, codec, version: writer, nowMs: () => n },
      ...{ line: lineOf(n, "00000000"), rest: () => Promise.resolve() },
      isWholeRecording: () => true,
    });
    try {
      await line.makePoint("full");
    } finally {
      line.close();
    }
    return (await catalogue.points()).at(-1);
  };
  const own = await pointBy(version, null, 1);
  const later = await pointBy("9.1.0", "9999_later", 2);
  if (own === undefined || later === undefined) throw new Error("Both points were made.");
  const folder = join(root, "restored");
  rmSync(join(root, "target", later.installation, later.line, "data"), { recursive: true });
  await expect(restoreTo(folder, catalogue, later)).rejects.toThrow(
    "Restore it with 9.1.0 or a later version.",
  );
  expect([existsSync(folder), existsSync(`${folder}.part`)]).toEqual([false, false]);
  await restoreTo(folder, catalogue, own);
  expect(readdirSync(folder)).toContain("events.db");
});
