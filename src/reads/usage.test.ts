import { afterEach, expect, test } from "bun:test";
import { at, type Engine } from "../../test/support/engine/engine";
import { dayMs, event, noonMs, projectId, storeOf } from "../../test/support/engine/examples";
import { dayOf } from "../domain/event";
import { usageRead } from "./usage";

let engine: Engine;
afterEach(() => engine.close());

const usage = (...projectIds: string[]) =>
  engine.read(usageRead, { projectIds, fromDate: "2026-01-13", toDate: "2026-01-14" });

const nothing = {
  ...{ total_events: 0, days: {}, first_event_at: null, last_event_at: null },
  ...{ first_own_at: null, retained_from_ms: 0 },
};

test("a project without events has none", async () => {
  engine = storeOf([]);
  expect(await usage(projectId, "proj_unknown")).toEqual({
    [projectId]: nothing,
    proj_unknown: nothing,
  });
});

test("events are counted by the day they were received, whatever their timestamp", async () => {
  engine = storeOf([event(), event({ timeMs: noonMs - 9 * dayMs })]);
  const receivedAtMs = noonMs - dayMs;
  at(receivedAtMs, () =>
    engine.append([{ kind: "events", projectId, receivedAtMs, events: [event()] }]),
  );
  expect(await usage(projectId)).toEqual({
    [projectId]: {
      ...{ total_events: 3, days: { "2026-01-13": 1, "2026-01-14": 2 } },
      ...{ first_event_at: noonMs - 9 * dayMs, last_event_at: noonMs, retained_from_ms: 0 },
      first_own_at: noonMs - 9 * dayMs,
    },
  });
});

test("what retention hides is no longer among the stored events", async () => {
  engine = storeOf([
    event(),
    event({ timeMs: noonMs - dayMs }),
    event({ timeMs: noonMs - 9 * dayMs }),
  ]);
  engine.forget(projectId, dayOf(noonMs) * dayMs);
  expect((await usage(projectId))[projectId]).toMatchObject({
    ...{ total_events: 1, first_event_at: noonMs, last_event_at: noonMs },
    first_own_at: noonMs,
    retained_from_ms: dayOf(noonMs) * dayMs,
  });
});

test.each([false, true])(
  "first and last events are exact to the millisecond where retention cuts (columns: %p)",
  async (isColumns) => {
    engine = storeOf(
      Array.from({ length: 3_000 }, (_, index) => event({ timeMs: noonMs - index * 90_001 })),
    );
    if (isColumns) at(noonMs, () => engine.compact());
    const fromMs = dayOf(noonMs - dayMs) * dayMs;
    engine.forget(projectId, fromMs);
    const steps = Math.floor((noonMs - fromMs) / 90_001);
    expect((await usage(projectId))[projectId]).toMatchObject({
      total_events: steps + 1,
      first_event_at: noonMs - steps * 90_001,
      last_event_at: noonMs,
    });
    engine.forget(projectId, noonMs + dayMs);
    expect((await usage(projectId))[projectId]).toMatchObject({
      ...{ total_events: 0, first_event_at: null, last_event_at: null },
    });
  },
);
