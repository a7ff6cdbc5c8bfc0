import { afterEach, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import { lastDays, noonMs, projectId, store } from "../../../../test/support/engine/examples";
import { randomEvents } from "../../../../test/support/engine/sessions";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { sessionsRead } from "../../../features/sessions/read";
import { ByteBoundedCache } from "../../../lib/cache";
import { Context } from "../filter/context";
import { openSnapshots } from "../read/snapshot";
import { openForReading } from "../tables";
import { sessionsOfUser } from "./sessions-of-user";

let engine: Engine;
afterEach(() => engine.close());

const paged = { limit: 1_000, before: null, question: {} };
const anybody = { userId: null, sessionId: null, isBounce: null, showsReplays: false };
const names = Array.from({ length: 40 }, (_, place) => `u${place}`);

function identify(previousId: string, userId: string): void {
  const told = { projectId, receivedAtMs: noonMs, previousId, userId, traits: null };
  at(noonMs, () => engine.append([{ kind: "identity", ...told }]));
}

test("sessions of a user are those of all sessions that are theirs, in any window", async () => {
  const first = randomSeed();
  let found = 0;
  for (let round = 0; round < 6; round++) {
    const random = randomFrom(first + round);
    engine = new Engine({
      ...{ ...usualSizes, columnEventsMin: 4, waitingRowsMax: 30, overlapSegmentsMin: 2 },
      ...{ mergeEventsMax: 40, settledEventsMin: 8 },
    });
    for (let commits = 0; commits < 40; commits++) {
      const events = randomEvents(random, random.between(1, 9), 12);
      store(
        engine,
        events.map((one) => ({ ...one, userId: random.chance(0.8) ? random.pick(names) : null })),
      );
      if (random.chance(0.1)) at(noonMs, () => engine.compact());
    }
    for (let links = 0; links < 3; links++) identify(random.pick(names), random.pick(names));
    const cold = openSnapshots(engine.file, 1 << 26, () => false);
    for (let asked = 0; asked < 8; asked++) {
      const from = lastDays.from + random.below(8);
      const days = { from, to: Math.min(lastDays.to, from + random.below(3)) };
      const all = await engine.read(sessionsRead, { projectId, days, ...anybody, ...paged });
      const userId = random.pick(names);
      const asks = { projectId, days, ...anybody, userId, ...paged };
      const theirs = JSON.parse(await cold.run(sessionsRead, asks));
      const expected = all.sessions.filter((session) => session.user_id === userId);
      expect({ seed: random.seed, sessions: theirs.sessions }).toEqual({
        seed: random.seed,
        sessions: expected,
      });
      found += expected.length;
    }
    cold.close();
    if (round < 5) engine.close();
  }
  expect(found).toBeGreaterThan(0);
});

test("a user of few segments has a table of few sessions, one of many segments the table of all", () => {
  engine = new Engine(usualSizes);
  for (let commit = 0; commit < 8; commit++) {
    const sessionId = `s${commit}`;
    const rare = commit === 3 ? [{ userId: "rare", sessionId }] : [];
    const visitors = [
      { userId: "frequent", sessionId },
      { userId: null, sessionId: null },
      ...rare,
    ];
    store(
      engine,
      visitors.map((visitor) => ({ ...randomEvents(randomFrom(commit), 1, 1)[0], ...visitor })),
    );
  }
  const db = openForReading(engine.file);
  const context = new Context(db, new ByteBoundedCache(1 << 20), () => undefined);
  const ids = db.query("select id from current_segment").values() as [number][];
  const all = context.segments(ids.map(([id]) => id));
  const identity = context.identity(1);
  const tableOf = (name: string) =>
    sessionsOfUser(all, { fromMs: 0, toMs: Infinity }, identity.numberOf(name)!, identity, context);
  expect(tableOf("rare")?.count).toBe(1);
  expect(tableOf("frequent")).toBeNull();
  db.close();
});
