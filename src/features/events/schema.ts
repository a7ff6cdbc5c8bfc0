import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  EventName,
  EventRow,
  ofRead,
  SessionId,
  Since,
  Until,
  UserId,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { cursorCharsMax, emailCharsMax, pageLimitDefault, pageLimitMax } from "../../domain/limits";
import { ofServer, pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const Cursor = Type.String({ ...ofServer, maxLength: cursorCharsMax });

export const EventsQuery = schema(
  Type.Object(
    {
      ...ofRead,
      since: Type.Optional(Since),
      until: Type.Optional(Until),
      event: Type.Optional(EventName),
      session_id: Type.Optional(SessionId),
      user_id: Type.Optional(UserId),
      email: Type.Optional(
        Type.String({
          maxLength: emailCharsMax,
          description: "Refused: send email addresses in the body of POST /events/lookup.",
        }),
      ),
      filters: Type.Optional(FiltersText),
      limit: Type.Optional(pageSize(limit, "Rows per page.")),
      cursor: Type.Optional(Cursor),
    },
    { $id: "EventsQuery" },
  ),
);
export type EventsQuery = Static<typeof EventsQuery>;

export const Events = Type.Object({
  events: Type.Array(EventRow, { maxItems: pageLimitMax, description: "Newest first." }),
  count: Count,
  next_cursor: Type.Union([Cursor, Type.Null()], {
    description: "Send it as `cursor` for the next page; null on the last page.",
  }),
  warnings: Warnings,
});
export type Events = Static<typeof Events>;

export const EventsResponse = schema(
  Type.Object({ ...ofProject, ...Events.properties }, { $id: "EventsResponse" }),
);
