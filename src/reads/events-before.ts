import { allTime } from "../domain/period";
import type { Read } from "../store/port";

interface BeforeInput {
  readonly projectId: string;
  /** Unix ms; an event at this time is not counted. */
  readonly beforeMs: number;
}
interface EventsBefore {
  readonly events: number;
}

/** The stored events of a project that happened before a time: those that retention is about to delete. */
export const eventsBeforeRead: Read<BeforeInput, EventsBefore> = {
  name: "events-before",
  scope: ({ projectId, beforeMs }) => ({
    projectIds: [projectId],
    ...{ fromMs: allTime.fromMs, toMs: beforeMs },
  }),
  run: async (snapshot, { projectId, beforeMs }) => {
    const view = { projectId, fromMs: allTime.fromMs, toMs: beforeMs };
    return { events: await snapshot.eventCount(view, []) };
  },
};
