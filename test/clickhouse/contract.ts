import { clickHouseFolderVariable, clickHouseVariable } from "../support/engine/engine-of-tests";
import { startClickHouse } from "./server-process";

/**
 * `npm run clickhouse:contract`: `test/contract` with all its apps on ClickHouse, and the suites that compare random
 * stores with the model. Other parameters go to the test runner, in place of the folder. Its exit code is the answer.
 */
const clickhouse = await startClickHouse();
const files = process.argv.slice(2);
/** What else is asked of any engine; the others of their folder say how our own one answers, or are asked beside it. */
const conformance = ["filter-kinds", "kept-filters", "people", "session-fields", "stored-events"];
const onBoth = [
  "./test/contract",
  ...[...conformance, "whole-sessions", "zones"].map(
    (name) => `./test/conformance/${name}.test.ts`,
  ),
  "./src/features/people/erasure.test.ts",
];
const tests = Bun.spawn(
  [
    ...[process.execPath, "test", "--parallel=2", "--no-isolate", "--timeout", "180000"],
    // The longest files first, so that none of them is left for the end.
    "--timings=test/timings.json",
    ...(files.length > 0 ? files : onBoth),
  ],
  {
    stdio: ["inherit", "inherit", "inherit"],
    env: {
      ...process.env,
      [clickHouseVariable]: clickhouse.url,
      [clickHouseFolderVariable]: clickhouse.folder,
    },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => tests.kill(signal));
const exitCode = await tests.exited;
await clickhouse.close();
process.exit(exitCode);
