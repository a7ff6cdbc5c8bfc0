import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import {
  Count,
  IsoDate,
  ObjectId,
  ofRead,
  SessionId,
  Since,
  StoredUserId,
  storedTextCharsMax,
  Timestamp,
  Until,
  UserId,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import {
  cursorCharsMax,
  pageLimitDefault,
  pageLimitMax,
  sessionIdCharsMax,
} from "../../domain/limits";
import { sessionReplaysMax } from "../../domain/replay/limits";
import { ReplaySummary } from "../../domain/replay/summary";
import { ofServer, ofVisitors, pageSize, schema } from "../../lib/schema";

const limit = { min: 1, max: pageLimitMax, default: pageLimitDefault };
const Cursor = Type.String({ ...ofServer, maxLength: cursorCharsMax });
const Page = Type.Union([
  Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }),
  Type.Null(),
]);
const Flag = Type.Integer({ minimum: 0, maximum: 1 });
const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds." });

const window = {
  ...ofRead,
  since: Type.Optional(Since),
  until: Type.Optional(Until),
  filters: Type.Optional(FiltersText),
};

export const SessionsQuery = schema(
  Type.Object(
    {
      ...window,
      user_id: Type.Optional(UserId),
      session_id: Type.Optional(SessionId),
      is_bounce: Type.Optional(Flag),
      limit: Type.Optional(pageSize(limit, "Rows per page.")),
      cursor: Type.Optional(Cursor),
    },
    { $id: "SessionsQuery" },
  ),
);
export type SessionsQuery = Static<typeof SessionsQuery>;

export const SessionRow = schema(
  Type.Object(
    {
      session_id: Type.String({ ...ofVisitors, maxLength: sessionIdCharsMax }),
      user_id: StoredUserId,
      project_id: ObjectId,
      start_time: Timestamp,
      end_time: Timestamp,
      duration: Milliseconds,
      entry_page: Page,
      exit_page: Page,
      event_count: Count,
      is_bounce: Flag,
      date: IsoDate,
      replay_count: Count,
      has_replay: Type.Optional(Type.Boolean({ description: "Needs replays:read." })),
      replays: Type.Optional(
        Type.Array(ReplaySummary, {
          maxItems: sessionReplaysMax,
          description: "Newest replays of the session; needs replays:read.",
        }),
      ),
    },
    { $id: "SessionRow" },
  ),
);
export type SessionRow = Static<typeof SessionRow>;

export const Sessions = Type.Object({
  sessions: Type.Array(SessionRow, { maxItems: pageLimitMax, description: "Newest first." }),
  next_cursor: Type.Union([Cursor, Type.Null()], {
    description: "Send it as `cursor` for the next page; null on the last page.",
  }),
  warnings: Warnings,
});
export type Sessions = Static<typeof Sessions>;

export const SessionsResponse = schema(
  Type.Object({ ...ofProject, ...Sessions.properties }, { $id: "SessionsResponse" }),
);
