import { afterAll, beforeAll, expect, test } from "bun:test";
import { at, Engine } from "../../../../test/support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  store,
} from "../../../../test/support/engine/examples";
import { allSitesRead } from "../../../features/all-sites/read";
import { heatmapRead } from "../../../features/heatmap/heatmap";
import { statsRead } from "../../../features/stats/stats";
import { clock } from "../../../lib/clock";
import { usualTuning } from "../tuning";

/** A visit that lasts over hours and days, told by rows and by columns. */

const minuteMs = 60_000;
let engine: Engine;
let undoClock: () => void;
beforeAll(() => {
  // All days that are counted here are over.
  undoClock = clock.replace(() => noonMs + dayMs);
  engine = new Engine();
});
afterAll(() => {
  engine.close();
  undoClock();
});

/** 600 visits of four events that lie 50 minutes apart: each touches four hours, and some two days. */
const visits = Array.from({ length: 600 }, (_, visit) =>
  Array.from(
    { length: 4 },
    (_, index) => noonMs - dayMs + visit * minuteMs + index * 50 * minuteMs,
  ),
);

test.each(["rows", "columns"])("hours and days of visits that cross them, of %s", async (kind) => {
  if (kind === "rows") {
    const events = visits.flatMap((times, visit) =>
      times.map((timeMs) => event({ timeMs, userId: `u${visit}`, sessionId: `s${visit}` })),
    );
    at(noonMs, () => store(engine, events));
  } else at(noonMs, () => engine.compact());

  const cells = new Map<string, Set<number>>();
  const days = new Map<number, number>();
  visits.forEach((times, visit) => {
    for (const timeMs of times) {
      const date = new Date(timeMs);
      const cell = `${date.getUTCDay()} ${date.getUTCHours()}`;
      cells.set(cell, (cells.get(cell) ?? new Set()).add(visit));
      const day = Math.floor(timeMs / dayMs);
      days.set(day, (days.get(day) ?? 0) + 1);
    }
  });
  const { heatmap } = await engine.read(heatmapRead, { projectId, days: lastDays });
  expect(heatmap.map(({ day, hour, users }) => [`${day} ${hour}`, users])).toEqual(
    heatmap.map(({ day, hour }) => [`${day} ${hour}`, cells.get(`${day} ${hour}`)?.size ?? 0]),
  );
  expect(heatmap).toHaveLength(cells.size);

  const { to } = lastDays;
  const found = await engine.read(allSitesRead, {
    projects: [{ id: projectId, name: "shop" }],
    label: "1d",
    current: { from: to, to },
    previous: { from: to - 1, to: to - 1 },
    limit: 10,
  });
  const { current, previous } = found.summary.total_events;
  expect([current, previous]).toEqual([days.get(to) ?? 0, days.get(to - 1) ?? 0]);
});

/** With few events a day, as other tests have, whole months are counted at once. */
test("a series by hour of days with many events", async () => {
  const hours = new Map<string, { users: Set<number>; events: number }>();
  visits.forEach((times, visit) => {
    for (const timeMs of times) {
      const bucket = `${new Date(timeMs).toISOString().slice(0, 13)}:00`;
      const { users, events } = hours.get(bucket) ?? { users: new Set(), events: 0 };
      hours.set(bucket, { users: users.add(visit), events: events + 1 });
    }
  });
  const asked = { projectId, days: lastDays, groupBy: "hour" } as const;
  expect((await engine.read(statsRead, asked)).timeSeries).toEqual(
    [...hours].sort().map(([bucket, { users, events }]) => ({
      bucket,
      unique_users: users.size,
      total_events: events,
    })),
  );
});

/** Earlier counts are kept, and each change must show even so. */
test("hours once counted are counted again when users are linked, events come late, and retention ends", async () => {
  const asked = { projectId, days: lastDays, groupBy: "hour" } as const;
  const series = async (): Promise<unknown> => {
    const { timeSeries } = await engine.read(statsRead, asked);
    expect(timeSeries).toEqual((await engine.readCold(statsRead, asked)).timeSeries);
    return timeSeries;
  };
  const seen = [await series()];
  const daysStored = new Set(visits.flat().map((timeMs) => Math.floor(timeMs / dayMs)));
  const keptHours = () => engine.cachedKeys.filter((key) => key.startsWith("hours from"));
  expect(keptHours()).toHaveLength(daysStored.size);
  expect(await series()).toEqual(seen[0]);
  expect(keptHours()).toHaveLength(daysStored.size);
  const firstMs = visits[0][0];
  // Compaction makes columns of this many.
  const late = Array.from({ length: usualTuning.waitingRowsMax }, (_, index) =>
    event({ timeMs: firstMs, userId: `late ${index}` }),
  );
  const changes = [
    () => link("u0", "u1"),
    () => store(engine, late),
    () => link("u2", "late 7"),
    () => engine.forget(projectId, firstMs + 60 * minuteMs),
  ];
  for (const change of changes) {
    at(noonMs, change);
    seen.push(await series());
    expect(seen.at(-1)).not.toEqual(seen.at(-2));
    at(noonMs, () => engine.compact());
    expect(await series()).toEqual(seen.at(-1));
  }
});

function link(previousId: string, userId: string): void {
  const identity = { kind: "identity", projectId, previousId, userId, traits: null } as const;
  engine.append([{ ...identity, receivedAtMs: noonMs }]);
}

test("hours of a day stay counted when what comes lies before and after it", async () => {
  const alone = new Engine();
  const eventsAt = (timeMs: number) =>
    Array.from({ length: 600 }, (_, n) => event({ timeMs: timeMs + n, userId: `u${n}` }));
  const asked = { projectId, days: lastDays, groupBy: "hour" } as const;
  const keptHours = () => alone.cachedKeys.filter((key) => key.startsWith("hours from"));
  store(
    alone,
    [2, 3, 4].flatMap((days) => eventsAt(noonMs - days * dayMs)),
  );
  at(noonMs, () => alone.compact());
  await alone.read(statsRead, asked);
  const counted = keptHours();
  expect(counted).toHaveLength(3);
  store(alone, [event({ timeMs: noonMs - 4 * dayMs }), event({ timeMs: noonMs - 2 * dayMs })]);
  const { timeSeries } = await alone.read(statsRead, asked);
  expect(timeSeries).toEqual((await alone.readCold(statsRead, asked)).timeSeries);
  expect(timeSeries.map(({ total_events }) => total_events)).toEqual([601, 600, 601]);
  expect(keptHours().filter((key) => !counted.includes(key))).toHaveLength(2);
  alone.close();
});

test("hours of one zone are not those of another that was asked before", async () => {
  const alone = new Engine();
  const events = Array.from({ length: 600 }, (_, n) =>
    event({ timeMs: noonMs - 2 * dayMs + n * 2 * minuteMs, userId: `u${n}`, sessionId: `s${n}` }),
  );
  at(noonMs, () => store(alone, events));
  at(noonMs, () => alone.compact());
  const seen = new Set<string>();
  for (const zone of ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "UTC"]) {
    const asked = { projectId, days: { ...lastDays, zone } };
    const { heatmap } = await alone.read(heatmapRead, asked);
    expect({ zone, heatmap }).toEqual({
      zone,
      heatmap: (await alone.readCold(heatmapRead, asked)).heatmap,
    });
    seen.add(JSON.stringify(heatmap));
  }
  expect(seen.size).toBe(3);
  alone.close();
});
