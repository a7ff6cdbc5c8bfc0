import { expect, test } from "bun:test";
import { dayMs, event, hourMs, noonMs } from "../../../test/support/engine/examples";
import { type Asked, inputOf } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import { queryRead } from "./read";

const on = new ReadTest();
const { given } = on;
const query = async (asked: Asked) => (await on.engine.read(queryRead, inputOf(asked))).rows;

test("the last date of each visitor is that of the latest row, in the zone of the read", async () => {
  const lateMs = noonMs + 11.5 * hourMs;
  given(
    event({ name: "a", userId: "ann", timeMs: noonMs - 2 * dayMs }),
    event({ name: "b", userId: "ann", timeMs: lateMs }),
    event({ name: "a", userId: "bob", timeMs: noonMs - 3 * dayMs }),
  );
  const asked: Asked = {
    ...{ metrics: ["last_date", "event_count"], group_by: ["user_id"], count_mode: "raw" },
  };
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  expect(await query({ ...asked, order_by: "last_date" })).toEqual([
    { user_id: "ann", last_date: dateOf(lateMs), event_count: 2 },
    { user_id: "bob", last_date: dateOf(noonMs - 3 * dayMs), event_count: 1 },
  ]);
  const [newest] = await query({ ...asked, limit: 1, order_by: "event_count" });
  expect(newest?.last_date).toBe(dateOf(lateMs));
  const isA = { filters: [{ field: "event", op: "eq", value: "a" }] } as const;
  const [ofA] = await query({ ...asked, ...isA, order_by: "last_date" });
  expect(ofA).toMatchObject({ user_id: "ann", last_date: dateOf(noonMs - 2 * dayMs) });
  const none = { filters: [{ field: "event", op: "eq", value: "none" }] } as const;
  expect(await query({ metrics: ["last_date"], ...none })).toEqual([{ last_date: null }]);
});
