import type { EventPlace } from "../domain/counting";
import type { Read } from "../store/port";
import type { EventsPage } from "../store/questions";

export interface OpenSessionsInput {
  readonly projectId: string;
  /** Half-open, in ms. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface FoundSession {
  readonly session_id: string;
  readonly user_id: string;
  /** The time of its latest event. */
  readonly last_ms: number;
}

const pageEvents = 5_000;
/** In a busier half hour the sessions of the newest events are found. */
const eventsMax = 200_000;

/** The sessions that the server itself began (ingest/dialects), by the events of a window: the latest first. */
export const openSessionsRead: Read<OpenSessionsInput, { sessions: FoundSession[] }> = {
  name: "open sessions",
  scope: ({ projectId, fromMs, toMs }) => ({ projectIds: [projectId], fromMs, toMs }),
  async run(snapshot, { projectId, fromMs, toMs }) {
    const found = new Map<string, FoundSession>();
    let before: EventPlace | null = null;
    for (let seen = 0; seen < eventsMax; seen += pageEvents) {
      const request = { project_id: projectId, filters: [], limit: pageEvents, before };
      const page: EventsPage = await snapshot.newestEvents({ projectId, fromMs, toMs }, request);
      for (const session of sessionsIn(page.events)) {
        if (!found.has(session.session_id)) found.set(session.session_id, session);
      }
      before = page.next;
      if (before === null) break;
    }
    return { sessions: [...found.values()] };
  },
};

interface Row {
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly timestamp: number;
}

const ownForm = /^s_[A-Za-z0-9_-]{22}$/;

function sessionsIn(events: string): FoundSession[] {
  const rows: readonly Row[] = JSON.parse(events);
  return rows.flatMap(({ session_id, user_id, timestamp }) =>
    session_id !== null && user_id !== null && ownForm.test(session_id)
      ? [{ session_id, user_id, last_ms: timestamp }]
      : [],
  );
}
