import { afterEach, expect, test } from "bun:test";
import type { Engine } from "../../../test/support/engine";
import { event, minuteMs, noonMs, storeOf } from "../../../test/support/examples";
import { type Asked, inputOf } from "../../../test/support/query-input";
import type { AcceptedEvent } from "../../domain/event";
import { queryRead } from "./read";

let engine: Engine;
afterEach(() => engine.close());

function given(...events: readonly AcceptedEvent[]): void {
  engine = storeOf(events);
}
const query = async (asked: Asked) => (await engine.read(queryRead, inputOf(asked))).rows;
const count = async (...group_by: string[]) =>
  query({ group_by, count_mode: "raw", order_by: group_by[0], order: "asc" });

test("each is named by its beginning", async () => {
  given(...[0, 30, 60].map((minutes) => event({ timeMs: noonMs + minutes * minuteMs })));
  expect(await count("hour")).toEqual([
    { hour: "2026-01-14T12:00", event_count: 2 },
    { hour: "2026-01-14T13:00", event_count: 1 },
  ]);
  expect(await count("week", "month")).toEqual([
    { week: "2026-01-12", month: "2026-01", event_count: 3 },
  ]);
});

test("a session counts in each of its hours, and once in their week", async () => {
  const hours = [0, 1, 2].map((hour) => ({ timeMs: noonMs + hour * 60 * minuteMs }));
  given(...hours.map((said) => event({ ...said, sessionId: "s1", userId: "ann" })));
  const sessions = async (group: string) =>
    (await query({ group_by: [group], metrics: ["session_count"] })).map(
      (row) => row.session_count,
    );
  expect(await sessions("hour")).toEqual([1, 1, 1]);
  expect(await sessions("week")).toEqual([1]);
});

test("the limit keeps the latest, over all dates", async () => {
  given(...[0, 1, 30, 31].map((hours) => event({ timeMs: noonMs - hours * 60 * minuteMs })));
  const asked = { group_by: ["hour"], count_mode: "raw", order_by: "hour", limit: 3 };
  expect((await query(asked)).map((row) => row.hour)).toEqual([
    ...["2026-01-14T12:00", "2026-01-14T11:00", "2026-01-13T06:00"],
  ]);
});
