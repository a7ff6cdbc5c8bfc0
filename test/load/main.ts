import { resolve } from "node:path";
import { executable, removeFolder, temporaryFolder } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { measureAbuse } from "./abuse";
import { measureBackups } from "./backups";
import { measureBeside } from "./beside";
import { measureCardinality } from "./cardinality";
import { measureClickHouse, measureClickHouseOnce } from "./clickhouse";
import { conditionsNow } from "./conditions";
import { measureDashboard } from "./dashboard";
import { measureDialects } from "./dialects";
import { measureDuckDb } from "./duckdb/measure";
import { measureExports } from "./exports";
import { Figures, oneDecimal, thousands } from "./figures";
import { measureFlooded } from "./flooded";
import { measureGoals } from "./goals";
import { measureGrowth } from "./growth";
import { measureHostile } from "./hostile";
import { measureImports } from "./imports";
import { measureIngest, measureManyProjects } from "./ingest";
import { copyOfKept, keptIn, keptWorld } from "./kept";
import { measureLive } from "./live";
import { measureMcp } from "./mcp";
import { measureIdle, measureStart, memoryOf } from "./memory";
import { isLargeRun, measureForDuckDb, measureReads } from "./reads";
import { measureRecovery } from "./recovery";
import { measureReplays } from "./replays";
import { keepReport } from "./report-file";
import { measureSingle } from "./single";
import { measureTracker } from "./tracker";
import { loadWorld, serve, type World } from "./world";
import { measureZones } from "./zones";

/**
 * Measures the executable over HTTP and writes the pages of src/docs/benchmarks. Remarks below the figures stay.
 *   bun run load                       everything, at 10M events
 *   bun run load --events=1000000      a tenth of it, with the same density
 *   bun run load --only=reads,single   some of the measurements
 *   bun run load --only=flooded        reads of a project while 70,000 events a second come in to it
 *   bun run load --only=backups --rate=10000
 *                                      acknowledgements at this rate with and without a continuous backup
 *   bun run load --only=goals          goals, conditions on sessions, first sources, and events once per value
 *   bun run load --only=duckdb         every read, on our side and on DuckDB's, which is fetched for it
 *   bun run load --only=clickhouse     every read, on our side, on DuckDB and on a ClickHouse that
 *                                      test/clickhouse/install.sh installs
 *   bun run load --only=clickhouse --keep=FOLDER --until=loaded
 *                                      only loads all three into the folder, where it stays; a step that has ended is
 *                                      not done again. Without --until the next run asks what was loaded
 *   bun run load --keep=FOLDER         loads the data set into the folder, where it stays, and measures on a copy of
 *                                      it; another run on the same date (UTC) need not load it again
 *   bun run load --events=100000000    what grows with the events, at ten times as many. It takes
 *                                      half an hour and a loading of twenty minutes to one hour, which --keep spares
 *                                      another run
 *   bun run load --only=growth --events=1000000
 *                                      what costs more the more is stored, at 1M, 10M or 100M: growth.md
 * --only=clickhouse keeps its table in comparison.md, where there are marks for its number of events. What another run
 * finds is printed and not kept.
 */
const parameters = new Map(
  process.argv.slice(2).map((argument): [string, string] => {
    const [, name = argument, value = ""] = /^--(\w+)=(.*)$/.exec(argument) ?? [];
    return [name, value];
  }),
);
const eventsOfTheDataSet = 10_000_000;
/** The page below src/docs/benchmarks that keeps a whole run. */
const pages = new Map([
  [eventsOfTheDataSet, "ten-million"],
  [100_000_000, "hundred-million"],
]);
const eventsOfUsualProject = 270_000;
const events = Number(parameters.get("events") ?? eventsOfTheDataSet);
const only = parameters.get("only")?.split(",");
/** Of a large run: the others measure the same whatever is stored, or would take as long again. */
const ofLargeRun = ["idle", "start", "reads", "beside", "single", "ingest", "projects"];
const chosen = only ?? (isLargeRun(events) ? ofLargeRun : null);
const wants = (measurement: string): boolean => chosen?.includes(measurement) ?? true;

const besideDuckDb = [
  "DuckDB has the same events in a file of its own, 2 threads and 2 GB: ids as text, a typed column per property,",
  "sessions computed from events. *first* = its first run in a fresh process against our first, *warm* = its third",
  "against our warm.",
];
const ofTheLongestWindow = [
  "Reads are of 90 days, with the default cache, an eighth of the machine's memory. The targets are 3 s at first and",
  "0.7 s when repeated. `failed`: there are more groups than a query counts, and the answer says so.",
];

if (!(await Bun.file(executable).exists())) throw new Error("Run `npm run build` first.");
const figures = new Figures();
const conditions = conditionsNow();
const dataDir = temporaryFolder();
try {
  await measureAll();
  const page = pages.get(events);
  if (page !== undefined && only === undefined) {
    await keepReport(pathFromRoot("src", "docs", "benchmarks", `${page}.md`), reportOf(figures));
  }
} finally {
  // A run that fails late has still found something.
  process.stdout.write(`\n${reportOf(figures)}\n`);
  removeFolder(dataDir);
}

async function measureAll(): Promise<void> {
  const keep = parameters.get("keep");
  const kept = keep === undefined ? null : keptIn(resolve(keep));
  if (kept !== null && only?.join() === "clickhouse") {
    const world = await keptWorld(kept, events, figures);
    return measureClickHouse(world, kept, figures, parameters.get("until") === "loaded");
  }
  if (wants("idle")) await measureEmptyIdle();
  if (wants("start")) await measureEmptyStart();
  if (wants("tracker")) await measureTracker(figures);
  if (wants("recovery")) await measureRecovery(figures);
  if (wants("live")) await measureLive(figures);
  if (wants("mcp")) await measureMcp(figures);
  if (wants("dialects")) await measureDialects(figures);
  if (wants("replays")) await measureReplays(figures);
  if (wants("flooded")) await measureFlooded(figures);
  if (wants("backups")) await measureBackups(Number(parameters.get("rate") ?? 10_000), figures);
  if (wants("imports")) await measureImports(events / 10, figures);
  if (wants("hostile")) await measureHostile(events / 10, figures);
  if (wants("abuse")) await measureAbuse(figures);
  if (wants("cardinality")) await measureCardinality(events / 2, figures);
  if (wants("dashboard")) await measureUsualDashboard();
  const loaded = [
    "reads",
    "duckdb",
    "clickhouse",
    "growth",
    "goals",
    "zones",
    "dashboard",
    "beside",
    "single",
    "ingest",
    "projects",
    "exports",
  ];
  if (loaded.some(wants)) {
    await measureLoaded(
      kept === null
        ? await loadWorld(dataDir, events, figures)
        : await copyOfKept(kept, events, dataDir, figures),
    );
  }
}

/** A project as most are; what loading it took is not among the figures. */
async function measureUsualDashboard(): Promise<void> {
  const usual = temporaryFolder();
  await measureDashboard(await loadWorld(usual, eventsOfUsualProject, new Figures()), figures);
  removeFolder(usual);
}

async function measureEmptyIdle(): Promise<void> {
  const empty = temporaryFolder();
  await measureIdle(empty, "empty folder", figures);
  removeFolder(empty);
}

async function measureEmptyStart(): Promise<void> {
  const empty = temporaryFolder();
  await measureStart(empty, "empty folder", figures);
  removeFolder(empty);
}

async function measureLoaded(world: World): Promise<void> {
  if (wants("idle")) await measureIdle(dataDir, `${thousands(events)} events`, figures);
  if (wants("start")) await measureStart(dataDir, `${thousands(events)} events`, figures);
  const ours = wants("reads") ? await measureReads(world, figures) : null;
  if (wants("duckdb")) {
    await measureDuckDb(world, ours ?? (await measureForDuckDb(world)), figures);
  }
  // It needs half a gigabyte of an engine: by itself only.
  if (only?.includes("clickhouse") === true) await measureClickHouseOnce(world, figures);
  // It sends events, which the others would count: by itself only.
  if (only?.includes("growth") === true) await measureGrowth(world, figures);
  if (wants("goals")) await measureGoals(world, figures);
  if (wants("zones")) await measureZones(world, figures);
  if (wants("dashboard")) await measureDashboard(world, figures);
  if (wants("exports")) await measureExports(world, figures);
  const server = await serve(dataDir, { CACHE_MB: "256" });
  if (wants("beside")) await measureBeside(server, world, figures);
  if (wants("single")) await measureSingle(server, world, figures);
  if (wants("ingest")) await measureIngest(server, world, figures);
  if (wants("projects")) await measureManyProjects(server, world, figures);
  const { nowMb, mostMb } = memoryOf(server.process.pid);
  figures.add(
    "Memory",
    "after reads and ingestion, CACHE_MB=256: now / at most, MB",
    `${oneDecimal(nowMb)} / ${oneDecimal(mostMb)}`,
  );
  await server.stop();
}

function reportOf(found: Figures): string {
  const { day, commit, machine, load } = conditions;
  return [
    `# ${isLargeRun(events) ? "A hundred million events" : "Ten million events"}`,
    "",
    `By \`npm run load\` on ${day}, at commit ${commit}: ${thousands(events)} events in one project`,
    "over 90 days beside 200 small ones, loaded through the running executable over HTTP, `DURABILITY=full`. The load",
    `generator runs on the same machine: ${machine}. Its load before the run was ${load}.`,
    "Reads show the store's time without HTTP (`Server-Timing`), medians;",
    "*first* = the first call after a restart, once the server has compiled its code by reads of another project;",
    "*live* = the fourth call, while 1,000 events/s arrive; *warm* = the third call. Reads that combine several stores",
    "report no time of the store, so the table shows the time of the whole request. `/stats by hour` keeps its counts",
    "of past days.",
    "",
    ...(isLargeRun(events) ? ofTheLongestWindow : besideDuckDb),
    "",
    found.markdown(),
  ].join("\n");
}
