import { expect, test } from "bun:test";
import { at } from "../../../../test/support/engine/engine";
import {
  event,
  hourMs,
  lastDays,
  noonMs,
  projectId,
  store,
  storeOf,
} from "../../../../test/support/engine/examples";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom } from "../../../../test/support/random/random";
import type { AcceptedEvent } from "../../../domain/event";
import { selectionOf } from "../../../domain/metric";
import { averageDuration, bounceRate } from "../../../domain/session";
import { queryRead } from "../../../features/query/read";

/** With the first names a visit's set of groups has a place of its own; with all of them many have none. */
const namesOfFew = ["page_view", "click", "$error", "sign_up"];
const namesOfMany = [...namesOfFew, ...Array.from({ length: 16 }, (_, n) => `event ${n}`)];
const passive = new Set(["page_view", "$error"]);

/** Enough events for many visits in each half. */
const eventsStored = 3_000;

/** Sessions that last up to an hour. Some have events in both halves of the list, which are stored one by one. */
const eventsOf = ({ below, pick, chance }: Random, names: readonly string[]): AcceptedEvent[] =>
  Array.from({ length: eventsStored }, (_, index) => {
    const half = index < eventsStored / 2 ? "first" : "second";
    const sessionId = chance(0.2) ? `both ${below(40)}` : `${half} ${below(500)}`;
    return event({
      name: pick(names),
      timeMs: noonMs - below(hourMs),
      userId: `u${below(50)}`,
      sessionId: chance(0.9) ? sessionId : null,
    });
  });

type Row = Readonly<Record<string, string | number | null>>;
const byName = (a: Row, b: Row): number => (String(a.event) < String(b.event) ? -1 : 1);

function rowsOf(events: readonly AcceptedEvent[]): Row[] {
  const sessions = Map.groupBy(
    events.filter(({ sessionId }) => sessionId !== null),
    ({ sessionId }) => sessionId,
  );
  const judged = [...sessions.values()].map((all) => {
    const times = all.map(({ timeMs }) => timeMs);
    return {
      names: new Set(all.map(({ name }) => name)),
      isBounce: all.every(({ name }) => passive.has(name)),
      durationMs: Math.max(...times) - Math.min(...times),
    };
  });
  const named = [...new Set(events.map(({ name }) => name))].map((name) => {
    const those = judged.filter(({ names }) => names.has(name));
    const bounces = those.filter(({ isBounce }) => isBounce).length;
    const durationMs = those.reduce((sum, one) => sum + one.durationMs, 0);
    return {
      event: name,
      session_count: those.length,
      bounce_rate: bounceRate(bounces, those.length),
      avg_duration: averageDuration(durationMs, those.length),
    };
  });
  return named.toSorted(byName);
}

const metrics = ["session_count", "bounce_rate", "avg_duration"];
const question = {
  ...{ projectId, days: lastDays, filters: [], limit: 100 },
  selection: selectionOf({ metrics, group_by: ["event"] }),
};

test.each([
  ["few", namesOfFew],
  ["many", namesOfMany],
])("sessions of one visit and of several are judged alike, by %s names", async (_, names) => {
  for (let seed = 1; seed <= cases(2, 10); seed++) {
    const events = eventsOf(randomFrom(seed), names);
    const engine = storeOf([]);
    const shown = async () => (await engine.read(queryRead, question)).rows.toSorted(byName);
    for (const count of [eventsStored / 2, eventsStored]) {
      const told = events.slice(0, count);
      store(engine, told.slice(-eventsStored / 2));
      expect([seed, await shown()]).toEqual([seed, rowsOf(told)]);
      at(noonMs, () => engine.compact());
      expect([seed, await shown()]).toEqual([seed, rowsOf(told)]);
    }
    engine.close();
  }
});
