import type { AcceptedEvent } from "../../src/domain/event";
import { at, Engine, type Sizes, usualSizes } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { randomEvents, shown } from "../support/engine/sessions";
import { randomFrom } from "../support/random/random";

/**
 * The engine extends a cached table of sessions by settled segments, and until the next event by young ones. The
 * answers must equal those of a new table for each question.
 */
export const keptSizes: readonly Sizes[] = [
  usualSizes,
  { ...usualSizes, columnEventsMin: 8, waitingRowsMax: 16, settledEventsMin: 8, mergeFanIn: 4 },
  {
    ...usualSizes,
    columnEventsMin: 8,
    waitingRowsMax: 16,
    settledEventsMin: 24,
    absorbedEventsMax: 50,
  },
  { ...usualSizes, columnEventsMin: 8, waitingRowsMax: 60 },
];

const windows = [
  lastDays,
  { from: lastDays.from, to: lastDays.to - 1 },
  { from: lastDays.to, to: lastDays.to },
  { from: lastDays.from - 5, to: lastDays.to - 2 },
];

/**
 * Compares a reader that keeps sessions from one read to the next with one that has nothing in memory, whatever is
 * stored, merged, swept and pruned. Each round ends with a comparison over all windows. Returns how many there were.
 */
export async function compareKept(
  sizes: Sizes,
  seed: number,
  { events, rounds }: { readonly events: number; readonly rounds: number },
): Promise<number> {
  const random = randomFrom(seed);
  const engine = new Engine(sizes);
  const store = (stored: AcceptedEvent[]) =>
    at(noonMs, () =>
      engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events: stored }]),
    );
  let compared = 0;
  try {
    store(randomEvents(random, events, 12));
    at(noonMs, () => engine.compact());
    for (let round = 0; round < rounds; round++) {
      store(randomEvents(random, random.between(1, 40), random.pick([1, 1, 3, 12])));
      if (random.chance(0.4)) at(noonMs, () => engine.compact(random.pick([1, 2, 99])));
      if (random.chance(0.3)) engine.noteOverlaps();
      if (random.chance(0.3)) at(noonMs + 5 * 60_000, () => engine.sweep());
      if (random.chance(0.1)) engine.forget(projectId, (lastDays.from - 5 + round) * dayMs);
      for (const days of windows) {
        const kept = await shown(days, (read, input) => engine.read(read, input));
        const fresh = await shown(days, (read, input) => engine.readCold(read, input));
        if (!Bun.deepEquals(kept, fresh)) {
          const where = JSON.stringify({ seed, round, days });
          throw new Error(
            `${where}: kept\n${JSON.stringify(kept)}\nmade afresh\n${JSON.stringify(fresh)}`,
          );
        }
        compared++;
      }
    }
    return compared;
  } finally {
    engine.close();
  }
}
