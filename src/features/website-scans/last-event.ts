import type { Question } from "../../domain/cursor";
import { dayOf } from "../../domain/event";
import type { Days } from "../../domain/period";
import type { Deps } from "../../http/deps";
import { clock } from "../../lib/clock";
import type { Read, ReadRequest } from "../../store/port";

/** The part of GET /events that is needed here: the read of another feature, which the list of features hands in. */
export type EventsRead = Read<
  {
    readonly projectId: string;
    readonly days: Days;
    readonly conditions: readonly [];
    readonly limit: number;
    readonly before: null;
    readonly question: Question;
  },
  unknown
>;

/** The time of the newest event of a project that is stored; null when there is none. */
export async function lastEventOf(
  { store }: Pick<Deps, "store">,
  eventsRead: EventsRead,
  project: { readonly id: string; readonly accountId: string },
  signal: AbortSignal,
): Promise<number | null> {
  const nowMs = clock.nowMs();
  const asked: ReadRequest = { accountId: project.accountId, signal, arrivedAtMs: nowMs };
  // Clocks of senders may be a little ahead of ours.
  const days = { from: 0, to: dayOf(nowMs) + 1 };
  const request = { projectId: project.id, days, conditions: [], limit: 1, before: null } as const;
  const { json } = await store.read(eventsRead, { ...request, question: {} }, asked);
  const { events }: { events: { timestamp: number }[] } = JSON.parse(json);
  return events[0]?.timestamp ?? null;
}
