import { afterEach, expect, test } from "bun:test";
import { at, Engine } from "../../../../test/support/engine";
import { dayMs, event, lastDays, noonMs, projectId } from "../../../../test/support/examples";
import { type Random, randomFrom } from "../../../../test/support/random";
import type { AcceptedEvent } from "../../../domain/event";
import { selectionOf } from "../../../domain/metric";
import { queryRead } from "../../../features/query/read";
import { pagesRead } from "../../../features/session-pages/read";
import { distributionRead, sessionsRead } from "../../../features/sessions/read";

let engine: Engine;
afterEach(() => engine.close());

const paged = { limit: 1_000, before: null, question: {} };
const anybody = { userId: null, sessionId: null, isBounce: null, showsReplays: false };

/** All that is kept of sessions, as the API shows it. */
function shown(days: typeof lastDays, read: Engine["read"]): unknown {
  const metrics = ["session_count", "bounce_rate", "avg_duration", "event_count"];
  const selection = selectionOf({ metrics, group_by: ["event"] });
  return [
    read(sessionsRead, { projectId, days, ...anybody, ...paged }),
    read(distributionRead, { projectId, days }),
    read(pagesRead, { projectId, days, type: "both", limit: 1_000 }),
    read(queryRead, { projectId, days, selection, conditions: [], limit: 100 }),
  ];
}

/** Sessions that go on for days, of few users, with pages or without. */
function randomEvents(
  { below, chance, pick }: Random,
  count: number,
  spanDays: number,
): AcceptedEvent[] {
  return Array.from({ length: count }, () =>
    event({
      name: pick(["page_view", "page_view", "click"]),
      timeMs: noonMs - below(spanDays * 24 * 60) * 60_000,
      userId: chance(0.7) ? `u${below(9)}` : null,
      sessionId: chance(0.9) ? `s${below(400)}` : null,
      properties: chance(0.4) ? { path: `/${below(5)}` } : {},
    }),
  );
}

// The table of settled segments is kept while young ones are laid over it and lifted off again.
test.each([1, 2, 3, 4])("what is kept of sessions equals what is made anew (seed %d)", (seed) => {
  const random = randomFrom(seed);
  engine = new Engine();
  const store = (events: AcceptedEvent[]) =>
    at(noonMs, () => engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]));
  store(randomEvents(random, 6_000, 12));
  at(noonMs, () => engine.compact());
  const windows = [
    lastDays,
    { from: lastDays.to, to: lastDays.to },
    { from: lastDays.from - 5, to: lastDays.to - 2 },
  ];
  for (let round = 0; round < 12; round++) {
    store(randomEvents(random, random.between(1, 40), random.pick([1, 3, 12])));
    if (random.chance(0.2)) at(noonMs, () => engine.compact());
    if (random.chance(0.3)) engine.relate();
    if (random.chance(0.1)) engine.forget(projectId, (lastDays.from - 5 + round) * dayMs);
    for (const days of windows) {
      const kept = shown(days, (read, input) => engine.read(read, input));
      const anew = shown(days, (read, input) => engine.readAnew(read, input));
      expect(kept).toEqual(anew);
    }
  }
});

test("a read that is stopped while sessions are laid over leaves nothing behind", () => {
  const random = randomFrom(7);
  engine = new Engine();
  const store = (events: AcceptedEvent[]) =>
    at(noonMs, () => engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]));
  store(randomEvents(random, 6_000, 12));
  at(noonMs, () => engine.compact());
  shown(lastDays, (read, input) => engine.read(read, input));
  for (let stopAfter = 1; stopAfter < 120; stopAfter += 7) {
    store(randomEvents(random, 9, 3));
    let left = stopAfter;
    engine.isCancelled = () => --left <= 0;
    try {
      shown(lastDays, (read, input) => engine.read(read, input));
    } catch (error) {
      expect(error).toMatchObject({ name: "ReadCancelled" });
    }
    engine.isCancelled = () => false;
    const kept = shown(lastDays, (read, input) => engine.read(read, input));
    expect(kept).toEqual(shown(lastDays, (read, input) => engine.readAnew(read, input)));
  }
});
