import { afterEach, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import { lastDays, noonMs, projectId, store } from "../../../../test/support/engine/examples";
import { randomEvents } from "../../../../test/support/engine/sessions";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom } from "../../../../test/support/random/random";
import { selectionOf } from "../../../domain/metric";
import { pagesRead } from "../../../features/pages/pages";
import { queryRead } from "../../../features/query/read";
import { retentionRead } from "../../../features/retention/retention";
import { distributionRead } from "../../../features/sessions/distribution";
import { sessionsRead } from "../../../features/sessions/read";
import { statsRead } from "../../../features/stats/stats";
import { openSnapshots, type Snapshots } from "../read/snapshot";

let engine: Engine;
afterEach(() => engine.close());

/** Sessions begin before it and go on after it. */
const days = { from: lastDays.to - 1, to: lastDays.to - 1 };
const anybody = { userId: null, sessionId: null, isBounce: null, showsReplays: false };
const query = (metric: string) => ({
  ...{ projectId, days, filters: [], limit: 100 },
  selection: selectionOf({ metrics: [metric], group_by: ["event"] }),
});
const retention = {
  projectId,
  period: "day",
  periods: [days],
  returningEvent: null,
  breakdown: null,
  event: null,
};

/** Each asks for other columns of sessions. */
const reads: readonly ((snapshots: Snapshots) => Promise<string>)[] = [
  (one) => one.run(queryRead, query("session_count")),
  (one) => one.run(queryRead, query("bounce_rate")),
  (one) => one.run(queryRead, query("avg_duration")),
  (one) => one.run(pagesRead, { projectId, days, type: "both", limit: 1_000 }),
  (one) => one.run(retentionRead, { ...retention, period: "day", days }),
  (one) => one.run(distributionRead, { projectId, days }),
  (one) => one.run(statsRead, { projectId, days, groupBy: "day" }),
  (one) =>
    one.run(sessionsRead, {
      ...{ projectId, days, ...anybody },
      ...{ limit: 1_000, before: null, question: {} },
    }),
];

test("facts that a table computes late, after others extended it, are the same as early ones", async () => {
  engine = new Engine({
    ...usualSizes,
    columnEventsMin: 8,
    waitingRowsMax: 60,
    settledEventsMin: 24,
  });
  for (let seed = 1; seed <= cases(3, 6); seed++) {
    const random = randomFrom(seed);
    const kept = openSnapshots(engine.file, 1 << 26, () => false);
    for (let round = 0; round < 12; round++) {
      store(engine, randomEvents(random, random.between(1, 30), 3));
      if (random.chance(0.3)) at(noonMs, () => engine.compact());
      for (let asked = 0; asked < 2; asked++) {
        const read = random.pick(reads);
        const fresh = openSnapshots(engine.file, 1 << 26, () => false);
        expect(await read(kept)).toBe(await read(fresh));
        fresh.close();
      }
    }
    kept.close();
  }
});
