import { cpSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import {
  startClickHouse,
  type TestClickHouse,
  threadsVariable,
} from "../clickhouse/server-process";
import { Connection, type Reply } from "../support/server/connection";
import { removeFolder, runCommand, type Server, temporaryFolder } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { conditionsNow } from "./conditions";
import { type DuckDb, duckDbIn, keyOf, loadInto } from "./duckdb/measure";
import { type Figures, median, oneDecimal, thousands } from "./figures";
import { clockOf, type Kept, keptIn } from "./kept";
import { type Asked, type Question, questions, type Window, windows } from "./questions";
import { ask, askedAbout, storeMs } from "./reads";
import { keepSection } from "./report-file";
import { serve, type World } from "./world";

/** Rounds of a question, in each of which both servers are asked, after one that is not counted. */
const roundsMax = 3;
/** A question that took ClickHouse longer in a round is asked no more. */
const slowMs = 1_000;
const database = "load";

/** Loads and asks in a folder that nobody keeps. */
export async function measureClickHouseOnce(world: World, figures: Figures): Promise<void> {
  const folder = temporaryFolder();
  try {
    await measureClickHouse(world, keptIn(folder), figures, false);
  } finally {
    removeFolder(folder);
  }
}

/**
 * Loads the world into DuckDB, moves it into a ClickHouse of one process, on as many threads as the machine has, and
 * asks all three the same questions in turns: a busy machine is as busy for one as for the others. ClickHouse's answers
 * must be the same texts as ours, DuckDB's the same rows.
 */
export async function measureClickHouse(
  world: World,
  kept: Kept,
  figures: Figures,
  isLoadedOnly: boolean,
): Promise<void> {
  const { day, commit, machine, load } = conditionsNow();
  const section =
    `${thousands(world.events)} events on DuckDB and on ClickHouse: their times as multiples of ours, warm` as const;
  const folders = {
    duckDb: join(kept.folder, "duckdb"),
    clickhouse: join(kept.folder, "clickhouse"),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const loaded = await kept.part("duckdb", () => loadInto(folders.duckDb, world));
  figures.add(section, "DuckDB: loading the file, s", oneDecimal(loaded.seconds));
  figures.add(section, "DuckDB: bytes per event on disk", oneDecimal(loaded.bytesPerEvent));
  const threads = `${threadsVariable}=${navigator.hardwareConcurrency}`;
  const clickhouse = await startClickHouse(folders.clickhouse, 0, ["env", threads]);
  try {
    await addMoved(world, kept, clickhouse, section, figures);
    if (isLoadedOnly) return;
    await askAll(world, clickhouse, await duckDbIn(folders.duckDb, world), section, figures);
  } finally {
    await clickhouse.kill();
  }
  await keepSection(
    pathFromRoot("src", "docs", "benchmarks", "comparison.md"),
    `\`npm run load -- --only=clickhouse --events=${world.events}\``,
    `Measured on ${day}, at commit ${commit}, on ${machine}, at a load of ${load} before the run.

${figures.markdown(section)}`,
  );
}

const environmentOf = ({ url }: TestClickHouse): Readonly<Record<string, string>> => ({
  CLICKHOUSE_URL: url,
  CLICKHOUSE_DATABASE: database,
});

async function addMoved(
  { dataDir, events, small }: World,
  kept: Kept,
  clickhouse: TestClickHouse,
  section: string,
  figures: Figures,
): Promise<void> {
  const { tookMs, bytes } = await kept.part("moved", async () => {
    const env = environmentOf(clickhouse);
    const moved = await runCommand(["move", "--to", "clickhouse"], { dataDir, env });
    if (moved.exitCode !== 0) throw new Error(`The move failed: ${moved.output}`);
    const body = `select sum(bytes_on_disk) from system.parts where database = '${database}' and active`;
    const answer = await fetch(clickhouse.url, { method: "POST", body });
    return { tookMs: moved.tookMs, bytes: Number(await answer.text()) };
  });
  const total = events + small.length * 1_000;
  const what = `ClickHouse: sightline move of ${thousands(total)} events in ${small.length + 1} projects, events/s`;
  figures.add(section, what, thousands((total / tookMs) * 1_000));
  figures.add(section, "ClickHouse: bytes per event on disk", oneDecimal(bytes / total));
}

/** Both servers have copies of the folder: what is kept stays as it was loaded. */
async function askAll(
  world: World,
  clickhouse: TestClickHouse,
  duckDb: DuckDb,
  section: string,
  figures: Figures,
): Promise<void> {
  const copies = [temporaryFolder(), temporaryFolder()] as const;
  const servers: Server[] = [];
  const clock = clockOf(world);
  try {
    cpSync(world.dataDir, copies[0], { recursive: true });
    const before = await serve(copies[0], clock);
    const asked = await askedAbout(before, { ...world, dataDir: copies[0] }, world.big);
    await before.stop();
    cpSync(copies[0], copies[1], { recursive: true });
    figures.add(section, "load of the machine before the first question", oneDecimal(loadavg()[0]));
    servers.push(await serve(copies[0], clock));
    servers.push(await serve(copies[1], { ...clock, ...environmentOf(clickhouse) }));
    await compareAll(world, asked, servers, duckDb, section, figures);
  } finally {
    for (const server of servers) await server.stop();
    for (const copy of copies) removeFolder(copy);
  }
}

/** Of a question, by engine: ours, DuckDB's if it has the tables, ClickHouse's. */
interface Row {
  readonly key: string;
  readonly ms: readonly [own: number, duckDb: number | null, clickhouse: number];
  readonly different: readonly string[];
}

async function compareAll(
  world: World,
  asked: Asked,
  servers: readonly Server[],
  duckDb: DuckDb,
  section: string,
  figures: Figures,
): Promise<void> {
  const rows: Row[] = [];
  for (const question of questions) {
    for (const days of windows) {
      // New ones each time: while the others are asked a server closes one that is silent.
      const sides = await Promise.all(servers.map(({ url }) => Connection.open(url)));
      const row = await compare(world, asked, sides, duckDb, question, days);
      rows.push(row);
      for (const connection of sides) connection.close();
      const shown = row.ms.map(millisecondsOf);
      const what = `${row.key} (${shown.join(" / ")} ms)${row.different.map((name) => `: ${name} DIFFERS`).join("")}`;
      figures.add(section, what, multiplesOf(row).map(multiple).join(" / "));
    }
  }
  const [ofDuckDb, ofClickHouse] = [0, 1].map((side) =>
    rows.map((row) => multiplesOf(row)[side]).filter((one) => one !== null),
  );
  const medians = [ofDuckDb, ofClickHouse].map((all) => multiple(median(all))).join(" / ");
  figures.add(section, `median of ${ofDuckDb.length} / of ${ofClickHouse.length}`, medians);
  const differ = rows.flatMap(({ different }) => different).length;
  figures.add(...([section, "answers that differ", String(differ), "0"] as const), differ === 0);
}

async function compare(
  world: World,
  asked: Asked,
  [own, theirs]: readonly Connection[],
  duckDb: DuckDb,
  question: Question,
  days: Window,
): Promise<Row> {
  const replies: Reply[] = [];
  for (const side of [own, theirs]) replies.push(await ask(side, world, question, asked, days));
  const hasFailed = replies[1].status !== 200;
  const bodies = replies.map(({ body }) => body);
  const took: [number, number][] = [];
  for (let round = 0; round < roundsMax && (took.at(-1)?.[1] ?? 0) < slowMs; round++) {
    const ms = await storeMs(own, world, question, asked, days);
    const theirMs = hasFailed
      ? Number.POSITIVE_INFINITY
      : storeMs(theirs, world, question, asked, days);
    took.push([ms, await theirMs]);
  }
  const found = await duckDb.ask(question.name, days, asked, bodies[0]);
  const [ownMs, clickhouse] = [0, 1].map((side) => median(took.map((pair) => pair[side])));
  return {
    key: keyOf(question.name, days),
    ms: [ownMs, found === null ? null : found.ms[found.ms.length - 1], clickhouse],
    different: [
      ...(found?.isEqual === false ? ["DuckDB"] : []),
      ...(hasFailed || bodies[0] === bodies[1] ? [] : ["ClickHouse"]),
    ],
  };
}

const multiplesOf = ({ ms: [own, duckDb, clickhouse] }: Row): [number | null, number] => [
  duckDb === null ? null : duckDb / own,
  clickhouse / own,
];
const multiple = (ratio: number | null): string =>
  ratio === null ? "–" : Number.isFinite(ratio) ? oneDecimal(ratio) : "not answered";
const millisecondsOf = (ms: number | null): string =>
  ms === null ? "–" : Number.isFinite(ms) ? ms.toFixed(ms < 10 ? 1 : 0) : "not answered";
