import type { AcceptedEvent } from "../../../src/domain/event";
import { dayOf } from "../../../src/domain/event";
import type { Days } from "../../../src/domain/period";
import { at, Engine, type Sizes } from "./engine";

/** Wednesday, 14 January 2026, noon: now, in examples. */
export const noonMs = Date.UTC(2026, 0, 14, 12);
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const projectId = "proj_example000000001";
/** The last eight dates, as `since=7d` has them. */
export const lastDays: Days = { from: dayOf(noonMs) - 7, to: dayOf(noonMs) };

/** A page view of nobody at noon, but for what is said. */
export const event = (said: Partial<AcceptedEvent> = {}): AcceptedEvent => ({
  name: "page_view",
  timeMs: noonMs,
  userId: null,
  sessionId: null,
  country: null,
  properties: null,
  eventId: null,
  ...said,
});

/** Events of one user in one session, a minute apart, from noon on. */
export const visit = (
  userId: string | null,
  sessionId: string | null,
  ...eventNames: string[]
): AcceptedEvent[] =>
  eventNames.map((name, index) =>
    event({ name, userId, sessionId, timeMs: noonMs + index * minuteMs }),
  );

/** A store that has these events. Close it, or use `withStore`. */
export function storeOf(events: readonly AcceptedEvent[], sizes?: Sizes): Engine {
  const engine = new Engine(sizes);
  store(engine, events);
  return engine;
}
export function store(engine: Engine, events: readonly AcceptedEvent[]): void {
  at(noonMs, () =>
    engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events: [...events] }]),
  );
}

/** Enough events of one day that compaction makes columns of them. */
export function storeOfColumns(make: (index: number) => AcceptedEvent, sizes?: Sizes): Engine {
  const events = Array.from({ length: 3_000 }, (_, index) => make(index));
  const engine = storeOf(events, sizes);
  at(noonMs, () => engine.compact());
  return engine;
}

/** Columns for each of some days, the last of them today: `eventsFrom` makes those of one day from its noon on. */
export function storeOfDays(
  days: number,
  eventsFrom: (noonMs: number) => readonly AcceptedEvent[],
): Engine {
  const engine = new Engine();
  for (let day = days - 1; day >= 0; day--) {
    store(engine, eventsFrom(noonMs - day * dayMs));
    at(noonMs, () => engine.compact());
  }
  return engine;
}
