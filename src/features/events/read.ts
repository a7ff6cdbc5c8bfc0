import type { EventPlace, EventsRequest } from "../../domain/counting";
import { encodeCursor, type Question } from "../../domain/cursor";
import type { Condition } from "../../domain/filter";
import type { FilterItem } from "../../domain/filter-items";
import { type Days, windowOf } from "../../domain/period";
import { namesIn, unseenEvents } from "../../reads/unseen-events";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Events } from "./schema";

interface EventsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly conditions: readonly Condition[];
  readonly filters?: readonly FilterItem[] | undefined;
  /** Of a share: what lies outside of them must not show. */
  readonly narrowedBy?: readonly FilterItem[];
  readonly limit: number;
  readonly before: EventPlace | null;
  /** What the next cursor is bound to. */
  readonly question: Question;
}

/** GET /events of the contract. The rows are printed once, in the store, and passed on as they are. */
export const eventsRead: Read<EventsInput, Events> = {
  name: "events",
  isFiltered: true,
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, conditions, filters, limit, before, question } = input;
    const request: EventsRequest = { project_id: projectId, filters: conditions, limit, before };
    const view = viewOf(projectId, days, filters);
    const { count, next, events } = await snapshot.newestEvents(view, request);
    const cursor = next === null ? null : encodeCursor(cursorAt(next, days), question);
    const isQuiet = count > 0 || input.narrowedBy !== undefined;
    const names = !isQuiet ? namesIn(conditions, ["eq"]) : [];
    const own = input.narrowedBy === undefined ? [...conditions, ...(filters ?? [])] : [];
    const warned = await unseenEvents(snapshot, viewOf(projectId, days), names, own);
    const rest = { count, next_cursor: cursor, ...warned };
    return { json: `{"events":${events},${JSON.stringify(rest).slice(1)}` };
  },
};

/** Pages of one list share the window of the first, though midnight may pass between them. */
const cursorAt = ({ timeMs, ticket }: EventPlace, { from, to }: Days) => ({
  place: [timeMs, ticket],
  fromDay: from,
  toDay: to,
});
