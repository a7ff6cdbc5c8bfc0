import { afterEach, expect, test } from "bun:test";
import { at, type Engine } from "../../../test/support/engine";
import { dayMs, event, noonMs, projectId, storeOf } from "../../../test/support/examples";
import { volumeRead } from "./volume";

let engine: Engine;
afterEach(() => engine.close());

const received = (fromDate: string, toDate: string) =>
  engine.read(volumeRead, { fromDate, toDate });

test("events are counted by project and the date of their receipt, both ends included", () => {
  engine = storeOf([event(), event({ timeMs: noonMs - 9 * dayMs })]);
  const receivedAtMs = noonMs - dayMs;
  const other = "proj_anotheroneofthem";
  at(receivedAtMs, () =>
    engine.append([
      { kind: "events", projectId, receivedAtMs, events: [event()] },
      { kind: "events", projectId: other, receivedAtMs, events: [event(), event()] },
    ]),
  );
  expect(received("2026-01-01", "2026-01-14")).toEqual({ [projectId]: 3, [other]: 2 });
  expect(received("2026-01-14", "2026-01-14")).toEqual({ [projectId]: 2 });
  expect(received("2026-01-13", "2026-01-13")).toEqual({ [projectId]: 1, [other]: 2 });
  expect(received("2026-01-01", "2026-01-12")).toEqual({});
});

test("what retention hides was received all the same", () => {
  engine = storeOf([event(), event()]);
  engine.forget(projectId, noonMs + dayMs);
  expect(received("2026-01-01", "2026-01-31")).toEqual({ [projectId]: 2 });
});
