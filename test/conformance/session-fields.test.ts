import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import type { Condition } from "../../src/domain/filter";
import { selectionOf } from "../../src/domain/metric";
import { sessionFields } from "../../src/domain/session-field";
import { queryRead } from "../../src/features/query/read";
import { fieldOf, Model } from "../model/model";
import type { Answering } from "../support/engine/driven";
import { at } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { engineMsMax, everyMerge, onEach, openEngine } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom } from "../support/random/random";
import { randomSource } from "../support/random/random-sources";

/** Each field of sessions against the model, whatever was committed and merged meanwhile. */

/** The value of each event: that of its session. */
function valuesIn(field: string, all: readonly ObjectEvent[]): (string | null)[] {
  const model = new Model();
  for (const { userId: user, sessionId: session, ...event } of all) {
    model.add({ ...event, user, session }, noonMs);
  }
  return model.all().map((event) => fieldOf(event, field));
}

function randomEvent(random: Random): ObjectEvent {
  const { below, chance, pick } = random;
  const pages = chance(0.5) ? { path: pick(["/", "/a", "", 7]) } : { url: pick(["/b", null]) };
  return {
    eventId: null,
    name: pick(["page_view", "buy"]),
    timeMs: noonMs - 2 * dayMs + below(2_000) * 60_000 + below(2),
    userId: pick(["ann", "bob", null]),
    sessionId: chance(0.9) ? `s${below(25)}` : null,
    country: pick(["DE", "US", null]),
    properties: { ...pages, ...randomSource(random) },
  };
}

const dates = { ...lastDays, from: lastDays.from };
const from = (timeMs: number): boolean => timeMs >= dates.from * dayMs;

async function check(engine: Answering, all: readonly ObjectEvent[]) {
  const shown = all.map((one, index) => ({ one, index })).filter(({ one }) => from(one.timeMs));
  for (const field of sessionFields) {
    const values = valuesIn(field, all);
    const counts = new Map<string | null, number>();
    for (const { index } of shown) counts.set(values[index], (counts.get(values[index]) ?? 0) + 1);
    const query = async (group_by: string[], filters: Condition[]) => {
      const selection = selectionOf({ group_by, count_mode: "raw", order_by: "event_count" });
      const asked = { projectId, days: dates, selection, filters, limit: 1_000 };
      return (await engine.read(queryRead, asked)).rows;
    };
    const rows = await query([field], []);
    const found = new Map(rows.map((row) => [row[field], row.event_count]));
    expect([field, found]).toEqual([field, counts]);
    for (const [value, count] of counts) {
      const condition: Condition =
        value === null ? { field, op: "is_null", value: "" } : { field, op: "eq", value };
      expect([field, value, await query([], [condition])]).toEqual([
        field,
        value,
        [{ event_count: count }],
      ]);
    }
    const out: Condition = { field, op: "not_in", value: ["google", "7"] };
    // Of sources, values are read as what a utm_source says.
    const dropped = field === "session.source" ? ["Google", "7"] : out.value;
    const left = shown.filter(({ index }) => !dropped.includes(values[index] ?? ""));
    expect(await query([], [out])).toEqual([{ event_count: left.length }]);
  }
}

test.each(onEach(cases([1], [1, 2, 3, 4]), [1]))(
  "a session has one value of each field, judged on all its events (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const engine = await openEngine();
    const all: ObjectEvent[] = [];
    try {
      for (let round = 0; round < onEach(4, 1); round++) {
        const events = Array.from({ length: random.pick(onEach([3, 40, 300], [40])) }, () =>
          randomEvent(random),
        );
        await at(noonMs, async () =>
          engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]),
        );
        all.push(...events);
        await check(engine, all);
        if (random.chance(0.6)) await at(noonMs, async () => engine.compact(everyMerge));
        await check(engine, all);
      }
    } finally {
      await engine.close();
    }
  },
  engineMsMax,
);
