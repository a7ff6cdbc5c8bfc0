import { expect, test } from "bun:test";
import type { ObjectEvent } from "../../src/domain/event";
import type { Condition } from "../../src/domain/filter";
import { selectionOf } from "../../src/domain/metric";
import { sessionFields } from "../../src/domain/session-field";
import { queryRead } from "../../src/features/query/read";
import { at } from "../support/engine";
import { dayMs, lastDays, noonMs, projectId, storeOf } from "../support/examples";
import { type Random, randomFrom } from "../support/random";

/** Fields of sessions against loops over all events, whatever was committed and merged meanwhile. */

const inOrder = (events: readonly ObjectEvent[]): ObjectEvent[] =>
  events
    .map((one, order) => ({ one, order }))
    .toSorted((a, b) => a.one.timeMs - b.one.timeMs || a.order - b.order)
    .map(({ one }) => one);

/** As a text; null for what counts as no value. */
function valueIn(field: string, { properties, country }: ObjectEvent): string | null {
  const name = field.slice("session.".length);
  const value = name === "country" ? country : properties?.[name];
  if (value === null || value === undefined || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
const pageOf = ({ properties }: ObjectEvent): string | null => {
  const pages = [properties?.path, properties?.url];
  const page = pages.find((one) => typeof one === "string" && one !== "");
  return typeof page === "string" ? page : null;
};

function ofSession(field: string, session: readonly ObjectEvent[]): string | null {
  const events = inOrder(session);
  const values =
    field === "session.entry_page"
      ? events.map(pageOf)
      : field === "session.exit_page"
        ? events.map(pageOf).toReversed()
        : events.map((one) => valueIn(field, one));
  return values.find((value) => value !== null) ?? null;
}

/** The value of each event: that of its session. */
function valuesIn(field: string, all: readonly ObjectEvent[]): (string | null)[] {
  const known = new Map<string, string | null>();
  return all.map(({ sessionId }) => {
    if (sessionId === null) return null;
    if (!known.has(sessionId)) {
      const session = all.filter((one) => one.sessionId === sessionId);
      known.set(sessionId, ofSession(field, session));
    }
    return known.get(sessionId) ?? null;
  });
}

const words = ["google", "news", "", 7, true, null, "ü", "a b", undefined, undefined];
function randomEvent({ below, chance, pick }: Random): ObjectEvent {
  const names = sessionFields.slice(2, -1).map((field) => field.slice("session.".length));
  return {
    eventId: null,
    name: pick(["page_view", "buy"]),
    timeMs: noonMs - 2 * dayMs + below(2_000) * 60_000 + below(2),
    userId: pick(["ann", "bob", null]),
    sessionId: chance(0.9) ? `s${below(25)}` : null,
    country: pick(["DE", "US", null]),
    properties: Object.fromEntries(
      ["path", "url", ...names].filter(() => chance(0.5)).map((name) => [name, pick(words)]),
    ),
  };
}

const dates = { ...lastDays, from: lastDays.from };
const from = (timeMs: number): boolean => timeMs >= dates.from * dayMs;

async function check(engine: ReturnType<typeof storeOf>, all: readonly ObjectEvent[]) {
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
    const left = shown.filter(({ index }) => !["google", "7"].includes(values[index] ?? ""));
    expect(await query([], [out])).toEqual([{ event_count: left.length }]);
  }
}

test.each([1, 2, 3, 4])(
  "a session has one value of each field, judged on all its events (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const engine = storeOf([]);
    const all: ObjectEvent[] = [];
    try {
      for (let round = 0; round < 4; round++) {
        const events = Array.from({ length: random.pick([3, 40, 300]) }, () => randomEvent(random));
        at(noonMs, () =>
          engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]),
        );
        all.push(...events);
        await check(engine, all);
        if (random.chance(0.6)) at(noonMs, () => engine.compact());
        await check(engine, all);
      }
    } finally {
      await engine.close();
    }
  },
  60_000,
);
