import { existsSync, readFileSync } from "node:fs";
import { ask, launch, type Server } from "../support/server/server";
import { pathFromRoot } from "../support/suite/sources";
import { conditionsNow } from "./conditions";
import { type Rest, spentBy, untilAtRest } from "./cpu";
import { type Figures, median, oneDecimal, thousands } from "./figures";
import { type GrowthRow, growthChart, growthTable, measures, withRow } from "./growth-chart";
import { today } from "./ingest";
import { isReady, memoryOf } from "./memory";
import { type Asked, questions } from "./questions";
import { batches, sendAll } from "./send";
import { serve, type World } from "./world";

/** The sizes whose figures are kept beside each other. */
const sizes = [1_000_000, 10_000_000, 100_000_000];
const folder = ["test", "load", "growth"] as const;
const callsBefore = 3;
const calls = 20;
const starts = 9;
const eventsBefore = 100_000;
const eventsSent = 500_000;
/** Merges rest for a moment between each other. */
const rest: Rest = { share: 0.03, forMs: 3_000 };

const spent = (server: Server): number => spentBy(server.process.pid);
const untilServerRests = (server: Server): Promise<void> => untilAtRest(server.process.pid, rest);

/**
 * What costs more the more is stored. Processor time, as others on the machine change that least; for events with all
 * that is done for them later.
 */
export async function measureGrowth(world: World, figures: Figures): Promise<void> {
  const startMs = await costOfStart(world.dataDir);
  const server = await serve(world.dataDir);
  await untilServerRests(server);
  const restMb = memoryOf(server.process.pid).nowMb;
  const statsMs = await costOfRead(server, world, "/stats by day");
  const funnelMs = await costOfRead(server, world, "/funnel by user");
  const readMb = memoryOf(server.process.pid).nowMb;
  const ingestionUs = await costOfEvent(server, world);
  await server.stop();
  const values = { ingestionUs, statsMs, funnelMs, startMs, restMb, readMb };
  for (const [name, what] of Object.entries(measures)) {
    const value = values[name as keyof typeof values];
    figures.add(`With ${thousands(world.events)} events stored`, what, oneDecimal(value));
  }
  if (sizes.includes(world.events)) {
    const { day, commit, load } = conditionsNow();
    await keep({ events: world.events, day, commit, load, values });
  }
}

async function costOfStart(dataDir: string): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < starts; index++) {
    const server = launch({ dataDir });
    while (!(await isReady(server.url))) await Bun.sleep(1);
    took.push(spent(server));
    await server.stop();
  }
  return median(took);
}

async function costOfRead(server: Server, world: World, name: string): Promise<number> {
  const question = questions.find((one) => one.name === name);
  if (question === undefined) throw new Error(`There is no question "${name}".`);
  const nobody = { userId: "", sessionId: "", experiments: { 7: "", 30: "", 90: "" } };
  const asked: Asked = { project: world.big, ...nobody };
  const [method, path, body] = question.request(asked, 90);
  let before = 0;
  for (let call = 0; call < callsBefore + calls; call++) {
    if (call === callsBefore) before = spent(server);
    const reply = await ask(server.url, method, path, { "X-API-Key": world.key }, body);
    if (reply.status !== 200) throw new Error(`${name} answered ${reply.status}: ${reply.body}`);
  }
  return (spent(server) - before) / calls;
}

async function costOfEvent(server: Server, { big }: World): Promise<number> {
  await sendAll(server.url, batches(big.token, today(5, eventsBefore)));
  await untilServerRests(server);
  const before = spent(server);
  const { events } = await sendAll(server.url, batches(big.token, today(6, eventsSent)));
  await untilServerRests(server);
  return ((spent(server) - before) * 1_000) / events;
}

/** Writes a row beside those of other sizes. */
async function keep(row: GrowthRow): Promise<void> {
  const file = pathFromRoot(...folder, "figures.json");
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as readonly GrowthRow[])
    : [];
  const rows = withRow(before, row);
  await Bun.write(file, `${JSON.stringify(rows, null, 2)}\n`);
  await Bun.write(pathFromRoot(...folder, "chart.svg"), growthChart(rows));
  await Bun.write(pathFromRoot("src", "docs", "benchmarks", "growth.md"), reportOf(rows));
}

const reportOf = (rows: readonly GrowthRow[]): string =>
  [
    "# Cost against size",
    "",
    "Measured by `npm run load -- --only=growth --events=N`, each size in a run of its own: one project with N events",
    "over 90 days. The last column shows how much a cost grows from the smallest size to the largest, which has 100",
    "times as many events: 1 means that it does not grow. [A chart](../../../test/load/growth/chart.svg) shows the",
    "same.",
    "",
    growthTable(rows),
    "",
  ].join("\n");
