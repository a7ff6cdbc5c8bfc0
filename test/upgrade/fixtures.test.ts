import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseFiles } from "../../src/commands/databases";
import { checkInstallation } from "../../src/store/installation";
import { refuseIfDamaged } from "../../src/store/migrate";
import { appOn } from "../support/app/app";
import { pathFromRoot } from "../support/suite/sources";
import { lasting, type Recorded, recordedFile } from "./recorded";

const here = pathFromRoot("test/upgrade");
const archives = readdirSync(here).filter((name) => name.endsWith(".tar.gz"));
const root = mkdtempSync(join(tmpdir(), "upgrade-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Unpacks the data folder that a version left, and returns what its server answered. */
function unpack(archive: string, folder: string): Recorded {
  mkdirSync(folder);
  const { success } = Bun.spawnSync(["tar", "-xzf", join(here, archive), "-C", folder]);
  expect(success).toBe(true);
  const file = join(folder, recordedFile);
  const recorded: Recorded = JSON.parse(readFileSync(file, "utf8"));
  rmSync(file);
  return recorded;
}

describe("a data folder of a version that was published", () => {
  test("is there for each of them", () => {
    expect(archives).toContain("0.1.0.tar.gz");
  });

  for (const archive of archives) {
    test(`${archive} gives the answers that its own server gave`, async () => {
      const folder = join(root, archive);
      const { key, nowMs, answers } = unpack(archive, folder);
      expect(checkInstallation(folder, databaseFiles)).toBe("whole");
      const app = await appOn(folder, { key, cookie: "" });
      try {
        app.setTime(nowMs);
        for (const { method, path, body, answer } of answers) {
          const response = await app.send(method, path, { key, body });
          const found = lasting(await response.json());
          // A later version may say more.
          expect({ method, path, found }).toMatchObject({ method, path, found: answer as object });
        }
        for (const { name, schema } of databaseFiles) refuseIfDamaged(join(folder, name), schema);
      } finally {
        await app.close();
      }
    });
  }
});
