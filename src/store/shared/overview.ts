import type { CountRequest } from "../../domain/counting";
import type { Overview, OverviewRequest } from "../../domain/overview";
import type { Snapshot, View } from "../questions";

/** The overview of an engine that answers its three questions one by one as fast as all of them at once. */
export async function overviewOf(
  questions: Pick<Snapshot, "countBy" | "totals" | "timeSeries">,
  view: View,
  { days, unit, events_max: limit }: OverviewRequest,
): Promise<Overview> {
  const topEvents = {
    ...{ group_by: ["event"], metrics: ["event_count", "unique_users"], limit },
  } as const satisfies CountRequest;
  const { rows } = await questions.countBy(view, topEvents);
  const totals = await questions.totals(view);
  return { totals, series: await questions.timeSeries(view, days, unit), events: rows };
}
