import { dayOf } from "../../src/domain/event";
import { eventsRead } from "../../src/features/events/read";
import type { EventStore } from "../../src/store/port";
import { projectId } from "../support/engine/event-store";

/** The numbers of all events that a read shows, in order. */
export async function storedNumbers(of: EventStore): Promise<number[]> {
  const today = dayOf(Date.now());
  const input = {
    ...{ projectId, conditions: [], limit: 1_000_000, before: null, question: {} },
    days: { from: today - 1, to: today },
  };
  const request = {
    accountId: "account",
    signal: new AbortController().signal,
    arrivedAtMs: Date.now() + 600_000,
  };
  const { json } = await of.read(eventsRead, input, request);
  const { events } = JSON.parse(json) as { events: { properties: { number: number } }[] };
  return events.map(({ properties }) => properties.number).sort((a, b) => a - b);
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Rejects with a code; null when it did not. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { code?: string }) => error.code ?? error,
  );
