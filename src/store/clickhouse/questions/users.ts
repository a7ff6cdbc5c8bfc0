import type { ExperimentRequest } from "../../../domain/counting";
import type { VariantCounts } from "../../../domain/experiment-results";
import { eventsOf } from "../../../domain/goal";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { itemsSql } from "../sql/conditions";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { placeOfEvent } from "../sql/values";

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
