import type { PagesRequest, SessionDimension } from "../../../domain/counting";
import { durationBuckets } from "../../../domain/session";
import type { PageGroup, PageGroups, SessionGroup, View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { sessionsSql, startedIn } from "../sql/sessions";

/** The sessions of a filtered view are those with an event in it for which all filters hold. */
export function matchingSql(read: OpenRead, bound: Bound, view: View): string {
  if (view.filters === undefined || view.filters.length === 0) return "1";
  const events = new Events(read, bound, view).sql();
  return `session_id in (select session_id from ${events} where session_id != '')`;
}

/** The sessions that started in the window and match. */
export function askedSessions(read: OpenRead, bound: Bound, view: View): string {
  const sessions = sessionsSql(read, bound, { projectId: view.projectId, window: view });
  return `(select * from ${sessions} where ${startedIn(bound, view)} and ${matchingSql(read, bound, view)})`;
}

const sums = `count() as sessions, sum(asked.bounce) as bounces, sum(asked.duration) as duration,
  sum(asked.events) as events`;

export async function sessionGroups(
  read: OpenRead,
  view: View,
  by: SessionDimension,
): Promise<SessionGroup[]> {
  const bound = new Bound();
  const bounds = durationBuckets.map(({ belowMs }) => belowMs).filter(Number.isFinite);
  const label =
    by === "all"
      ? "null"
      : `arrayCount(below -> asked.duration >= below, ${bound.integers(bounds)})`;
  const rows = await read.ask<SessionGroup>(
    `select ${label} as label, ${sums}, sum(asked.page_views) as page_views, uniqExactIf(user, user != '') as users
    from ${askedSessions(read, bound, view)} as asked ${by === "all" ? "" : "group by label"}`,
    bound,
  );
  return rows.filter(({ sessions }) => sessions > 0);
}

interface FoundPage extends PageGroup {
  readonly groups_total: number;
}

export const pageGroups = (
  read: OpenRead,
  view: View,
  request: PagesRequest,
): Promise<PageGroups[]> =>
  Promise.all(request.pages.map((page) => groupsBy(read, view, page, request.limit)));

async function groupsBy(
  read: OpenRead,
  view: View,
  page: PagesRequest["pages"][number],
  limit: number,
): Promise<PageGroups> {
  const bound = new Bound();
  const rows = await read.ask<FoundPage>(
    `select ${page} as page, ${sums}, count() over () as groups_total
    from ${askedSessions(read, bound, view)} as asked where page != '' group by page
    order by sessions desc, page limit ${bound.integer(limit)}`,
    bound,
  );
  return {
    rows: rows.map(({ groups_total: _, ...row }) => row),
    groups_total: Number(rows[0]?.groups_total ?? 0),
  };
}
