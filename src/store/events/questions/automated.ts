import type {
  AutomatedActor,
  AutomatedRequest,
  AutomatedSums,
  AutomatedTotals,
} from "../../automated-requests";
import type { OpenSnapshot, Parameters } from "./open-snapshot";

/** Selects the automated requests of some projects in a window of dates, within the retention of each project. */
const AUTOMATED = `automated as (
    select project.name as project, date, category, actor, requests, dropped_events, last_seen_at
    from counted_automated_day as counted join project on project.id = counted.project_id
    where counted.project_id in
        (select id from project where name in (select value from json_each(:projects)))
      and date between :from and :to
      and date >= date(retained_from_ms / 1000, 'unixepoch')
      and (:actors is null or actor in (select value from json_each(:actors)))
  )`;
const SUMS =
  "sum(requests) as requests, sum(dropped_events) as dropped_events, max(last_seen_at) as last_seen_at";

/** Selects one row, which has zeros if there were no requests. */
const TOTALS = `
  with ${AUTOMATED}
  select coalesce(sum(requests), 0) as requests, coalesce(sum(dropped_events), 0) as dropped_events,
    max(last_seen_at) as last_seen_at
  from automated`;
const BY_CATEGORY = `
  with ${AUTOMATED}
  select category, ${SUMS} from automated
  group by category order by requests desc, dropped_events desc, category`;
const BY_ACTOR = `
  with ${AUTOMATED}
  select actor, category, ${SUMS} from automated
  group by actor, category order by requests desc, dropped_events desc, actor, category limit :limit`;
const BY_PROJECT = `
  with ${AUTOMATED}
  select project, ${SUMS} from automated group by project`;
const BY_DATE = `
  with ${AUTOMATED}
  select date, ${SUMS} from automated group by date`;

export const automatedTotals = (
  snapshot: OpenSnapshot,
  request: AutomatedRequest,
): AutomatedTotals => snapshot.rows<AutomatedTotals>(TOTALS, bound(request))[0];

export const automatedByCategory = (
  snapshot: OpenSnapshot,
  request: AutomatedRequest,
): (AutomatedSums & { category: string })[] => snapshot.rows(BY_CATEGORY, bound(request));

export const automatedByActor = (
  snapshot: OpenSnapshot,
  request: AutomatedRequest,
  limit: number,
): AutomatedActor[] => snapshot.rows(BY_ACTOR, { ...bound(request), limit });

export const automatedByProject = (
  snapshot: OpenSnapshot,
  request: AutomatedRequest,
): (AutomatedSums & { project: string })[] => snapshot.rows(BY_PROJECT, bound(request));

export const automatedByDate = (
  snapshot: OpenSnapshot,
  request: AutomatedRequest,
): (AutomatedSums & { date: string })[] => snapshot.rows(BY_DATE, bound(request));

const bound = ({ projectIds, from, to, actors }: AutomatedRequest): Parameters => ({
  projects: JSON.stringify(projectIds),
  from,
  to,
  actors: actors === undefined ? null : JSON.stringify(actors),
});
