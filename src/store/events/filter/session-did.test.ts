import { expect, test } from "bun:test";
import type { Engine } from "../../../../test/support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  store,
  storeOfColumns,
} from "../../../../test/support/engine/examples";
import { inputOf } from "../../../../test/support/engine/query-input";
import type { Did } from "../../../domain/filter-items";
import { eventsOf } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import { queryRead } from "../../../features/query/read";

/** A late event of another session may change which sessions of a settled date pass `session_did`. */

const yesterday = { from: lastDays.to - 1, to: lastDays.to - 1 };
const order = (days: number, sessionId: string | null, orderId: number) =>
  event({
    ...{ name: "order", timeMs: noonMs + days * dayMs, sessionId, userId: "ann" },
    properties: { order_id: orderId, utm_source: `${sessionId} ads` },
  });
/** Yesterday has two sessions with an order each, in a segment of columns; today has events too. */
const twoOrders = (): Engine => {
  const engine = storeOfColumns((index) =>
    index < 2 ? order(-1, `s${index}`, index) : event({ timeMs: noonMs - dayMs }),
  );
  store(engine, [event()]);
  return engine;
};
const ofSession = { isNegated: false, of: "session" as const, filters: [], window: null };

async function sessionsOf(engine: Engine, item: Did): Promise<unknown> {
  const input = { ...inputOf({ metrics: ["session_count"] }), days: yesterday, filters: [item] };
  const { rows } = await engine.read(queryRead, input);
  return rows[0]?.session_count;
}

test("an older order makes later orders with its number repeats", async () => {
  const events = eventsOf({ event: "order", filters: [], oncePer: "order_id" });
  const did = { ...ofSession, did: "order", goal: { id: "goal_1", name: "Order", events } };
  const engine = twoOrders();
  try {
    expect(await sessionsOf(engine, did)).toBe(2);
    store(engine, [order(-4, null, 0)]);
    expect(await sessionsOf(engine, did)).toBe(1);
    store(engine, [order(-5, "s9", 1)]);
    expect(await sessionsOf(engine, did)).toBe(0);
  } finally {
    engine.close();
  }
});

test("an older session of the user has the user's first source", async () => {
  const field = "user.first_utm_source" as const;
  const filters = [{ field, op: "eq" as const, value: "s0 ads", window: allTime }];
  const did = { ...ofSession, did: "order", filters };
  const engine = twoOrders();
  try {
    expect(await sessionsOf(engine, did)).toBe(2);
    store(engine, [order(-5, "s9", 1)]);
    expect(await sessionsOf(engine, did)).toBe(0);
  } finally {
    engine.close();
  }
});
