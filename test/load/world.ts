import { Database } from "bun:sqlite";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../../src/lib/clock";
import { createProject, type Project, read, setUpAccount } from "../support/server/account";
import { acceptClock, type Server, startServer } from "../support/server/server";
import { bigProject, smallProject, wireEvents } from "./dataset";
import { type Figures, oneDecimal, thousands } from "./figures";
import { type BatchRequest, batches, countryFromHeader, sendAll } from "./send";

/** The loaded data folder and what the measurements need to know of it. */
export interface World {
  readonly dataDir: string;
  readonly key: string;
  readonly big: Project;
  readonly small: readonly Project[];
  readonly events: number;
  readonly endMs: number;
}

const days = 90;
/** Events may be at most 30 days old when they come in, and a phase takes its time. */
const phaseDays = 22.5;
const smallProjects = 200;

/** Starts the executable on the folder, as the measurements want it: no demo, countries from a header. */
export const serve = (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> =>
  startServer({ dataDir, env: { DEMO_ENABLED: "false", ...countryFromHeader, ...env } });

/** Loads the data set in phases, oldest first, each by a server whose clock stands at the phase's end. */
export async function loadWorld(dataDir: string, events: number, figures: Figures): Promise<World> {
  const endMs = Math.floor(Date.now() / 60_000) * 60_000;
  const source = wireEvents(bigProject(events, endMs));
  const rates: { events: number; seconds: number }[] = [];
  let world: World | null = null;
  let next = source.next();
  for (
    let phaseEndMs = endMs - (days - phaseDays) * dayMs;
    phaseEndMs <= endMs;
    phaseEndMs += phaseDays * dayMs
  ) {
    const offsetMs = Math.min(0, phaseEndMs - Date.now());
    const env = { CLOCK_OFFSET_MS: String(Math.round(offsetMs)) };
    // Phases are longer than a clock may jump.
    if (world !== null) await acceptClock({ dataDir, env });
    const server = await serve(dataDir, env);
    world ??= await newWorld(server, dataDir, events, endMs);
    const until = function* () {
      for (; next.done !== true && next.value.timeMs < phaseEndMs; next = source.next())
        yield next.value;
    };
    rates.push(await sendAll(server.url, batches(world.big.token, until())));
    if (phaseEndMs === endMs) await loadSmallProjects(server, world);
    await (phaseEndMs === endMs ? untilSwept : untilCompacted)(dataDir);
    await server.stop();
  }
  if (world === null) throw new Error("There was no phase to load.");
  const sent = rates.reduce((sum, rate) => sum + rate.events, 0);
  const seconds = rates.reduce((sum, rate) => sum + rate.seconds, 0);
  const rate = sent / seconds;
  figures.add(
    "Ingestion",
    `bulk load of ${thousands(sent)} events, batches of 100, events/s`,
    thousands(rate),
    "150,000",
    rate >= 150_000,
  );
  addDiskFigures(world, figures);
  return world;
}

async function newWorld(
  server: Server,
  dataDir: string,
  events: number,
  endMs: number,
): Promise<World> {
  const key = await setUpAccount(server.url);
  const big = await createProject(server.url, key, "big");
  const small: Project[] = [];
  for (let index = 0; index < smallProjects; index++) {
    small.push(await createProject(server.url, key, `small-${index}`));
  }
  return { dataDir, key, big, small, events, endMs };
}

async function loadSmallProjects(server: Server, { small, endMs }: World): Promise<void> {
  const requests = function* (): Generator<BatchRequest> {
    for (const [index, { token }] of small.entries()) {
      yield* batches(token, wireEvents(smallProject(index, endMs)));
    }
  };
  await sendAll(server.url, requests());
}

/** Waits until nothing has changed for three seconds: then the compactor rests. */
export const untilCompacted = (dataDir: string): Promise<void> => untilQuiet(dataDir, () => true);

/** Waits also until what was replaced, which is kept for a minute, is gone. */
const untilSwept = (dataDir: string): Promise<void> =>
  untilQuiet(dataDir, ({ retired }) => retired === 0);

async function untilQuiet(dataDir: string, isDone: (state: StoreState) => boolean): Promise<void> {
  for (let same = 0, before = ""; same < 6; ) {
    await Bun.sleep(500);
    const state = stateOf(dataDir);
    const now = JSON.stringify(state);
    same = now === before && isDone(state) ? same + 1 : 0;
    before = now;
  }
}

interface StoreState {
  readonly segments: number;
  readonly newest: number;
  readonly retired: number;
  readonly keyBlocks: number;
  readonly pages: number;
}

const storeState = `
  select count(*) as segments, max(id) as newest, count(retired_at) as retired,
    (select count(*) from key_block) as keyBlocks, (select page_count from pragma_page_count) as pages
  from segment`;

function stateOf(dataDir: string): StoreState {
  const database = new Database(join(dataDir, "events.db"), { readonly: true });
  try {
    const state = database.query<StoreState, []>(storeState).get();
    if (state === null) throw new Error("An aggregate always has a row.");
    return state;
  } finally {
    database.close();
  }
}

export const folderBytes = (dataDir: string): number =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

function addDiskFigures({ dataDir, events, small }: World, figures: Figures): void {
  const total = events + small.length * 1_000;
  const database = new Database(join(dataDir, "events.db"), { readonly: true });
  const pragma = (name: string): number =>
    Number(database.query(`pragma ${name}`).values()[0]?.[0]);
  const free = pragma("freelist_count") * pragma("page_size");
  database.close();
  const bytes = folderBytes(dataDir);
  const perEvent = (bytes - free) / total;
  figures.add(
    "Disk",
    "bytes per event, everything that is in use",
    oneDecimal(perEvent),
    "22",
    perEvent <= 22,
  );
  figures.add(
    "Disk",
    "… with the free pages that a bulk load leaves for later events",
    oneDecimal(bytes / total),
  );
}

/** Returns how many events a project's readers see; every measurement that sends events checks it. */
export async function storedIn(server: Server, key: string, project: Project): Promise<number> {
  const shown = await read<{ total_events: number }>(server.url, key, `/projects/${project.id}`);
  return shown.total_events;
}
