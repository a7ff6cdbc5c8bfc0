import type { ExperimentRequest, RetentionRequest } from "../../../domain/counting";
import type { VariantCounts } from "../../../domain/experiment-results";
import { eventsOf } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import type { Cohort, View } from "../../questions";
import { Bound } from "../sql/bound";
import { itemsSql } from "../sql/conditions";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { sessionsSql, startedIn } from "../sql/sessions";
import { placeOfEvent } from "../sql/values";
import { matchingSql } from "./sessions";

export async function retention(
  read: OpenRead,
  projectId: string,
  request: RetentionRequest,
): Promise<Cohort[]> {
  const { periods, event, returning_event: returningEvent, filters = [] } = request;
  const [start] = periods;
  const end = periods.at(-1);
  if (start === undefined || end === undefined) return [];
  const bound = new Bound();
  const whole = { projectId, ...allTime, filters };
  const window = { fromMs: start.fromMs, toMs: end.toMs };
  const visits = (within: TimeWindow): string =>
    `(select user, start as time from ${sessionsSql(read, bound, { projectId, window: within })}
      where user != '' and ${startedIn(bound, within)} and ${matchingSql(read, bound, whole)})`;
  const named = (name: string | null, within: TimeWindow): string => {
    const where = name === null ? "1" : `name = ${bound.text(name)}`;
    const events = new Events(read, bound, { ...whole, ...within }, where);
    return `(select user, time from ${events.sql()} where user != '')`;
  };
  const appeared = event === null ? visits(allTime) : named(event, allTime);
  const isOfSessions = event === null && returningEvent === null;
  const active = isOfSessions ? visits(window) : named(returningEvent, window);
  const starts = bound.integers(periods.map(({ fromMs }) => fromMs));
  const periodOf = (time: string): string =>
    `toInt64(arrayCount(start -> start <= toUnixTimestamp64Milli(${time}), ${starts})) - 1`;
  const count = periods.length;
  const rows = await read.ask<{ period: number; users: number; retained: number[] }>(
    `select period, count() as users,
      sumForEach(arrayMap(later -> toUInt64(has(back.active, toInt64(later))), range(${count}))) as retained
    from (select user, ${periodOf("first")} as period
      from (select user, min(time) as first from ${appeared} group by user)
      where first >= ${bound.time(window.fromMs)} and first < ${bound.time(window.toMs)}) as new
    left any join (select user, groupUniqArray(${periodOf("time")}) as active from ${active} group by user) as back
      on back.user = new.user
    group by period order by period`,
    bound,
  );
  return rows.map(({ period, users, retained }) => ({
    ...{ period, users },
    retained: [users, ...retained.slice(period + 1)],
  }));
}

interface FoundVariant extends VariantCounts {
  readonly key: string;
}

export async function experimentCounts(
  read: OpenRead,
  view: View,
  request: ExperimentRequest,
): Promise<VariantCounts[]> {
  const { experiment, variants, goal } = request;
  const bound = new Bound();
  const named = `name in ('$experiment_exposure', ${bound.text(goal.event)})`;
  const events = new Events(read, bound, view, named);
  const isGoal = itemsSql(events, eventsOf(goal));
  const isExposure = "name = '$experiment_exposure'";
  const variant = events.property("variant");
  const isOfIt = `${events.property("experiment")} = ${bound.text(experiment)}`;
  const counts = `${isExposure} and ${isOfIt} and ${variant} in ${bound.texts(variants)}`;
  const forced = events.property("forced");
  const rows = await read.ask<FoundVariant>(
    `select key, sum(pair.2) as exposures, sum(is_first) as unique_users, sum(is_first and is_converted) as conversions
    from (
      select user, arrayJoin(each) as pair, pair.1 as key, user != '' and key = variant as is_first, is_converted
      from (
        select user, arrayZip(mapKeys(found), mapValues(found)) as each,
          sumMapIf(map(${variant}, toUInt64(1)), ${counts}) as found,
          argMinIf(${variant}, ${placeOfEvent}, ${counts}) as variant,
          countIf(${isGoal}) > 0 and maxIf(time, ${isGoal}) >= minIf(time, ${counts}) as is_converted
        from ${events.sql()} where not (${isExposure} and ${forced} = '\\xFFtrue')
        group by user having countIf(${counts}) > 0
      )
    ) group by key`,
    bound,
  );
  const found = new Map(rows.map((row) => [row.key, row]));
  return variants.map((key) => {
    const { exposures = 0, unique_users = 0, conversions = 0 } = found.get(key) ?? {};
    return { exposures, unique_users, conversions };
  });
}
