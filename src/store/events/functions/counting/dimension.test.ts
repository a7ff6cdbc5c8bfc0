import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../../test/support/engine/segment-store";
import { ByteBoundedCache } from "../../../../lib/cache";
import { Context } from "../context";
import { groupingOf } from "./dimension";
import { labelsOf } from "./labels";

const eventCount = 4_000;
const countries = ["DE", "US", null];
const devices = ["desktop", "mobile"];
const store = new SegmentStore();
store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
store.store(
  ...Array.from({ length: eventCount }, (_, number) =>
    eventAt(startMs + number, {
      name: `event ${number % 7}`,
      country: countries[number % 3],
      properties: { device: devices[number % 2] },
    }),
  ),
);
store.compact();
const [segment] = store.open();
const context = new Context(store.readDb, new ByteBoundedCache(1e8), () => undefined, store.tuning);
const window = { fromMs: startMs, toMs: startMs + eventCount };
afterAll(() => store.close());

const labels = (["event", "country", "properties.device"] as const).map((name) =>
  labelsOf(name, context, context.identity(1), null, window),
);

test("the codes of a column are looked up a few times, however many rows are paired", () => {
  const codesOf = segment.codes.bind(segment);
  let lookups = 0;
  segment.codes = (name) => {
    lookups++;
    return codesOf(name);
  };
  const { codes, size, numbersOf } = groupingOf(segment, labels, context.budget);
  segment.codes = codesOf;
  expect(lookups).toBe(labels.length);

  expect(size).toBe(7 * countries.length * devices.length);
  const numbers = new Uint32Array(labels.length);
  const [names, places, kinds] = ["event.name", "event.country", "property.device"].map((column) =>
    [...(codesOf(column) ?? [])].map((code) => segment.dictionary(column)[code - 1] ?? null),
  );
  for (let row = 0; row < eventCount; row++) {
    numbersOf(codes?.[row] ?? 0, numbers);
    const shown = labels.map((label, place) => label.label(numbers[place]));
    expect(shown).toEqual([names[row], places[row], kinds[row]] as typeof shown);
  }
});
