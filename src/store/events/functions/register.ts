import type { Database } from "bun:sqlite";
import type {
  CountRequest,
  EventsRequest,
  ExperimentRequest,
  FunnelRequest,
  KeysRequest,
  PagesRequest,
  PathsRequest,
  RetentionRequest,
  SessionDimension,
  SessionsRequest,
} from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import { roundTo } from "../../../lib/round";
import type { Context } from "./context";
import { countBy, eventCount, uniqueUsers } from "./count-by";
import { eventsByDay } from "./events-by-day";
import { experimentCounts } from "./experiment-counts";
import { funnel } from "./funnel";
import { countByHour } from "./hours";
import { newestEvents } from "./newest-events";
import { newestKeys } from "./newest-keys";
import { newestSessions } from "./newest-sessions";
import { pageGroups } from "./page-groups";
import { paths } from "./paths";
import { mappedUsers, people } from "./people";
import { retention } from "./retention";
import { sessionGroups } from "./session-groups";

type Result = string | number | null;
type SqlFunction = (...values: never[]) => Result;

/**
 * The vector functions of our SQL. SQL chooses a set of segments, json_group_array(id), and a window in ms; a function
 * computes over their columns. What is a table comes back as JSON text, in which hostile text is escaped: it is parsed
 * here or in a read, and labels are not taken out of it by SQL, whose texts end at a NUL.
 */
export function registerFunctions(db: Database, context: Context): void {
  const define = (name: string, run: SqlFunction): void => {
    db.function(name, { directOnly: true }, run as (...values: unknown[]) => Result);
  };
  const open = (set: string) => context.segments(set);
  const conditionsIn = (json: string): Condition[] => JSON.parse(json);

  define("event_count", (set: string, fromMs: number, toMs: number, filters: string) =>
    eventCount(context, open(set), { fromMs, toMs }, conditionsIn(filters)),
  );
  define("unique_users", (set: string, fromMs: number, toMs: number, filters: string) =>
    uniqueUsers(context, open(set), { fromMs, toMs }, conditionsIn(filters)),
  );
  define("events_by_day", (set: string, fromMs: number, toMs: number) =>
    JSON.stringify(eventsByDay(context, open(set), { fromMs, toMs })),
  );
  define("count_by", (set: string, fromMs: number, toMs: number, json: string, project: string) => {
    const request: CountRequest = JSON.parse(json);
    const all = () => open(project);
    return JSON.stringify(countBy(context, open(set), { fromMs, toMs }, request, all));
  });
  define("count_by_hour", (set: string, fromMs: number, toMs: number) =>
    countByHour(context, open(set), { fromMs, toMs }),
  );
  define("newest_events", (set: string, fromMs: number, toMs: number, json: string) => {
    const request: EventsRequest = JSON.parse(json);
    return newestEvents(context, open(set), { fromMs, toMs }, request);
  });
  define("newest_keys", (set: string, fromMs: number, toMs: number, json: string) => {
    const request: KeysRequest = JSON.parse(json);
    return JSON.stringify(newestKeys(context, open(set), { fromMs, toMs }, request));
  });
  define("newest_sessions", (project: string, fromMs: number, toMs: number, json: string) => {
    const request: SessionsRequest = JSON.parse(json);
    return JSON.stringify(newestSessions(context, open(project), { fromMs, toMs }, request));
  });
  define("session_groups", (project: string, fromMs: number, toMs: number, by: string) => {
    const dimension = by as SessionDimension;
    return JSON.stringify(sessionGroups(context, open(project), { fromMs, toMs }, dimension));
  });
  define("page_groups", (project: string, fromMs: number, toMs: number, json: string) => {
    const request: PagesRequest = JSON.parse(json);
    return JSON.stringify(pageGroups(context, open(project), { fromMs, toMs }, request));
  });
  define("mapped_users", (number: number, json: string) => {
    const userIds: string[] = JSON.parse(json);
    return JSON.stringify(mappedUsers(context, number, userIds));
  });
  define("people", (number: number, project: string, json: string) => {
    const userIds: string[] = JSON.parse(json);
    return JSON.stringify(people(context, number, open(project), userIds));
  });
  define("funnel", (set: string, fromMs: number, toMs: number, json: string) => {
    const request: FunnelRequest = JSON.parse(json);
    return JSON.stringify(funnel(context, open(set), { fromMs, toMs }, request));
  });
  define("experiment_counts", (set: string, fromMs: number, toMs: number, json: string) => {
    const request: ExperimentRequest = JSON.parse(json);
    return JSON.stringify(experimentCounts(context, open(set), { fromMs, toMs }, request));
  });
  define("retention", (project: string, json: string) => {
    const request: RetentionRequest = JSON.parse(json);
    return JSON.stringify(retention(context, open(project), request));
  });
  define("paths", (project: string, fromMs: number, toMs: number, json: string) => {
    const request: PathsRequest = JSON.parse(json);
    return JSON.stringify(paths(context, open(project), { fromMs, toMs }, request));
  });
  define("rounded", (value: number, digits: number) => roundTo(value, digits));
}
