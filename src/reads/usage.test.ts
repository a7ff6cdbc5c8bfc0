import { afterEach, expect, test } from "bun:test";
import { at, type Engine } from "../../test/support/engine";
import { dayMs, event, noonMs, projectId, storeOf } from "../../test/support/examples";
import { dayOf } from "../domain/event";
import { usageRead } from "./usage";

let engine: Engine;
afterEach(() => engine.close());

const usage = (...projectIds: string[]) =>
  engine.read(usageRead, { projectIds, fromDate: "2026-01-13", toDate: "2026-01-14" });

test("a project without events has none", async () => {
  engine = storeOf([]);
  expect(await usage(projectId, "proj_unknown")).toEqual({
    [projectId]: { total_events: 0, days: {} },
    proj_unknown: { total_events: 0, days: {} },
  });
});

test("events are counted by the day they were received, whatever their timestamp", async () => {
  engine = storeOf([event(), event({ timeMs: noonMs - 9 * dayMs })]);
  const receivedAtMs = noonMs - dayMs;
  at(receivedAtMs, () =>
    engine.append([{ kind: "events", projectId, receivedAtMs, events: [event()] }]),
  );
  expect(await usage(projectId)).toEqual({
    [projectId]: { total_events: 3, days: { "2026-01-13": 1, "2026-01-14": 2 } },
  });
});

test("what retention hides is no longer among the stored events", async () => {
  engine = storeOf([
    event(),
    event({ timeMs: noonMs - dayMs }),
    event({ timeMs: noonMs - 9 * dayMs }),
  ]);
  engine.forget(projectId, dayOf(noonMs) * dayMs);
  expect((await usage(projectId))[projectId]?.total_events).toBe(1);
});
