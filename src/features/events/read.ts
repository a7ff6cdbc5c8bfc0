import type { EventPlace, EventsRequest } from "../../domain/counting";
import { encodeCursor, type Question } from "../../domain/cursor";
import type { Condition } from "../../domain/filter";
import { type Days, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import { SCOPE, setsOf } from "../../store/segment-sets";
import type { Events } from "./schema";

interface EventsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly before: EventPlace | null;
  /** What the next cursor is bound to. */
  readonly question: Question;
}

/** The newest events from below a place: a line about the page, then its rows, both JSON. */
export const EVENTS = `
  with ${SCOPE}
  select newest_events(segments, :from, :to, :request) as page from scope`;

/** GET /events of the contract. The rows are printed once, in the store, and passed on as they are. */
export const eventsRead: Read<EventsInput, Events> = {
  name: "events",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  run(snapshot, { projectId, days, conditions, limit, before, question }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const request: EventsRequest = { project_id: projectId, filters: conditions, limit, before };
    const found = snapshot.row<{ page: string }>(EVENTS, {
      ...sets,
      request: JSON.stringify(request),
    });
    const [head = "", events = "[]"] = (found?.page ?? '{"count":0,"next":null}\n[]').split("\n");
    const { count, next }: { count: number; next: EventPlace | null } = JSON.parse(head);
    const cursor = next === null ? null : encodeCursor(cursorAt(next, days), question);
    return {
      json: `{"events":${events},"count":${count},"next_cursor":${JSON.stringify(cursor)}}`,
    };
  },
};

/** Pages of one list share the window of the first, though midnight may pass between them. */
const cursorAt = ({ timeMs, ticket }: EventPlace, { from, to }: Days) => ({
  place: [timeMs, ticket],
  fromDay: from,
  toDay: to,
});
