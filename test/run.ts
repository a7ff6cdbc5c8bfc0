import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `npm test`: every suite but those on the executable, two at a time; then what took longest, so that nobody has to
 * look for it. Parameters go to the test runner. Its exit code is the answer.
 */
const shownMax = 15;
const shownMsMin = 500;
const roomBytesMin = 4 * 1024 ** 3;

/** In memory, where there is room: what a disk keeps is looked at by the suites on the executable. */
function temporaryRoot(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize < roomBytesMin ? tmpdir() : inMemory;
}

const folder = mkdtempSync(join(temporaryRoot(), "sightline-test-"));
const report = join(folder, "report.xml");
const tests = Bun.spawn(
  [
    ...[process.execPath, "test", "--parallel=2", "--no-isolate", "--timeout", "180000"],
    ...["--path-ignore-patterns=test/e2e/**", "--path-ignore-patterns=test/clickhouse/**"],
    ...["--reporter=junit", `--reporter-outfile=${report}`],
    ...process.argv.slice(2),
  ],
  { stdio: ["inherit", "inherit", "inherit"], env: { ...process.env, TMPDIR: folder } },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => tests.kill(signal));
const exitCode = await tests.exited;

const attribute = (text: string, name: string): string => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return found
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
};
const cases = existsSync(report) ? readFileSync(report, "utf8").match(/<testcase\s[^>]*>/g) : null;
const slowest = (cases ?? [])
  .map((text) => ({ text, ms: Number(attribute(text, "time")) * 1_000 }))
  .filter(({ ms }) => ms >= shownMsMin)
  .sort((a, b) => b.ms - a.ms)
  .slice(0, shownMax)
  .map(
    ({ text, ms }) =>
      `${String(Math.round(ms)).padStart(6)} ms  ${attribute(text, "file")}: ${attribute(text, "name")}`,
  );
if (slowest.length > 0) process.stdout.write(`\nThe slowest tests:\n${slowest.join("\n")}\n`);
rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
