import type { RetentionRequest } from "../../../domain/counting";
import { allTime } from "../../../domain/period";
import type { SessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import { isUserField } from "../../../domain/visitor-field";
import type { Cohort, RetentionResult } from "../../cohorts";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { FirstSessions } from "../sql/first-sessions";
import type { OpenRead } from "../sql/open-read";
import { columnNamed, earliest, sessionsSql, startedIn } from "../sql/sessions";
import { placeOfEvent } from "../sql/values";
import { matchingSql } from "./sessions";

export async function retention(
  read: OpenRead,
  projectId: string,
  request: RetentionRequest,
): Promise<RetentionResult> {
  const { retainedFromMs: retained_from_ms } = read.project(projectId);
  if (request.periods.length === 0) {
    return { cohorts: [], groups: [], groups_total: 0, retained_from_ms };
  }
  const [cohorts, groups] = await Promise.all([
    cohortsOf(read, projectId, request),
    groupsOf(read, projectId, request),
  ]);
  return { cohorts, ...groups, retained_from_ms };
}

interface CohortColumns {
  readonly period: number;
  readonly users: number;
  readonly retained: number[];
}

const cohortOf = ({ period, users, retained }: CohortColumns): Cohort => ({
  ...{ period, users },
  retained: [users, ...retained.slice(period + 1)],
});

async function cohortsOf(
  read: OpenRead,
  projectId: string,
  request: RetentionRequest,
): Promise<Cohort[]> {
  const bound = new Bound();
  const rows = await read.ask<CohortColumns>(
    `select period, ${countedSql(request)} from ${newUsersSql(read, bound, projectId, request)}
    group by period order by period`,
    bound,
  );
  return rows.map(cohortOf);
}

interface GroupColumns {
  readonly value: string;
  readonly found: readonly (readonly [period: number, users: number, retained: number[]])[];
  readonly groups_total: number;
}

async function groupsOf(
  read: OpenRead,
  projectId: string,
  request: RetentionRequest,
): Promise<Pick<RetentionResult, "groups" | "groups_total">> {
  const { breakdown } = request;
  if (breakdown === undefined) return { groups: [], groups_total: 0 };
  const bound = new Bound();
  const rows = await read.ask<GroupColumns>(
    `select value, arraySort(groupArray((period, users, retained))) as found, count() over () as groups_total
    from (select value, period, ${countedSql(request)} from ${newUsersSql(read, bound, projectId, request)}
      group by value, period)
    group by value order by sum(users) desc, value = '', value limit ${bound.integer(breakdown.limit)}`,
    bound,
  );
  return {
    groups: rows.map(({ value, found }) => ({
      value: value === "" ? null : value,
      cohorts: found.map(([period, users, retained]) => cohortOf({ period, users, retained })),
    })),
    groups_total: Number(rows[0]?.groups_total ?? 0),
  };
}

const countedSql = ({ periods }: RetentionRequest): string =>
  `count() as users, sumForEach(
    arrayMap(later -> toUInt64(has(back.active, toInt64(later))), range(${periods.length}))) as retained`;

/** Selects the users whose first appearance is in one of the periods, each with the periods in which it was active. */
function newUsersSql(
  read: OpenRead,
  bound: Bound,
  projectId: string,
  request: RetentionRequest,
): string {
  const { periods, event, returning_event: returningEvent } = request;
  const window = { fromMs: periods[0].fromMs, toMs: periods[periods.length - 1].toMs };
  const starts = bound.integers(periods.map(({ fromMs }) => fromMs));
  const periodOf = (time: string): string =>
    `toInt64(arrayCount(start -> start <= toUnixTimestamp64Milli(${time}), ${starts})) - 1`;
  const value = request.breakdown === undefined ? "''" : "argMin(value, place)";
  const isOfSessions = event === null && returningEvent === null;
  const appearances = new Appearances(read, bound, projectId, request);
  const active = isOfSessions
    ? appearances.ofSessions(window)
    : appearances.ofEvents(returningEvent, window);
  return `(select user, ${periodOf("first")} as period, value
      from (select user, min(time) as first, ${value} as value
        from ${appearances.first()} group by user)
      where first >= ${bound.time(window.fromMs)} and first < ${bound.time(window.toMs)}) as new
    left any join (select user, groupUniqArray(${periodOf("time")}) as active from ${active} group by user) as back
      on back.user = new.user`;
}

/** Selects the appearances of users: their sessions or events. */
class Appearances {
  private readonly whole: View;

  constructor(
    private readonly read: OpenRead,
    private readonly bound: Bound,
    private readonly projectId: string,
    private readonly request: RetentionRequest,
  ) {
    this.whole = { projectId, ...allTime, filters: request.filters ?? [] };
  }

  /** Adds their order, `place`, and the value of the breakdown; '' is null. */
  first(): string {
    const { read, bound, projectId, request } = this;
    const { event, breakdown } = request;
    const firsts = new FirstSessions(read, bound, projectId);
    const field = breakdown?.field ?? null;
    const ofUser =
      field !== null && isUserField(field) ? firsts.column(field, breakdown?.zone) : null;
    const ofSession =
      field === null || isUserField(field) ? null : field === "country" ? "session.country" : field;
    const appeared =
      event === null
        ? this.ofSessions(allTime, ofSession)
        : this.ofEvents(event, allTime, ofSession);
    return ofUser === null
      ? appeared
      : `(select user, time, place, ${ofUser} as value from ${firsts.joined(appeared)})`;
  }
  ofSessions(window: TimeWindow, field: SessionField | null = null): string {
    const { read, bound, projectId, whole } = this;
    const fields = field === null ? [] : [field];
    const value = field === null ? "''" : columnNamed(0);
    return `(select user, start as time, ${earliest} as place, ${value} as value
      from ${sessionsSql(read, bound, { projectId, window, fields })}
      where user != '' and ${startedIn(bound, window)} and ${matchingSql(read, bound, whole)})`;
  }
  ofEvents(name: string | null, window: TimeWindow, field: SessionField | null = null): string {
    const { read, bound, whole } = this;
    const where = name === null ? "1" : `name = ${bound.text(name)}`;
    const events = new Events(read, bound, { ...whole, ...window }, where);
    const ofSession = field === null ? "''" : events.sessionField(field);
    const value =
      field === "session.country" ? `if(session_id = '', country, ${ofSession})` : ofSession;
    return `(select user, time, ${placeOfEvent} as place, ${value} as value
      from ${events.sql()} where user != '')`;
  }
}
