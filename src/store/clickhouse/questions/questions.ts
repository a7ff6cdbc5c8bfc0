import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import type { TimeBucket } from "../../../domain/overview";
import { dayMs } from "../../../lib/clock";
import type { DayCount, Snapshot, View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { keepOrigins, namesOrigins, originsOf } from "../sql/sources";
import {
  automatedByActor,
  automatedByCategory,
  automatedByDate,
  automatedByProject,
  automatedTotals,
} from "./automated";
import { changeCounts } from "./changes";
import { countCompared } from "./compared";
import { countBy } from "./count-by";
import { flaggedValues } from "./flagged";
import { hasProperty } from "./has-property";
import { newestEvents, newestKeys, newestSessions } from "./lists";
import { groupOfUnit, overview } from "./overview";
import { digestsOf, mappedUsers, people, usersNamedWith, usersTold } from "./people";
import { retention } from "./retention";
import { pageGroups, sessionGroups } from "./sessions";
import { receivedDays, storedEvents } from "./stored";
import { numbers, textNumbers } from "./text-numbers";
import { experimentCounts } from "./users";
import { valuesSeen } from "./values-seen";
import { funnel, paths } from "./walks";

/** Answers the questions of `store/questions.ts` from ClickHouse, mostly with one or two statements each. */
export function questionsOf(read: OpenRead): Snapshot {
  /** Sites and channels are named by this process, from the referrers and sources of the project's sessions. */
  const withOrigins =
    <Asked extends unknown[], Answer>(
      answer: (read: OpenRead, ...asked: Asked) => Promise<Answer>,
    ) =>
    async (...asked: Asked): Promise<Answer> => {
      const projectId = namesOrigins(asked) ? projectOf(asked[0]) : null;
      if (projectId !== null) keepOrigins(read, await originsOf(read, projectId));
      return answer(read, ...asked);
    };
  return {
    eventCount: withOrigins(eventCount),
    totals: withOrigins(totals),
    timeSeries: withOrigins(timeSeries),
    overview: withOrigins(overview),
    countBy: withOrigins(countBy) as unknown as Snapshot["countBy"],
    valuesSeen: withOrigins(valuesSeen),
    hasProperty: withOrigins(hasProperty),
    textNumbers: withOrigins(textNumbers),
    numbers: withOrigins(numbers),
    countCompared: withOrigins(countCompared) as unknown as Snapshot["countCompared"],
    changeCounts: withOrigins(changeCounts),
    eventsByDay: withOrigins(eventsByDay),
    newestEvents: withOrigins(newestEvents),
    newestKeys: withOrigins(newestKeys),
    newestSessions: withOrigins(newestSessions),
    pageGroups: withOrigins(pageGroups),
    sessionGroups: withOrigins(sessionGroups),
    funnel: withOrigins(funnel),
    retention: withOrigins(retention),
    paths: withOrigins(paths),
    experimentCounts: withOrigins(experimentCounts),
    people: withOrigins(people),
    mappedUsers: withOrigins(mappedUsers),
    usersTold: withOrigins(usersTold),
    usersNamedWith: withOrigins(usersNamedWith),
    digestsOf: withOrigins(digestsOf),
    automatedTotals: withOrigins(automatedTotals),
    automatedByCategory: withOrigins(automatedByCategory),
    automatedByActor: withOrigins(automatedByActor),
    automatedByProject: withOrigins(automatedByProject),
    automatedByDate: withOrigins(automatedByDate),
    flaggedValues: withOrigins(flaggedValues),
    storedEvents: withOrigins(storedEvents),
    receivedDays: withOrigins(receivedDays),
  };
}

const projectOf = (first: unknown): string | null =>
  typeof first === "string" ? first : ((first as Partial<View>).projectId ?? null);

async function eventCount(
  read: OpenRead,
  view: View,
  conditions: readonly Condition[],
): Promise<number> {
  const bound = new Bound();
  const events = new Events(read, bound, view).limitTo(conditions);
  const [{ found }] = await read.ask<{ found: number }>(
    `select count() as found from ${events.sql()}`,
    bound,
  );
  return found;
}

async function totals(read: OpenRead, view: View) {
  const bound = new Bound();
  const [row] = await read.ask<{ unique_users: number; total_events: number }>(
    `select uniqExactIf(user, user != '') as unique_users, count() as total_events
    from ${new Events(read, bound, view).sql()}`,
    bound,
  );
  return row;
}

async function timeSeries(
  read: OpenRead,
  view: View,
  { zone }: { readonly zone?: string | undefined },
  unit: keyof typeof groupOfUnit,
): Promise<TimeBucket[]> {
  const group = groupOfUnit[unit];
  const request: CountRequest = {
    group_by: [group],
    metrics: ["unique_users", "event_count"],
    order_by: "labels",
  };
  const { rows } = await countBy(read, { ...view, ...(zone !== undefined && { zone }) }, request);
  return rows.map((row) => ({
    bucket: String(row[group]),
    unique_users: Number(row.unique_users),
    total_events: Number(row.event_count),
  }));
}

async function eventsByDay(read: OpenRead, view: View): Promise<DayCount[]> {
  const request: CountRequest = {
    group_by: ["date"],
    metrics: ["event_count"],
    order_by: "labels",
  };
  const { rows } = await countBy(read, view, request);
  return rows.map(({ date, event_count }) => ({
    day: Date.parse(`${date}T00:00:00Z`) / dayMs,
    events: Number(event_count),
  }));
}
