import type { SessionsRequest } from "../../domain/counting";
import { daysOfCursor, decodeCursor, type Question } from "../../domain/cursor";
import { pageLimitDefault } from "../../domain/limits";
import { type Days, daysOf } from "../../domain/period";
import { filterItemsOfText, sentFilterErrors } from "../../domain/sent-filters";
import { zoneOfRead } from "../../domain/time-zone-name";
import { mayUse } from "../../http/auth/gate";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { tableOf } from "../../http/operation/table";
import { clock } from "../../lib/clock";
import { sessionsExample } from "./examples";
import { sessionsRead } from "./read";
import { withReplays } from "./replays";
import { SessionRow, SessionsQuery, SessionsResponse } from "./schema";

export const sessionsFeature = (deps: Deps): Feature => ({
  operations: [listRoute(deps)],
});

const listRoute = (deps: Deps) =>
  projectOperation("GET /sessions", {
    access: pro("analytics:read", "RD", { people: true }),
    shares: { page: "sessions" },
    doc: {
      id: "listSessions",
      summary: "List sessions",
      description:
        "Sessions that started in the window, newest first, measured on all their events. Get the events of a " +
        "session from GET /events with its session_id, and its replay from GET /replays/{id}/timeline with an " +
        "id from `replays`.",
      tag: "Reads",
      example: sessionsExample,
      errors: sentFilterErrors,
    },
    takes: SessionsQuery,
    returns: { 200: SessionsResponse },
    table: { of: ({ sessions }) => tableOf(SessionRow, sessions) },
    handle: async ({ caller, project, input, read, withAvailable, sawRecordings, goals }) => {
      const { cursor, context: _, limit = pageLimitDefault, since, until, ...parameters } = input;
      const zone = zoneOfRead(input.tz, project);
      const question = { ...parameters, project: project.id, tz: zone };
      const place = pageStart(input, zone, question);
      const filters = await withAvailable(
        () => filterItemsOfText(input.filters, goals),
        place.days,
      );
      const answer = await read(
        sessionsRead,
        {
          projectId: project.id,
          ...place,
          userId: input.user_id ?? null,
          sessionId: input.session_id ?? null,
          isBounce: input.is_bounce === undefined ? null : input.is_bounce === 1 ? 1 : 0,
          filters,
          limit,
          question,
          showsReplays: mayUse("replays:read", caller),
        },
        place.days,
      );
      return withReplays(deps, caller, project.id, answer, sawRecordings);
    },
  });

/** Returns the place and the window at which the page begins. */
function pageStart(
  { cursor, since, until }: SessionsQuery,
  zone: string | undefined,
  question: Question,
): { days: Days; before: SessionsRequest["before"] } {
  const days = daysOf({ since, until, nowMs: clock.nowMs(), zone });
  if (cursor === undefined) return { days, before: null };
  const decoded = decodeCursor(cursor, question, ["number", "string"]);
  const [start, id] = decoded.place;
  const before = { startMs: Number(start), id: String(id) };
  return { days: daysOfCursor(decoded, days, since, until), before };
}
