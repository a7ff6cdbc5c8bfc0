import { afterEach, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  store,
} from "../../../../test/support/engine/examples";
import { randomEvents, shown } from "../../../../test/support/engine/sessions";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom } from "../../../../test/support/random/random";
import type { AcceptedEvent } from "../../../domain/event";
import type { FilterItem } from "../../../domain/filter-items";
import { selectionOf } from "../../../domain/metric";
import { queryRead } from "../../../features/query/read";

let engine: Engine;
afterEach(() => engine.close());

test("a read that stops while it extends a table of sessions leaves no changes behind", async () => {
  const random = randomFrom(7);
  engine = new Engine();
  const store = (events: AcceptedEvent[]) =>
    at(noonMs, () => engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]));
  store(randomEvents(random, usualSizes.waitingRowsMax + 100, 12));
  at(noonMs, () => engine.compact());
  await shown(lastDays, (read, input) => engine.read(read, input));
  for (let stopAfter = 1; stopAfter < 120; stopAfter += cases(17, 7)) {
    store(randomEvents(random, 9, 3));
    let left = stopAfter;
    engine.isCancelled = () => --left <= 0;
    try {
      await shown(lastDays, (read, input) => engine.read(read, input));
    } catch (error) {
      expect(error).toMatchObject({ name: "ReadCancelled" });
    }
    engine.isCancelled = () => false;
    const kept = await shown(lastDays, (read, input) => engine.read(read, input));
    expect(kept).toEqual(await shown(lastDays, (read, input) => engine.readCold(read, input)));
  }
});

test("the cache drops a table if extending it again fails, as both tables had the same memory", async () => {
  const sizes = { ...usualSizes, columnEventsMin: 4, waitingRowsMax: 4, settledEventsMin: 4 };
  engine = new Engine(sizes);
  const names = ["settled", "young", "younger"];
  for (const [place, name] of names.entries()) {
    const events = Array.from({ length: name === "settled" ? 8 : 2 }, (_, index) =>
      event({ name, timeMs: noonMs + place, sessionId: `s${index % 2}` }),
    );
    store(engine, events);
    if (name === "settled") at(noonMs, () => engine.compact());
  }
  const countOf = (filters: FilterItem[]) =>
    engine.read(queryRead, {
      ...{ projectId, days: lastDays, filters, limit: 9 },
      selection: selectionOf({ metrics: ["session_count"], group_by: [] }),
    });
  // Each has other young segments.
  const some: FilterItem[] = [{ field: "event", op: "in", value: ["settled", "young"] }];
  for (let stopAfter = 1; stopAfter < 30; stopAfter++) {
    expect((await countOf(some)).rows).toEqual([{ session_count: 2 }]);
    let left = stopAfter;
    engine.isCancelled = () => --left <= 0;
    await countOf([]).catch((error: unknown) => {
      expect(error).toMatchObject({ name: "ReadCancelled" });
    });
    engine.isCancelled = () => false;
  }
});

test("segments beside the window that were merged and swept are not asked for again", async () => {
  const random = randomFrom(11);
  engine = new Engine({ ...usualSizes, columnEventsMin: 4, waitingRowsMax: 8 });
  const today = { from: lastDays.to, to: lastDays.to };
  const store = (dayAgo: number, count: number) =>
    at(noonMs, () =>
      engine.append([
        {
          kind: "events",
          projectId,
          receivedAtMs: noonMs,
          events: Array.from({ length: count }, () =>
            event({
              timeMs: noonMs - dayAgo * dayMs + random.below(60_000),
              userId: "u",
              sessionId: `s${random.below(12)}`,
            }),
          ),
        },
      ]),
    );
  // A day beside the window, in segments that will be merged once it is over; and rows of today.
  for (let round = 0; round < 2; round++) {
    store(1, 9);
    at(noonMs - dayMs, () => engine.compact());
  }
  store(0, 3);
  const kept = () => shown(today, (read, input) => engine.read(read, input));
  const fresh = () => shown(today, (read, input) => engine.readCold(read, input));
  expect(await kept()).toEqual(await fresh());
  at(noonMs, () => engine.compact());
  at(noonMs + 5 * 60_000, () => engine.sweep());
  expect(await kept()).toEqual(await fresh());
});

test("segments beside the window whose sessions came into it make a new table when they are merged", async () => {
  engine = new Engine({
    ...usualSizes,
    columnEventsMin: 4,
    waitingRowsMax: 4,
    settledEventsMin: 4,
  });
  const today = { from: lastDays.to, to: lastDays.to };
  const storeColumns = (dayAgo: number, sessionId: string) => {
    const timeMs = noonMs - dayAgo * dayMs;
    store(
      engine,
      Array.from({ length: 4 }, (_, index) => event({ timeMs: timeMs + index, sessionId })),
    );
    at(noonMs, () => engine.compact());
    engine.noteOverlaps();
  };
  const expectKept = async () => {
    const kept = await shown(today, (read, input) => engine.read(read, input));
    expect(kept).toEqual(await shown(today, (read, input) => engine.readCold(read, input)));
  };
  storeColumns(1, "long");
  storeColumns(0, "short");
  await expectKept();
  storeColumns(0, "long");
  await expectKept();
  storeColumns(1, "other");
  at(noonMs + 5 * 60_000, () => engine.sweep());
  await expectKept();
});
