import type { AcceptedEvent } from "../../src/domain/event";
import { dayOf } from "../../src/domain/event";
import type { Days } from "../../src/domain/period";
import { at, Engine } from "./engine";

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
export function storeOf(events: readonly AcceptedEvent[]): Engine {
  const engine = new Engine();
  store(engine, events);
  return engine;
}
export function store(engine: Engine, events: readonly AcceptedEvent[]): void {
  at(noonMs, () =>
    engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events: [...events] }]),
  );
}

/** Enough events of one day that compaction makes columns of them. */
export function storeOfColumns(make: (index: number) => AcceptedEvent): Engine {
  const engine = storeOf(Array.from({ length: 3_000 }, (_, index) => make(index)));
  at(noonMs, () => engine.compact());
  return engine;
}
