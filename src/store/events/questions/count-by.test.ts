import { expect, test } from "bun:test";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  storeOf,
} from "../../../../test/support/engine/examples";
import type { CountGroup, CountRequest } from "../../../domain/counting";
import { ApiError } from "../../../domain/errors";
import { windowOf } from "../../../domain/period";
import type { Read } from "../../port";

const view = { projectId, ...windowOf(lastDays) };
const counted: Read<CountRequest, { readonly groups_total: number }> = {
  name: "counted",
  scope: () => ({ ...view, projectIds: [projectId] }),
  run: (snapshot, request) => snapshot.countBy(view, request),
};
const groupings: readonly (readonly CountGroup[])[] = [
  ...([["properties.n"], ["event", "properties.n"], ["user_id"], ["session_id"]] as const),
  ...([["date", "user_id"], ["date"], ["hour"]] as const),
];

/** The bound of POST /query is a million: here it is as small as the data. */
test.each(groupings.map((group_by) => [group_by.join(" and "), group_by] as const))(
  "more groups by %s than allowed are refused, and as many as allowed are counted",
  async (_, group_by) => {
    const engine = storeOf(
      Array.from({ length: 3 }, (_, n) =>
        event({
          ...{ userId: `u${n}`, sessionId: `s${n}`, properties: { n } },
          timeMs: noonMs - n * dayMs,
        }),
      ),
    );
    try {
      const ask = { group_by, metrics: ["event_count"], limit: 1 } as const;
      expect((await engine.read(counted, { ...ask, groups_max: 3 })).groups_total).toBe(3);
      // With several metrics, only the groups that are shown are counted in full.
      const several = { ...ask, metrics: ["event_count", "unique_users"] } as const;
      expect((await engine.read(counted, several)).groups_total).toBe(3);
      let code = "";
      try {
        await engine.read(counted, { ...ask, groups_max: 2 });
      } catch (error) {
        code = error instanceof ApiError ? error.code : String(error);
      }
      expect(code).toBe("QUERY_FAILED");
    } finally {
      engine.close();
    }
  },
);
