import type { EventPlace } from "../../domain/counting";
import { daysOfCursor, decodeCursor, type Question } from "../../domain/cursor";
import { invalidField } from "../../domain/errors";
import { EventRow } from "../../domain/fields";
import { type Condition, eventConditions } from "../../domain/filter";
import { pageLimitDefault } from "../../domain/limits";
import { type Days, daysOf } from "../../domain/period";
import { filterItemsOfText, sentFilterErrors } from "../../domain/sent-filters";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { tableOf } from "../../http/operation/table";
import { clock } from "../../lib/clock";
import { eventsExample } from "./examples";
import { eventsRead } from "./read";
import { EventsQuery, EventsResponse } from "./schema";

export const eventsFeature = (): Feature => ({
  operations: [
    projectOperation("GET /events", {
      access: free("analytics:read", "RD", { people: true }),
      shares: { page: "events" },
      doc: {
        id: "listEvents",
        summary: "List events",
        description:
          "Raw events with their properties, newest first. Filter by event name, session or user. For the next " +
          "page, send `next_cursor` as `cursor` with the same parameters.",
        tag: "Reads",
        example: eventsExample,
        errors: sentFilterErrors,
      },
      takes: EventsQuery,
      returns: { 200: EventsResponse },
      table: { of: ({ events }) => tableOf(EventRow, events) },
      handle: async ({ project, input, read, withAvailable, goals }) => {
        if (input.email !== undefined) {
          throw invalidField(
            "email",
            "An email address must not appear in a URL. Send it in the body of POST /events/lookup.",
          );
        }
        const { cursor, context: _, limit = pageLimitDefault, since, until, ...parameters } = input;
        const zone = zoneOfRead(input.tz, project);
        const question = { ...parameters, project: project.id, tz: zone };
        const { days, before } = pageStart(input, zone, question);
        const conditions = conditionsOf(input);
        const filters = await withAvailable(() => filterItemsOfText(input.filters, goals), days);
        return read(
          eventsRead,
          {
            projectId: project.id,
            days,
            conditions,
            filters,
            limit,
            before,
            question,
          },
          days,
        );
      },
    }),
  ],
});

/** Returns the place and the window at which the page begins. */
function pageStart(
  { cursor, since, until }: EventsQuery,
  zone: string | undefined,
  question: Question,
): { days: Days; before: EventPlace | null } {
  const days = daysOf({ since, until, nowMs: clock.nowMs(), zone });
  if (cursor === undefined) return { days, before: null };
  const decoded = decodeCursor(cursor, question, ["number", "number"]);
  const [timeMs, ticket] = decoded.place.map(Number);
  return { days: daysOfCursor(decoded, days, since, until), before: { timeMs, ticket } };
}

function conditionsOf({ event, session_id: sessionId, user_id: userId }: EventsQuery): Condition[] {
  const conditions = eventConditions(event ?? null);
  if (sessionId !== undefined) conditions.push({ field: "session_id", op: "eq", value: sessionId });
  if (userId !== undefined) conditions.push({ field: "user_id", op: "eq", value: userId });
  return conditions;
}
