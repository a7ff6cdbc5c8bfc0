import { expect, test } from "bun:test";
import { usualSizes } from "../../../../test/support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  storeOf,
  storeOfColumns,
} from "../../../../test/support/engine/examples";
import { inputOf } from "../../../../test/support/engine/query-input";
import type { CountRequest } from "../../../domain/counting";
import { windowOf } from "../../../domain/period";
import { queryRead } from "../../../features/query/read";
import type { Read } from "../../port";
import { openSnapshots } from "../read/snapshot";
import { usualTuning } from "../tuning";

const dates = windowOf(lastDays);
const oldDate = { fromMs: dates.fromMs, toMs: noonMs - dayMs };
const byUser: CountRequest = { group_by: ["user_id"], metrics: ["event_count"] };
const read = (toMs: number): Read<null, unknown> => ({
  name: "by user",
  scope: () => ({ projectIds: [projectId], ...dates }),
  run: (snapshot) => snapshot.countBy({ projectId, ...dates, toMs }, byUser),
});

test("what a count of users takes does not depend on the users that its thread has seen before", async () => {
  const engine = storeOf([
    event({ userId: "old", sessionId: "old", timeMs: noonMs - 2 * dayMs }),
    ...Array.from({ length: 6_000 }, (_, n) => event({ userId: `u${n}`, sessionId: `s${n}` })),
  ]);
  const questionBytesMax = 40_000;
  const snapshots = openSnapshots(engine.file, 1 << 24, () => false, {
    ...usualTuning,
    questionBytesMax,
  });
  try {
    const cold = await snapshots.run(read(oldDate.toMs), null);
    expect(JSON.parse(cold)).toMatchObject({ rows: [{ user_id: "old", event_count: 1 }] });
    await expect(snapshots.run(read(dates.toMs), null)).rejects.toThrow("would take more than");
    expect(await snapshots.run(read(oldDate.toMs), null)).toBe(cold);
  } finally {
    snapshots.close();
    engine.close();
  }
});

test("a filter on pages finds the users and sessions of an event that visits have without other events", async () => {
  // Each session has two events of one name, so that the segment stores one name for each visit, and also masks.
  const sizes = { ...usualSizes, countedEventsMin: 1 };
  const names = ["page_view", "signup"];
  const engine = storeOfColumns((index) => {
    const session = index >> 1;
    return event({
      ...{ name: names[session % 2], userId: `u${session}`, sessionId: `s${session}` },
      properties: { path: index % 2 === 0 ? "/" : `/${session % 3}` },
    });
  }, sizes);
  const metrics = ["event_count", "unique_users", "session_count"];
  const byEvent = { group_by: ["event"], order_by: "event", order: "asc", metrics } as const;
  const filters = [{ field: "properties.path", op: "eq", value: "/1" }];
  try {
    const { rows } = await engine.read(queryRead, inputOf({ ...byEvent, filters }));
    const counts = { event_count: 250, unique_users: 250, session_count: 250 };
    expect(rows).toEqual(names.map((name) => ({ event: name, ...counts })));
  } finally {
    engine.close();
  }
});
