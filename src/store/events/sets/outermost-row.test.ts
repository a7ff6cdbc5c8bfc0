import { afterEach, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import {
  event,
  lastDays,
  noonMs,
  projectId,
  store,
} from "../../../../test/support/engine/examples";
import { selectionOf } from "../../../domain/metric";
import { queryRead } from "../../../features/query/read";

let engine: Engine;
afterEach(() => engine.close());

const input = {
  ...{ projectId, days: lastDays, filters: [], limit: 9 },
  selection: selectionOf({ group_by: ["session.os"], count_mode: "raw" }),
};
/** Two events of a session: only the second has a value. */
const visit = (sessionId: string, os: string, minute: number, lastsMs = 1_000) =>
  [{}, { os }].map((properties, index) =>
    event({
      sessionId,
      timeMs: noonMs - 3_600_000 + minute * 60_000 + index * lastsMs,
      properties,
    }),
  );
const storeApart = (...segments: readonly (readonly ReturnType<typeof event>[])[]) => {
  engine = new Engine({ ...usualSizes, columnEventsMin: 2, mergeFanIn: 99, waitingRowsMax: 2 });
  for (const events of segments) {
    store(engine, [...events]);
    at(noonMs, () => engine.compact());
  }
};
const rows = async () => (await engine.read(queryRead, input)).rows;

test("where visits of a session follow each other nothing of their events is opened", async () => {
  storeApart([...visit("a", "iOS", 0), ...visit("b", "Linux", 1)], visit("a", "Windows", 9));
  expect(await rows()).toEqual([
    { "session.os": "iOS", event_count: 4 },
    { "session.os": "Linux", event_count: 2 },
  ]);
  const touched = await engine.columnsTouched(queryRead, input);
  for (const ofEvents of ["property.os", "event.time"]) expect(touched).not.toContain(ofEvents);
});

test("where they overlap the earlier event has the value, and of equal times the one that came first", async () => {
  const longer = visit("a", "iOS", 0, 600_000);
  storeApart(
    longer,
    visit("a", "Linux", 5),
    longer.map((one) => ({ ...one, sessionId: "b" })),
    [...visit("b", "Windows", 0, 600_000)],
  );
  expect(await rows()).toEqual([
    { "session.os": "Linux", event_count: 4 },
    { "session.os": "iOS", event_count: 4 },
  ]);
  expect(await engine.columnsTouched(queryRead, input)).toContain("event.time");
});
