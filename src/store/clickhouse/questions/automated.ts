import { dayOf, isoDate } from "../../../domain/event";
import type {
  AutomatedActor,
  AutomatedRequest,
  AutomatedSums,
  AutomatedTotals,
} from "../../automated-requests";
import type { AutomatedDay } from "../../exports";
import { Bound } from "../sql/bound";
import type { OpenRead } from "../sql/open-read";

const sums =
  "sum(requests) as requests, sum(dropped_events) as dropped_events, max(last_seen_at) as last_seen_at";

/** The automated requests of some projects in a window of dates, without what their retention hides. */
function automatedSql(
  read: OpenRead,
  bound: Bound,
  { projectIds, from, to, actors }: AutomatedRequest,
): string {
  const named = actors === undefined ? "" : `and has(${bound.texts(actors)}, actor)`;
  const projects = projectIds
    .map((projectId) => ({ projectId, ...read.project(projectId) }))
    .filter(({ number }) => number !== 0);
  const numbers = bound.integers(projects.map(({ number }) => number));
  const names = bound.texts(projects.map(({ projectId }) => projectId));
  const retained = bound.texts(
    projects.map(({ retainedFromMs }) => isoDate(dayOf(retainedFromMs))),
  );
  return `(select ${names}[indexOf(${numbers}, toInt64(number))] as project, date, category, actor,
      requests, dropped_events, last_seen_at
    from (
      select row.project as number, date, category, actor, argMax(row.requests, commit) as requests,
        argMax(row.dropped_events, commit) as dropped_events, argMax(row.last_seen_at, commit) as last_seen_at
      from ${read.database}.automated_day as row
      where has(${numbers}, toInt64(row.project)) and date between ${bound.text(from)} and ${bound.text(to)}
        and commit <= ${bound.integer(read.moment.lastCommit)}
        ${named}
      group by row.project, date, category, actor
    ) where date >= ${retained}[indexOf(${numbers}, toInt64(number))])`;
}

export async function automatedTotals(
  read: OpenRead,
  asked: AutomatedRequest,
): Promise<AutomatedTotals> {
  const bound = new Bound();
  const [row] = await read.ask<AutomatedTotals>(
    `select sum(requests) as requests, sum(dropped_events) as dropped_events,
      if(count() = 0, null, max(last_seen_at)) as last_seen_at
    from ${automatedSql(read, bound, asked)} as automated`,
    bound,
  );
  return row;
}

/** All rows of some dates: there are as many as actors came on each. */
export function automatedByDayAndActor(
  read: OpenRead,
  asked: AutomatedRequest,
): Promise<AutomatedDay[]> {
  const bound = new Bound();
  return read.ask<AutomatedDay>(
    `select date, category, actor, requests, dropped_events, last_seen_at
    from ${automatedSql(read, bound, asked)} as automated order by date, category, actor`,
    bound,
  );
}

const most = "requests desc, dropped_events desc";

async function automatedBy<Row>(
  read: OpenRead,
  asked: AutomatedRequest,
  groups: string,
  order = "",
  limit?: number,
): Promise<Row[]> {
  const bound = new Bound();
  const cut = limit === undefined ? "" : `limit ${bound.integer(limit)}`;
  return read.ask<Row>(
    `select ${groups}, ${sums} from ${automatedSql(read, bound, asked)} as automated
    group by ${groups} ${order} ${cut}`,
    bound,
  );
}

export const automatedByCategory = (read: OpenRead, asked: AutomatedRequest) =>
  automatedBy<AutomatedSums & { category: string }>(
    read,
    asked,
    "category",
    `order by ${most}, category`,
  );

export const automatedByActor = (read: OpenRead, asked: AutomatedRequest, limit: number) =>
  automatedBy<AutomatedActor>(
    read,
    asked,
    "actor, category",
    `order by ${most}, actor, category`,
    limit,
  );

export const automatedByProject = (read: OpenRead, asked: AutomatedRequest) =>
  automatedBy<AutomatedSums & { project: string }>(read, asked, "project");

export const automatedByDate = (read: OpenRead, asked: AutomatedRequest) =>
  automatedBy<AutomatedSums & { date: string }>(read, asked, "date");
