import { expect, test } from "bun:test";
import fc from "fast-check";
import { Places } from "./places";

const most = { events: 1_000, bytes: 100_000 };

/** Lets projects take places in turn until nobody gets one, and returns how many each holds. */
function flooded(places: Places, projects: readonly string[]): number[] {
  const held = projects.map(() => 0);
  for (let isTaken = true; isTaken; ) {
    isTaken = false;
    for (const [at, project] of projects.entries()) {
      if (!places.hasFor(project, 1, 0)) continue;
      places.take(project, 1, 0);
      held[at]++;
      isTaken = true;
    }
  }
  return held;
}

test("n projects that take all they can hold the same, and leave as much to the next", () => {
  for (const count of [1, 3, 9, 99]) {
    const places = new Places(most.events, most.bytes);
    const names = Array.from({ length: count }, (_, number) => `proj_${number}`);
    const held = flooded(places, names);
    expect(held).toEqual(names.map(() => most.events / (count + 1)));
    expect(most.events - places.events).toBe(most.events / (count + 1));
    expect(places.hasFor("proj_new", 1, 0)).toBe(true);
  }
});

test("bytes are shared as events are", () => {
  const places = new Places(most.events, most.bytes);
  places.take("large", 1, 49_999);
  expect(places.hasFor("large", 1, 1)).toBe(true);
  expect(places.hasFor("large", 1, 2)).toBe(false);
  expect(places.hasFor("small", 1, 25_000)).toBe(true);
  expect(places.hasFor("small", 1, 25_001)).toBe(false);
});

test("whatever is taken and given back, no more is taken than there is, and at last nothing is", () => {
  // Every request has bytes, even without events.
  const bytes = fc.integer({ min: 1, max: 40_000 });
  const size = fc.record({ events: fc.nat(400), bytes });
  const step = fc.record({ project: fc.nat(5).map(String), size, isBack: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const places = new Places(most.events, most.bytes);
      const held: { readonly project: string; readonly size: typeof most }[] = [];
      for (const { project, size: wanted, isBack } of steps) {
        const back = isBack ? held.shift() : undefined;
        if (back !== undefined) places.giveBack(back.project, back.size.events, back.size.bytes);
        if (!places.hasFor(project, wanted.events, wanted.bytes)) continue;
        places.take(project, wanted.events, wanted.bytes);
        held.push({ project, size: wanted });
        const events = held.reduce((sum, { size: { events } }) => sum + events, 0);
        const bytes = held.reduce((sum, { size: { bytes } }) => sum + bytes, 0);
        expect(places.events).toBe(events);
        expect(events).toBeLessThanOrEqual(most.events);
        expect(bytes).toBeLessThanOrEqual(most.bytes);
      }
      for (const { project, size: taken } of held)
        places.giveBack(project, taken.events, taken.bytes);
      expect(places.events).toBe(0);
      expect(places.hasFor("proj_new", 500, 50_000)).toBe(true);
    }),
  );
});
