import type { EventPlace, EventsRequest } from "../../domain/counting";
import { encodeCursor, type Question } from "../../domain/cursor";
import type { Condition } from "../../domain/filter";
import { type Days, windowOf } from "../../domain/period";
import { viewOf } from "../../reads/view";
import { type Filtered, namesIn, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Events } from "./schema";

interface EventsInput extends Filtered {
  readonly days: Days;
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly before: EventPlace | null;
  /** The question to which the next cursor is bound. */
  readonly question: Question;
}

/** GET /events. The rows are printed once, in the store, and passed on as they are. */
export const eventsRead: Read<EventsInput, Events> = {
  name: "events",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, input) {
    const { projectId, days, conditions, filters, limit, before, question } = input;
    const request: EventsRequest = { project_id: projectId, filters: conditions, limit, before };
    const view = viewOf(projectId, days, filters);
    const { count, next, events } = await snapshot.newestEvents(view, request);
    const cursor = next === null ? null : encodeCursor(cursorAt(next, days), question);
    const names = count === 0 ? namesIn(conditions, ["eq"]) : [];
    const asked = { ...input, filters: [...conditions, ...(filters ?? [])] };
    const warned = await warningsOf(snapshot, asked, { days }, names);
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
