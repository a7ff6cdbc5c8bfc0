/*
 * The events of an overview are read once, in ClickHouse.
 * Decision: one statement groups them three times, by event, by bucket and not at all, over one number for each user.
 * Because: it takes less than half of the processor time of three statements, and less of it the more filters and links
 * there are, which are then looked at once too.
 * Cost: a statement of its own for what /query could also be asked.
 * Revisit: when the sums of sessions can be told from the same rows; they need the events of other dates too, so that
 * they are asked beside it.
 */

import type { Overview, OverviewRequest } from "../../../domain/overview";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { numberOfText } from "../sql/values";
import { labelSql } from "./count-by";

export const groupOfUnit = { hour: "hour", day: "date", week: "week", month: "month" } as const;

/** What `grouping(event, bucket)` says of a row: a bit is set for what it is not grouped by. */
const groupings = { event: 1, bucket: 2, totals: 3 } as const;

interface Found {
  readonly grouped: number;
  readonly label: string;
  readonly events: number;
  readonly users: number;
}

export async function overview(
  read: OpenRead,
  view: View,
  { days, unit, events_max: eventsMax }: OverviewRequest,
): Promise<Overview> {
  const bound = new Bound();
  const { zone } = days;
  const events = new Events(read, bound, { ...view, ...(zone !== undefined && { zone }) });
  const bucket = labelSql(events, groupOfUnit[unit]);
  const rows = await read.ask<Found>(
    `select grouped, label, events, users from (
      select grouped, label, events, users,
        row_number() over (partition by grouped order by events desc, label) as place
      from (
        select grouping(event, bucket) as grouped, if(grouped = ${groupings.event}, event, bucket) as label,
          count() as events, uniqExactIf(user_number, user != '') as users
        from (select toString(name) as event, ${bucket} as bucket, user, ${numberOfText("user")} as user_number
          from ${events.sql()})
        group by grouping sets ((event), (bucket), ())
      )
    ) where grouped != ${groupings.event} or place <= ${bound.integer(eventsMax)}
    order by grouped, if(grouped = ${groupings.event}, place, 0), label`,
    bound,
  );
  const grouped = (by: number): readonly Found[] => rows.filter((row) => row.grouped === by);
  const [totals] = grouped(groupings.totals);
  return {
    totals: { unique_users: totals?.users ?? 0, total_events: totals?.events ?? 0 },
    series: grouped(groupings.bucket).map(({ label, users, events: count }) => ({
      ...{ bucket: label, unique_users: users, total_events: count },
    })),
    events: grouped(groupings.event).map(({ label, users, events: count }) => ({
      ...{ event: label, event_count: count, unique_users: users },
    })),
  };
}
