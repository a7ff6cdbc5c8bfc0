import { afterEach, expect, test } from "bun:test";
import { Engine, usualSizes } from "../../../../test/support/engine/engine";
import {
  event,
  lastDays,
  minuteMs,
  noonMs,
  projectId,
  store,
} from "../../../../test/support/engine/examples";
import { statsRead } from "../../../features/stats/stats";
import { openSnapshots } from "../read/snapshot";
import type { KeptSessions } from "./sessions/session-tables";

let engine: Engine;
afterEach(() => engine.close());

const sessionCount = 200;

/** Sessions of a minute each, of which the first ones have two users, and hence two visits. */
const sessions = (ofSeveral: number) =>
  Array.from({ length: sessionCount }, (_, index) => {
    const sessionId = `s${index}`;
    const last = { userId: index < ofSeveral ? `late ${index}` : `u${index}`, sessionId };
    return [
      event({ name: "page_view", timeMs: noonMs, userId: `u${index}`, sessionId }),
      event({ name: "page_view", timeMs: noonMs + minuteMs, ...last }),
    ];
  }).flat();

/** What /stats says of the sessions, and whether their table was filled for it. */
async function summed(ofSeveral: number, summedSessionsMax: number) {
  engine = new Engine();
  store(engine, sessions(ofSeveral));
  const tuning = { ...usualSizes, summedSessionsMax };
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false, tuning);
  const asked = { projectId, days: lastDays, groupBy: "day" } as const;
  const said = JSON.parse(await snapshots.run(statsRead, asked)).sessions;
  const [key = ""] = [...snapshots.cache.keys()].filter((one) => one.startsWith("sessions of "));
  const make = () => {
    throw new Error("It is there.");
  };
  const kept = snapshots.cache.get<KeptSessions>(key, () => 0, make);
  const isFilled = kept.table?.isKnownFor("all");
  snapshots.close();
  return { said, isFilled };
}

test.each([
  ["an eighth of the sessions are of several visits", 25, sessionCount, false],
  ["more than an eighth are", 26, sessionCount, true],
  ["more are, of more sessions than a table is filled for", 26, sessionCount - 1, false],
])(
  "the table is filled for sums where it pays, and says the same: %s",
  async (_, ofSeveral, max, isFilled) => {
    const found = await summed(ofSeveral, max);
    expect(found.isFilled).toBe(isFilled);
    expect(found.said).toEqual({
      ...{ total_sessions: sessionCount, avg_duration: minuteMs, bounce_rate: 1 },
      // A session belongs to the user of its latest event.
      ...{ pages_per_session: 2, sessions_per_user: 1 },
    });
  },
);
