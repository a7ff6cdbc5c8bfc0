import { cpSync } from "node:fs";
import { startClickHouse, threadsVariable } from "../clickhouse/server-process";
import { Connection, type Reply } from "../support/connection";
import { removeFolder, runCommand, type Server, temporaryFolder } from "../support/server";
import { type DuckDb, keyOf, loadDuckDb } from "./duckdb/measure";
import { type Figures, median, oneDecimal, thousands } from "./figures";
import { type Asked, type Question, questions, type Window, windows } from "./questions";
import { ask, askedAbout, storeMs } from "./reads";
import { serve, type World } from "./world";

const section =
  "The same reads on DuckDB and on ClickHouse: their times as multiples of ours, warm";
/** Calls of each side, one after the other; the first is not counted. */
const calls = 4;

/**
 * Moves the world into a ClickHouse of one process, on as many threads as the machine has, loads it into DuckDB, and
 * asks all three the same questions in turns: a busy machine is as busy for one as for the others. ClickHouse's answers
 * must be the same texts as ours, DuckDB's the same rows.
 */
export async function measureClickHouse(world: World, figures: Figures): Promise<void> {
  const folder = temporaryFolder();
  const threads = `${threadsVariable}=${navigator.hardwareConcurrency}`;
  const clickhouse = await startClickHouse(folder, 0, ["env", threads]);
  const env = { CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: "load" };
  const copy = temporaryFolder();
  let duckDb: DuckDb | null = null;
  try {
    duckDb = await loadDuckDb(world, section, figures);
    await moveTo(env, world, figures);
    const own = await serve(world.dataDir);
    const asked = await askedAbout(own, world, world.big);
    await own.stop();
    cpSync(world.dataDir, copy, { recursive: true });
    const servers = [await serve(world.dataDir), await serve(copy, env)] as const;
    await compareAll(world, asked, servers, duckDb, figures);
  } finally {
    duckDb?.close();
    await clickhouse.close();
    removeFolder(folder);
    removeFolder(copy);
  }
}

async function moveTo(
  env: Readonly<Record<string, string>>,
  { dataDir, events, small }: World,
  figures: Figures,
): Promise<void> {
  const moved = await runCommand(["move", "--to", "clickhouse"], { dataDir, env });
  if (moved.exitCode !== 0) throw new Error(`The move failed: ${moved.output}`);
  const total = events + small.length * 1_000;
  const rate = (total / moved.tookMs) * 1_000;
  const what = `ClickHouse: sightline move of ${thousands(total)} events in ${small.length + 1} projects, events/s`;
  figures.add(section, what, thousands(rate));
  const body = `select sum(bytes_on_disk) from system.parts where database = '${env.CLICKHOUSE_DATABASE}' and active`;
  const answer = await fetch(env.CLICKHOUSE_URL, { method: "POST", body });
  figures.add(
    section,
    "ClickHouse: bytes per event on disk",
    oneDecimal(Number(await answer.text()) / total),
  );
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
  servers: readonly [own: Server, theirs: Server],
  duckDb: DuckDb,
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
  for (const server of servers) await server.stop();
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
  for (let call = 0; call < calls; call++) {
    const ms = await storeMs(own, world, question, asked, days);
    const theirMs = hasFailed
      ? Number.POSITIVE_INFINITY
      : storeMs(theirs, world, question, asked, days);
    took.push([ms, await theirMs]);
  }
  const found = await duckDb.ask(question.name, days, asked, bodies[0]);
  const [ownMs, clickhouse] = [0, 1].map((side) => median(took.slice(1).map((pair) => pair[side])));
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
  ratio === null ? "–" : Number.isFinite(ratio) ? oneDecimal(ratio) : "failed";
const millisecondsOf = (ms: number | null): string =>
  ms === null ? "–" : Number.isFinite(ms) ? ms.toFixed(ms < 10 ? 1 : 0) : "failed";
