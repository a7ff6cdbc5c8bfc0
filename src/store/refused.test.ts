import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseIfDamaged, type Schema } from "./migrate";

const folder = mkdtempSync(join(tmpdir(), "sightline-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a database that another program holds is told as locked, never as damaged", () => {
  const schema: Schema = { migrations: [], withoutCopy: new Set(), checkContent: null };
  const file = join(folder, "held.db");
  const holder = new Database(file, { create: true });
  holder.run("create table t (a)");
  holder.run("begin exclusive");
  const refusal = expect(() => refuseIfDamaged(file, schema));
  refusal.toThrow(`Another program has locked ${file} (SQLITE_BUSY).`);
  refusal.not.toThrow(/damaged|backup/);
  holder.close();
});

/** The commands on a disk of a given size that is then filled, each with its exit code and what it said. */
const script = `
  mount -t tmpfs -o size="$2" none "$1" && cd "$1" || exit 9
  if [ "$3" = whole ]; then
    "$4" "$5" setup --email first@example.com >/dev/null 2>&1 </dev/null
    : >data/lock.db # As a server leaves it.
  fi
  mkdir -p data; dd if=/dev/zero of=filling bs=1k 2>/dev/null
  for command in serve doctor "setup --email me@example.com"; do
    said=$("$4" "$5" $command 2>&1 </dev/null); echo "exit $? $command"; echo "$said"
  done`;

describe("a full disk at a start", () => {
  const main = join(import.meta.dir, "..", "main.ts");
  const runs = new Map<string, string>();
  beforeAll(async () => {
    for (const [name, size] of [
      ["new", "200k"],
      ["half", "700k"],
      ["whole", "8m"],
    ] as const) {
      const { stdout } = Bun.spawnSync(
        [
          ...["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"],
          ...[folder, size, name, process.execPath, main],
        ],
        { env: { PATH: process.env.PATH ?? "", DATA_DIR: "data", PORT: "0", HOST: "127.0.0.1" } },
      );
      runs.set(name, stdout.toString());
    }
  }, 120_000);

  test.each([["new"], ["half"], ["whole"]])(
    "is one sentence in a %s folder, and exit 1",
    (name) => {
      const said = runs.get(name) ?? "";
      const [, ofServe = "", ofDoctor = "", ofSetup = ""] = said.split(/^exit (?=1 )/m);
      expect(ofServe).toMatch(
        /^1 serve\n[^\n]* is full \((SQLITE_\w+|ENOSPC)\)\. Free some space [^\n]*\n$/,
      );
      expect(ofDoctor).toContain("problem  data folder");
      expect(ofSetup.trim().split("\n").at(-1)).toMatch(/is full|cannot write to its disk/);
      expect(said).not.toMatch(/damaged|[Dd]elete|restore|at .*:\d+/);
    },
  );
});
