import { afterEach, beforeEach, expect, test } from "bun:test";
import { DayFold } from "../../test/model/day-fold";
import { noonMs, type TestApp, type TestProject, testApp } from "../../test/support/app/app";
import { randomFrom, randomSeed } from "../../test/support/random/random";
import { randomVisits } from "../../test/support/random/random-visits";
import { type DayRow, dayCounts, dayDimensions } from "../domain/day-row";
import { dayOf, isoDate, type ObjectEvent } from "../domain/event";
import { dayMs } from "../lib/clock";
import type { Control } from "../store/control/control";
import type { EventStore } from "../store/port";
import { RetentionRun } from "./retention";

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

const zone = "Asia/Tokyo";
const today = dayOf(noonMs);

async function projectWith(name: string, events: readonly ObjectEvent[]): Promise<TestProject> {
  const project = await app.makeProject(name);
  await app.send("PATCH", `/projects/${name}`, { key: app.key, body: { timezone: zone } });
  const entry = { kind: "events", projectId: project.id, receivedAtMs: noonMs, events } as const;
  await app.deps.store.append([entry]);
  return project;
}
const someEvents = (hours = 90): ObjectEvent[] => {
  const random = randomFrom(randomSeed());
  return randomVisits(random, hours, { fromMs: noonMs - 5 * dayMs, hours, sessionHours: 20 });
};
/** The rows of the dates that begin in the zone before a day of UTC. */
function wantedRows(events: readonly ObjectEvent[], beforeMs: number): string[] {
  const fold = new DayFold(zone, ["shop.example.com"]);
  for (const event of events.toSorted((a, b) => a.timeMs - b.timeMs)) fold.add(event);
  return textsOf(fold.rows().filter(({ date }) => startOf(date) < beforeMs));
}
const startOf = (date: string): number => Date.parse(date) - 9 * 3_600_000;
/** The stored rows of these dates. The next date may have been counted too. */
function storedRows({ id }: TestProject, beforeMs: number): string[] {
  const { days } = app.deps.control;
  const rows: DayRow[] = [];
  for (const { day, dayImportId, isRetention } of days.ofProject(id)) {
    expect(isRetention).toBe(true);
    if (startOf(isoDate(day)) >= beforeMs) continue;
    for (const dimension of dayDimensions) {
      for (const { sums } of days.sums(dayImportId, dimension, day, day)) {
        for (const one of sums) rows.push({ date: isoDate(day), dimension, ...one });
      }
    }
  }
  return textsOf(rows);
}
const textsOf = (rows: readonly DayRow[]): string[] =>
  rows
    .map((row) => [row.date, row.dimension, row.value, ...dayCounts.map((name) => row[name])])
    .map((row) => JSON.stringify(row))
    .sort();

/** The stores, of which one step fails, as at a kill: before it is done or after. */
function failingAt(place: number) {
  const { store, control, archive } = app.deps;
  let steps = 0;
  const step = <T>(work: () => T): T => {
    if (steps++ === place) throw new Error("killed before a step");
    const done = work();
    if (steps++ === place) throw new Error("killed after a step");
    return done;
  };
  const { days } = control;
  const failing: Pick<typeof days, "fold" | "noteDeleted" | "isFolding" | "ofProject"> = {
    fold: (...asked) => step(() => days.fold(...asked)),
    noteDeleted: (...asked) => step(() => days.noteDeleted(...asked)),
    isFolding: (id) => days.isFolding(id),
    ofProject: (id) => days.ofProject(id),
  };
  const forget = async (id: string, ms: number): Promise<void> => {
    if (steps++ === place) throw new Error("killed before a step");
    await store.forget(id, ms);
    if (steps++ === place) throw new Error("killed after a step");
  };
  const stores: { store: EventStore; control: Control } = {
    store: Object.create(store, { forget: { value: forget } }),
    control: Object.create(control, { days: { value: failing } }),
  };
  return {
    ...{ ...stores, archive },
    steps: () => steps,
  };
}
const run = (project: TestProject, retainedFromMs: number) =>
  new RetentionRun(app.deps, () => false).forget(project.id, retainedFromMs);

test("dates are folded before their events go, wherever a run is killed", async () => {
  const events = someEvents(40);
  const until = (today - 4) * dayMs;
  const wanted = wantedRows(events, until);
  for (let place = 0; ; place++) {
    const project = await projectWith(`shop${place}`, events);
    const failing = failingAt(place);
    const killed = await new RetentionRun(failing, () => false)
      .forget(project.id, until)
      .then(() => false)
      .catch(() => true);
    if (killed) expect(await run(project, until)).toBe(true);
    expect({ place, rows: storedRows(project, until) }).toEqual({ place, rows: wanted });
    if (!killed) break;
    expect(place).toBeLessThan(40);
  }
});

test("a date of which the first hours went is counted once, as a whole", async () => {
  const events = someEvents();
  const project = await projectWith("shop", events);
  for (let day = today - 4; day <= today + 1; day++) {
    await run(project, day * dayMs);
    expect({ day, rows: storedRows(project, day * dayMs) }).toEqual({
      day,
      rows: wantedRows(events, day * dayMs),
    });
  }
  const first = Math.min(...events.map(({ timeMs }) => timeMs));
  expect(app.deps.control.days.firstDeletedMs(project.id)).toBe(first);
});

test("a stopped run leaves its dates to the next one", async () => {
  const events = someEvents();
  const project = await projectWith("shop", events);
  let asked = 0;
  const stopped = new RetentionRun(app.deps, () => asked++ === 1);
  expect(await stopped.forget(project.id, (today - 1) * dayMs)).toBe(false);
  expect(app.deps.control.days.ofProject(project.id).length).toBeLessThanOrEqual(2);
  const until = (today - 1) * dayMs;
  expect(await run(project, until)).toBe(true);
  expect(storedRows(project, until)).toEqual(wantedRows(events, until));
});

test("a project that does not want days has none", async () => {
  const project = await projectWith("shop", someEvents());
  app.deps.control.days.setFolding(project.id, false);
  await run(project, today * dayMs);
  expect(storedRows(project, noonMs)).toEqual([]);
  expect(app.deps.control.days.firstDeletedMs(project.id)).not.toBeNull();
});
