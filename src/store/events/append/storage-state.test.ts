import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailingDiskReport } from "../../../../test/support/engine/failing-disk";

const script = join(import.meta.dir, "../../../../test/support/engine/failing-disk.ts");
const folder = mkdtempSync(join(tmpdir(), "sightline-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const againMsMax = 60_000;

/** Runs a command in another process, as such a limit holds for all of one. */
async function run(
  trouble: "disk" | "files",
  command: readonly string[],
): Promise<FailingDiskReport> {
  const dataDir = join(folder, trouble);
  mkdirSync(dataDir);
  const { stdout, stderr, exited } = Bun.spawn(
    [...command, dataDir, process.execPath, script, trouble],
    { stderr: "pipe" },
  );
  const [said, complaint] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
  ]);
  if ((await exited) !== 0) throw new Error(`The run failed: ${complaint}`);
  return JSON.parse(said) as FailingDiskReport;
}

const troubles = {
  "a full disk": () =>
    run("disk", [
      ...["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"],
      'mount -t tmpfs -o size=24m none "$0" && exec "$1" "$2" "$3" "$0"',
    ]),
  "files that cannot grow": () =>
    run("files", ["sh", "-c", 'trap "" XFSZ && exec "$1" "$2" "$3" "$0"']),
};

/** Both run at once, as they mostly wait. */
let reports: Readonly<Record<keyof typeof troubles, Promise<FailingDiskReport>>>;
beforeAll(() => {
  reports = {
    "a full disk": troubles["a full disk"](),
    "files that cannot grow": troubles["files that cannot grow"](),
  };
});

for (const what of Object.keys(troubles) as (keyof typeof troubles)[]) {
  describe(`with ${what}`, () => {
    let report: FailingDiskReport;
    test("events are refused with UNAVAILABLE, health says so, and reads go on", async () => {
      report = await reports[what];
      expect(report.refused.length).toBeGreaterThan(20);
      expect(new Set(report.refused.map(({ code }) => code))).toEqual(new Set(["UNAVAILABLE"]));
      expect(report.failed).toMatchObject({ storage: "failed", queuedEvents: 0 });
      expect(report.failed.storageErrors).toBeGreaterThan(0);
      expect(report.readWhileFailed).toBe('"read"');
    }, 180_000);

    test("writing works again soon after the trouble ends, also when nobody writes", () => {
      // The exact delay is a figure of `npm run load`, as a busy machine takes some of it.
      expect(report.recoveredMs).toBeLessThan(againMsMax);
      expect(report.noticedMs).toBeLessThan(againMsMax);
    });

    test("what was acknowledged is there once, what was refused is not, before and after a restart", () => {
      const byNumber = (a: number, b: number): number => a - b;
      expect(report.stored).toEqual(report.acknowledged.toSorted(byNumber));
      expect(report.storedAfterRestart).toEqual(report.stored);
    });

    if (what === "a full disk") {
      test("it was the file that filled the disk with events: the log left it the room", () => {
        // The log has half of what was free, and what comes in until that is noticed. Uncopied it would have all of it.
        expect(report.roomOfFileBytes).toBeGreaterThan(report.roomBytes / 5);
      });
    }
  });
}
