import { afterEach, expect, test } from "bun:test";
import { DayFold } from "../../test/model/day-fold";
import { at, Engine } from "../../test/support/engine/engine";
import { dayMs, noonMs, projectId } from "../../test/support/engine/examples";
import { ownHosts } from "../../test/support/engine/own-hosts";
import { cases } from "../../test/support/random/cases";
import { randomFrom, randomSeed } from "../../test/support/random/random";
import { randomVisits } from "../../test/support/random/random-visits";
import { type DayRow, dayCounts, dayDimensions } from "../domain/day-row";
import { dayOf } from "../domain/event";
import { dayRowsRead } from "./day-rows";

let engine = new Engine();
afterEach(() => engine.close());

async function folded(day: number, zone: string | undefined): Promise<DayRow[]> {
  const rows: DayRow[] = [];
  for (const dimension of dayDimensions) {
    rows.push(...(await engine.read(dayRowsRead, { projectId, day, zone, dimension })).rows);
  }
  return rows;
}
const sorted = (rows: readonly DayRow[]): string[] =>
  rows
    .map((row) => [row.date, row.dimension, row.value, ...dayCounts.map((name) => row[name])])
    .map((row) => JSON.stringify(row))
    .sort();

test("the fold of events gives what reads of the store count", async () => {
  const seed = randomSeed();
  for (let run = 0; run < cases(8, 200); run++) {
    engine.close();
    engine = new Engine();
    const random = randomFrom(seed + run);
    // Many values are joined with the sessions of the date; of a few each is a filter.
    const isMany = run % 4 === 3;
    const many = (): object => ({
      os: `os ${random.below(500)}`,
      utm_campaign: `c${random.below(500)}`,
    });
    const span = { fromMs: noonMs - 3 * dayMs, hours: isMany ? 30 : 72 };
    const events = randomVisits(random, isMany ? 400 : 120, span).map((event) =>
      isMany ? { ...event, properties: { ...event.properties, ...many() } } : event,
    );
    at(noonMs, () => engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]));
    if (run % 2 === 0) at(noonMs, () => engine.compact());
    const zone = [undefined, "America/New_York", "Asia/Kolkata"][run % 3];
    const fold = new DayFold(zone, ownHosts);
    for (const event of events.toSorted((a, b) => a.timeMs - b.timeMs)) fold.add(event);
    const found: DayRow[] = [];
    for (let day = dayOf(noonMs) - 5; day <= dayOf(noonMs) + 1; day++) {
      found.push(...(await folded(day, zone)));
    }
    const [got, wanted] = [sorted(found), sorted(fold.rows())];
    const differing = [
      ...got.filter((row) => !wanted.includes(row)),
      ...wanted.filter((row) => !got.includes(row)),
    ];
    expect({ seed: seed + run, differing }).toEqual({ seed: seed + run, differing: [] });
    expect(got.length).toBe(wanted.length);
  }
});
