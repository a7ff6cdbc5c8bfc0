import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { levelVariable, thoroughLevel } from "./support/random/cases";
import { buildScripts, builtScriptsIn } from "./support/suite/built-scripts";

/**
 * `npm test`: every suite but those on the executable, three files at a time, as some wait for threads; then what took
 * longest, so that nobody has to look for it. `--thorough` runs the files that ask for a number of cases
 * (support/random/cases.ts), with the larger one. Other parameters go to the test runner. Its exit code is the answer.
 */
const shownMax = 15;
const shownMsMin = 500;
const roomBytesMin = 4 * 1024 ** 3;

/** Returns a folder in memory, where there is room: the suites on the executable look at what a disk keeps. */
function temporaryRoot(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize < roomBytesMin ? tmpdir() : inMemory;
}

/** Tests that try a property on more cases thoroughly: they ask for the number themselves. */
const filesWithCases = (): string[] =>
  [...new Bun.Glob("{src,test,tracker}/**/*.test.ts").scanSync(".")]
    .filter((file) => readFileSync(file, "utf8").includes('/support/random/cases"'))
    .map((file) => `./${file}`)
    .sort();

const { argv } = process;
const isThorough = argv[2] === "--thorough";
/**
 * What costs short runs more processor time than it saves: the last tier of the compiler (an eighth); its other tiers,
 * until a function has been called more often than usual; and a collector that works beside the program, on several
 * threads (a fifth together). The thorough level is run as usual, as are the suites on the executable and the load
 * measurements.
 */
const shortRun = {
  BUN_JSC_useFTLJIT: "0",
  BUN_JSC_thresholdForJITAfterWarmUp: "1500",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "4000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "4000",
  BUN_JSC_useConcurrentGC: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  MIMALLOC_PURGE_DELAY: "-1",
};
const level = isThorough ? { [levelVariable]: thoroughLevel } : shortRun;
/** With a plugin in a preload Bun keeps files whose macros have not run, and every later run reads them. */
const noTranspilerCache = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
const folder = mkdtempSync(join(temporaryRoot(), "sightline-test-"));
const report = join(folder, "report.xml");
// A few files need none of the scripts, or build theirs in less time than all of them take.
if (argv.length === 2) {
  mkdirSync(builtScriptsIn(folder));
  void buildScripts(builtScriptsIn(folder));
}
const tests = Bun.spawn(
  [
    ...[process.execPath, "test", "--parallel=3", "--no-isolate", "--timeout", "180000"],
    ...["--path-ignore-patterns=test/e2e/**", "--path-ignore-patterns=test/clickhouse/**"],
    ...["--reporter=junit", `--reporter-outfile=${report}`],
    ...(isThorough
      ? ["--timings=test/timings.json", ...filesWithCases(), ...argv.slice(3)]
      : argv.slice(2)),
  ],
  {
    stdio: ["inherit", "inherit", "inherit"],
    env: { ...process.env, ...level, ...noTranspilerCache, TMPDIR: folder },
  },
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
