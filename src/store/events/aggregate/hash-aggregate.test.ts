import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { CountGroup } from "../../../domain/counting";
import { ByteBoundedCache } from "../../../lib/cache";
import { Context } from "../filter/context";
import { Selection } from "../scan/selection";
import { HashAggregate } from "./hash-aggregate";
import { type Inputs, keyOf } from "./plan";
import { UsersOfGroups } from "./users";

/*
 * Groups, events and users of any rows against a loop over them. Sizes at which pairs of keys and sets of users change
 * their form are small here and usual ones in turn.
 */

const eventCount = 2_000;
const countries = ["DE", "US", null];
const store = new SegmentStore();
store.tune({ columnEventsMin: 1, waitingRowsMax: 2, countedEventsMin: 1 });
const events = Array.from({ length: eventCount }, (_, number) => ({
  name: `event ${(number * 13) % 7}`,
  country: countries[number % 3],
  device: ["desktop", "mobile"][(number >> 4) % 2],
  order: `order ${number >> 1}`,
  user: `u${(number * 7) % 97}`,
}));
store.store(
  ...events.map(({ name, country, device, order, user }, number) =>
    eventAt(startMs + number, {
      ...{ name, country, userId: user, sessionId: `session of ${user}` },
      properties: { device, order },
    }),
  ),
);
store.compact();
const [stored] = store.open();
afterAll(() => store.close());

const fields = ["event", "country", "properties.device", "properties.order", "user_id"] as const;
const propertyOf = {
  event: "name",
  country: "country",
  "properties.device": "device",
  "properties.order": "order",
  user_id: "user",
} as const satisfies Partial<Record<CountGroup, keyof (typeof events)[number]>>;

/** The event of each row: events of one user follow each other in a segment. */
function eventsByRow(context: Context): (typeof events)[number][] {
  const [segment] = context.segments([stored.id]);
  return Array.from(segment.times, (time) => events[segment.firstTime + time - startMs]);
}

const seed = randomSeed();
test(`any keys group any rows as a loop does (seed ${seed})`, () => {
  const random = randomFrom(seed);
  for (let round = 0; round < cases(60, 1_000); round++) {
    const pairArrayLengthMax = random.pick([1, 64, 1 << 22]);
    const tuning = { ...store.tuning, pairArrayLengthMax };
    const context = new Context(store.readDb, new ByteBoundedCache(1e8), () => undefined, tuning);
    const [segment] = context.segments([stored.id]);
    const rows = eventsByRow(context);
    const share = random.pick([0.01, 0.3, 1]);
    const marks = Uint8Array.from(rows, () => (random.chance(share) ? 1 : 0));
    const selection = Selection.ofRows(segment, marks);
    const identity = context.identity(segment.projectId);
    const groupBy = fields.filter(() => random.chance(0.4));
    const selected = selection.isNone ? [] : [selection];
    const inputs: Inputs = {
      ...{ context, identity, selected, window: { fromMs: 0, toMs: 1e15 } },
      ...{ sessions: null, numbers: null, reached: null },
    };
    const skipsNull = random.chance(0.3);
    const keys = groupBy.map((name) => keyOf(name, inputs));
    const counted = new HashAggregate(keys, context.budget, { skipsNull });
    for (const one of selected) counted.add(one);
    const users = new UsersOfGroups(context, identity, identity.largestIn([segment]));

    const expected = new Map<string, { events: number; readonly users: Set<string> }>();
    rows.forEach((event, row) => {
      const labels = groupBy.map((name) => event[propertyOf[name]]);
      if (marks[row] === 0 || (skipsNull && labels.includes(null))) return;
      const key = JSON.stringify(labels);
      const group = expected.get(key) ?? { events: 0, users: new Set() };
      expected.set(key, group);
      group.events++;
      group.users.add(event.user);
    });
    const labelsOf = (group: number): string =>
      JSON.stringify(groupBy.map((_, place) => counted.label(group, place)));
    // Half of the time for some of the groups alone, as for those that a limit shows.
    const all = [...counted.members()];
    expect(all.map(labelsOf).toSorted()).toEqual([...expected.keys()].toSorted());
    const only = random.chance(0.5) ? all.filter(() => random.chance(0.5)) : undefined;
    counted.aggregate(new Map([["unique_users", users]]), only);
    for (const group of only ?? all) {
      const known = expected.get(labelsOf(group));
      expect(counted.value(group, "event_count")).toBe(known?.events ?? -1);
      expect(counted.value(group, "unique_users")).toBe(known?.users.size ?? -1);
    }
    counted.end();
  }
});

test("stored counts are used without decoding codes", () => {
  const context = new Context(store.readDb, new ByteBoundedCache(1e8), () => undefined);
  const [segment] = context.segments([stored.id]);
  const codesOf = segment.codes.bind(segment);
  let lookups = 0;
  segment.codes = (name) => {
    lookups++;
    return codesOf(name);
  };
  const identity = context.identity(segment.projectId);
  const selected = [Selection.all(segment)];
  const inputs: Inputs = {
    ...{ context, identity, selected, window: { fromMs: 0, toMs: 1e15 } },
    ...{ sessions: null, numbers: null, reached: null },
  };
  const counted = new HashAggregate([keyOf("event", inputs)], context.budget);
  for (const one of selected) counted.add(one);
  expect(counted.members().length).toBe(7);
  expect(lookups).toBe(0);
  const paired = new HashAggregate(
    (["event", "country", "properties.device"] as const).map((name) => keyOf(name, inputs)),
    context.budget,
  );
  for (const one of selected) paired.add(one);
  expect(paired.members().length).toBe(42);
  // Once for each column and pair, however many rows there are.
  expect(lookups).toBeLessThan(16);
});
