import { expect, test } from "bun:test";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  storeOf,
} from "../../../../test/support/engine/examples";
import type { CountRequest } from "../../../domain/counting";
import { windowOf } from "../../../domain/period";
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
