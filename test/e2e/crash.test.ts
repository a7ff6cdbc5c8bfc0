import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EventRow } from "../../src/domain/fields";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, read, setUpAccount } from "../support/server/account";
import { launch, removeFolder, startServer, temporaryFolder } from "../support/server/server";
import { type Automated, lookInto } from "./events-file";
import { faultsIn, storedEvents } from "./verify";
import { type Sent, startWorkload } from "./workload";

const rounds = 20;
const killedInCompactionLeast = 5;
const killedInStart = 2;

const seed = randomSeed();
const random = randomFrom(seed);
const dataDir = temporaryFolder();
let key = "";

beforeAll(async () => {
  process.stdout.write(`kill -9 rounds: SEED=${seed}\n`);
  const server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  await server.stop();
});
afterAll(() => removeFolder(dataDir));

test("kill -9 at any moment: what was acknowledged is there once, the rest at most once, and whole", async () => {
  const events = new Map<Project, readonly EventRow[]>();
  let killedInCompaction = 0;
  for (let round = 1; round <= rounds || killedInCompaction < killedInCompactionLeast; round++) {
    expect(round).toBeLessThanOrEqual(4 * rounds);
    const date = today();
    const { project, sent, wasCompacting } = await loadAndKill(`round-${round}`);
    if (wasCompacting) killedInCompaction++;
    if (round <= killedInStart) await killDuringStart();

    const server = await startServer({ dataDir });
    const rows = await storedEvents(server.url, key, project);
    const faults = faultsIn(sent, rows);
    const acknowledged = sent.filter(({ outcome }) => outcome === "acknowledged").length;
    process.stdout.write(
      `round ${round}: ${acknowledged} of ${sent.length} requests acknowledged, ` +
        `${rows.length} events stored${wasCompacting ? ", killed while compacting" : ""}\n`,
    );
    expect(faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(0);
    const shown = await countersOf(server.url, project);
    expect(shown.all).toEqual([rows.length, rows.length]);
    // A round over midnight is of two dates.
    if (today() === date) expect(shown.today).toBe(rows.length);
    events.set(project, rows);
    expect(await server.stop()).toBe(0);
  }
  await expectAllStillThere(events);
}, 600_000);

/** Loads a project of its own, for 50 to 1,500 ms after the first answer, and kills the server in the middle of it. */
async function loadAndKill(name: string) {
  const server = await startServer({ dataDir });
  const startedAtMs = Date.now();
  const project = await createProject(server.url, key, name);
  const workload = await startWorkload(server.url, project, random.below(2 ** 31));
  while (!workload.sent.some(({ outcome }) => outcome === "acknowledged")) await Bun.sleep(5);
  await Bun.sleep(random.between(50, 1_500));
  await server.kill();
  await workload.stop();
  const wasCompacting = lookInto(dataDir, (file) => {
    expectAutomated(workload.sent, file.automatedOf(project.id));
    return file.wasCompactingSince(startedAtMs);
  });
  return { project, sent: workload.sent, wasCompacting };
}

/** They are written some time later and promise no more; what is written is no more than was sent. */
function expectAutomated(sent: readonly Sent[], counted: Automated): void {
  const automated = sent.filter(({ kind }) => kind === "automated");
  expect(counted.requests).toBeLessThanOrEqual(automated.length);
  const dropped = automated.reduce((sum, { numbers }) => sum + numbers.length, 0);
  expect(counted.droppedEvents).toBeLessThanOrEqual(dropped);
}

/** Recovery itself may be cut short, and must then work the next time. */
async function killDuringStart(): Promise<void> {
  const server = launch({ dataDir });
  await Bun.sleep(random.between(5, 60));
  await server.kill();
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Counters stand in the same transaction as the events they count, so they agree whatever happened. */
async function countersOf(url: string, project: Project) {
  const shown = await read<{ total_events: number; usage_today: { event_count: number } }>(
    url,
    key,
    `/projects/${project.id}`,
  );
  const stats = await read<{ totals: { total_events: number } }>(
    url,
    key,
    `/stats?project=${project.name}`,
  );
  return {
    all: [shown.total_events, stats.totals.total_events],
    today: shown.usage_today.event_count,
  };
}

/** Later rounds killed compactions and checkpoints of earlier rounds' events too. */
async function expectAllStillThere(events: ReadonlyMap<Project, readonly EventRow[]>) {
  const server = await startServer({ dataDir });
  for (const [project, rows] of events) {
    expect(await storedEvents(server.url, key, project)).toEqual([...rows]);
  }
  await server.stop();
}
