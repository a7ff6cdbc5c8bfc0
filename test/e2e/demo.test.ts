import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { demoDay } from "../../src/domain/demo/day";
import { dayOf, isoDate } from "../../src/domain/event";
import { demoDates } from "../../src/domain/limits";
import { dayMs, hourMs } from "../../src/lib/clock";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

/** The servers begin at noon, so that no date ends during a test: at yesterday's, as no clock may run ahead. */
const nowMs = Date.now();
const today = dayOf(nowMs) - 1;
const toNoonMs = today * dayMs + dayMs / 2 - nowMs;

const begin = (server: Server) => ask(server.url, "POST", "/demo/session");
const start = (offsetMs = 0): Promise<Server> =>
  startServer({ dataDir, env: { CLOCK_OFFSET_MS: String(toNoonMs + offsetMs) } });

const seedOf = (last: number): number =>
  Array.from({ length: demoDates }, (_, index) => demoDay(last - index).events.length).reduce(
    (sum, events) => sum + events,
    0,
  );

/** What a session sees, by date. */
async function seen(server: Server): Promise<readonly (readonly [string, number])[]> {
  const session = JSON.parse((await begin(server)).body);
  const headers = { Authorization: `Bearer ${session.agent_session.access_token}` };
  const path = "/stats?project=agentanalytics-demo&since=3000d";
  const { timeSeries } = JSON.parse((await ask(server.url, "GET", path, headers)).body);
  return timeSeries.map(({ bucket, total_events }: Record<string, unknown>) => [
    bucket,
    total_events,
  ]);
}
function expected(last: number): readonly (readonly [string, number])[] {
  const days = Array.from({ length: demoDates }, (_, index) => last - demoDates + 1 + index);
  return days.map((day) => [isoDate(day), demoDay(day).events.length]);
}

/** Straight from the files, as no session may be begun that would mend them. */
function storedOf(): {
  readonly isSeeded: boolean;
  readonly events: number;
  readonly demos: number;
} {
  const control = new Database(join(dataDir, "control.db"), { readonly: true });
  const rows = control.query("select project_id, seeded_date from demo").all() as {
    project_id: string;
    seeded_date: string | null;
  }[];
  control.close();
  const store = new Database(join(dataDir, "events.db"), { readonly: true });
  const { events } = store
    .query(
      `select coalesce(sum(event_count), 0) as events from current_segment
       join project on project.id = project_id where name = ?`,
    )
    .get(rows[0]?.project_id ?? "") as { events: number };
  store.close();
  const isSeeded = rows.length > 0 && rows[0]?.seeded_date !== null;
  return { isSeeded, events, demos: rows.length };
}

/** Measures the time of the first session, in which there is something to interrupt. */
async function seedingMs(): Promise<number> {
  const server = await start();
  const startedMs = performance.now();
  expect((await begin(server)).status).toBe(200);
  const tookMs = performance.now() - startedMs;
  await server.stop();
  removeFolder(dataDir);
  return tookMs;
}

/** Shares of the time that seeding takes, after which the server is killed. */
const moments = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1, 1.05, 1.2];

/** Each is nine starts, and nine waits that take longer on a busy machine. */
const roundsMsMax = 600_000;

test(
  "killed while it is seeded, the demo has all of its events or none, and the next session all",
  async () => {
    const tookMs = await seedingMs();
    const outcomes: string[] = [];
    for (const moment of moments) {
      const server = await start();
      const asked = begin(server).catch(() => null);
      await Bun.sleep(moment * tookMs);
      await server.kill();
      await asked;
      const { isSeeded, events, demos } = storedOf();
      expect([0, seedOf(today)]).toContain(events);
      expect(isSeeded ? events : 0).toBe(isSeeded ? seedOf(today) : 0);
      expect(demos).toBeLessThanOrEqual(1);
      outcomes.push(`${isSeeded ? "seeded" : "not seeded"}, ${events} events`);
    }
    process.stdout.write(`seeding took ${tookMs.toFixed()} ms; killed meanwhile: ${outcomes}\n`);
    const server = await start();
    expect(await seen(server)).toEqual(expected(today));
    await server.stop();
    expect(storedOf()).toMatchObject({ demos: 1, isSeeded: true });
  },
  roundsMsMax,
);

test(
  "killed while its dates move, the demo shows the dates before or those after",
  async () => {
    removeFolder(dataDir);
    const tookMs = await seedingMs();
    // Two dates earlier, and less than two days: a clock is trusted that far.
    const before = await start(-2 * dayMs + hourMs);
    expect(await seen(before)).toEqual(expected(today - 2));
    await before.stop();
    const [old, next] = [seedOf(today - 2), seedOf(today)];
    const outcomes: number[] = [];
    for (const moment of moments) {
      // The dates are behind, so that they move at the start.
      const server = await start();
      await Bun.sleep(moment * tookMs);
      await server.kill();
      const { events } = storedOf();
      expect([old, next]).toContain(events);
      outcomes.push(events);
    }
    process.stdout.write(`${old} before, ${next} after; killed meanwhile: ${outcomes}\n`);
    const server = await start();
    expect(await seen(server)).toEqual(expected(today));
    await server.stop();
  },
  roundsMsMax,
);
