import type { ObjectEvent } from "../../../src/domain/event";
import { at, type Engine, type Sizes, usualSizes } from "./engine";
import { noonMs, projectId } from "./examples";

/** Whatever can be counted in parts is, as soon as there are helpers and two segments. */
export const inParts: Sizes = {
  ...usualSizes,
  asksPerDeath: Number.POSITIVE_INFINITY,
  dailyEventsMin: 1,
  ...{ partedEventsMin: 0, partedSessionsEventsMin: 0, columnEventsMin: 1, countedEventsMin: 1 },
};

/** The events that are stored at a time, which are a segment for each date. */
const eventsAtOnce = 50;

/** Stores the same in each engine, in many segments. */
export async function storeInSegments(
  engines: readonly Engine[],
  events: readonly ObjectEvent[],
): Promise<void> {
  for (const engine of engines) {
    await at(noonMs, async () => {
      for (let from = 0; from < events.length; from += eventsAtOnce) {
        const some = events.slice(from, from + eventsAtOnce);
        engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events: some }]);
      }
      engine.compact(Number.POSITIVE_INFINITY);
    });
  }
}
