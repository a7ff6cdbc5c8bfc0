import { Connection, requestText } from "../support/server/connection";
import type { Server } from "../support/server/server";
import { type Figures, median, oneDecimal, quantile } from "./figures";
import { today } from "./ingest";
import { batches, stream } from "./send";
import type { World } from "./world";

const section = "A small project's /stats over HTTP beside the big one, ms";
const asked = 200;
const msMax = 5;
/** The projects that are asked in turn, as a few open dashboards would. */
const projectsAsked = 10;

/** One big read always runs; then events stream in as well. */
export async function measureBeside(server: Server, world: World, figures: Figures): Promise<void> {
  add(figures, "alone: median / p95", await ask(server, world));
  const big = keepReading(server, world);
  add(figures, "with one big read always running: median / p95", await ask(server, world));
  const flood = stream(server.url, batches(world.big.token, today(5, 10_000_000)), 10_000);
  await Bun.sleep(1_000);
  add(figures, "… and 10,000 events/s coming in: median / p95", await ask(server, world));
  await flood.stop();
  await big.stop();
}

function add(figures: Figures, what: string, took: readonly number[]): void {
  const middle = median(took);
  const shown = `${oneDecimal(middle)} / ${oneDecimal(quantile(took, 0.95))}`;
  figures.add(section, what, shown, `${msMax}`, middle <= msMax);
}

async function ask(server: Server, { key, small }: World): Promise<number[]> {
  const connection = await Connection.open(server.url);
  const took: number[] = [];
  for (let index = 0; index < asked; index++) {
    const { name } = small[index % projectsAsked];
    const started = performance.now();
    await get(connection, key, `/stats?project=${name}&since=29d`);
    took.push(performance.now() - started);
    await Bun.sleep(20);
  }
  connection.close();
  return took;
}

function keepReading(server: Server, { key, big }: World) {
  let isStopped = false;
  const run = async (): Promise<void> => {
    const connection = await Connection.open(server.url);
    while (!isStopped) await get(connection, key, `/stats?project=${big.name}&since=89d`);
    connection.close();
  };
  const done = run();
  return {
    stop: (): Promise<void> => {
      isStopped = true;
      return done;
    },
  };
}

async function get(connection: Connection, key: string, path: string): Promise<void> {
  const reply = await connection.send(requestText("GET", path, { "X-API-Key": key }));
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
}
