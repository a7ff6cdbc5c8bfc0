import { cpSync } from "node:fs";
import { startClickHouse, threadsVariable } from "../clickhouse/server-process";
import { Connection } from "../support/connection";
import { removeFolder, runCommand, type Server, temporaryFolder } from "../support/server";
import { keyOf } from "./duckdb/measure";
import { type Figures, median, oneDecimal, thousands } from "./figures";
import { type Asked, type Question, questions, type Window, windows } from "./questions";
import { ask, askedAbout, storeMs } from "./reads";
import { serve, type World } from "./world";

const section = "The same reads on ClickHouse: its time as a multiple of ours, warm";
/** Calls of each side, one after the other; the first is not counted. */
const calls = 4;

/**
 * Moves the world into a ClickHouse of one process, on as many threads as the machine has, and asks both the same
 * questions in turns: a busy machine is as busy for one as for the other. Answers must be the same texts.
 */
export async function measureClickHouse(world: World, figures: Figures): Promise<void> {
  const folder = temporaryFolder();
  const threads = `${threadsVariable}=${navigator.hardwareConcurrency}`;
  const clickhouse = await startClickHouse(folder, 0, ["env", threads]);
  const env = { CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: "load" };
  const copy = temporaryFolder();
  try {
    await moveTo(env, world, figures);
    const own = await serve(world.dataDir);
    const asked = await askedAbout(own, world, world.big);
    await own.stop();
    cpSync(world.dataDir, copy, { recursive: true });
    await compareAll(world, asked, [await serve(world.dataDir), await serve(copy, env)], figures);
  } finally {
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
  const what = `sightline move of ${thousands(total)} events in ${small.length + 1} projects, events/s`;
  figures.add(section, what, thousands(rate));
  const body = `select sum(bytes_on_disk) from system.parts where database = '${env.CLICKHOUSE_DATABASE}' and active`;
  const answer = await fetch(env.CLICKHOUSE_URL, { method: "POST", body });
  figures.add(section, "bytes per event on disk", oneDecimal(Number(await answer.text()) / total));
}

async function compareAll(
  world: World,
  asked: Asked,
  servers: readonly [own: Server, theirs: Server],
  figures: Figures,
): Promise<void> {
  const [own, theirs] = await Promise.all(servers.map(({ url }) => Connection.open(url)));
  const ratios: number[] = [];
  const different: string[] = [];
  for (const question of questions) {
    for (const days of windows) {
      const key = keyOf(question.name, days);
      const isEqual = await sameAnswers([own, theirs], world, question, asked, days);
      if (!isEqual) different.push(key);
      const took: [number, number][] = [];
      for (let call = 0; call < calls; call++) {
        const ms = await storeMs(own, world, question, asked, days);
        took.push([ms, await storeMs(theirs, world, question, asked, days)]);
      }
      const [ours, ms] = [0, 1].map((side) => median(took.slice(1).map((pair) => pair[side])));
      ratios.push(ms / ours);
      const what = `${key} (ClickHouse ${ms.toFixed(0)} ms)${isEqual ? "" : ": ANSWERS DIFFER"}`;
      figures.add(section, what, oneDecimal(ms / ours));
    }
  }
  for (const connection of [own, theirs]) connection.close();
  for (const server of servers) await server.stop();
  figures.add(section, `median of ${ratios.length}`, oneDecimal(median(ratios)));
  figures.add(
    ...([section, "answers that differ", String(different.length), "0"] as const),
    different.length === 0,
  );
}

async function sameAnswers(
  sides: readonly Connection[],
  world: World,
  question: Question,
  asked: Asked,
  days: Window,
): Promise<boolean> {
  const bodies: string[] = [];
  for (const side of sides) bodies.push((await ask(side, world, question, asked, days)).body);
  return bodies[0] === bodies[1];
}
