import { invalidField } from "./errors";
import { type FilterItem, goalEvent } from "./filter-items";
import { goalMetrics, type Metric } from "./metric";

/** An event that makes a session a conversion: one of this name for which the filters hold, anywhere in the session. */
export interface Goal {
  readonly event: string;
  readonly filters: readonly FilterItem[];
}

/** The goal of a query: it is always checked, and used by the metrics that need it alone. */
export function goalOf(
  sent: Readonly<Record<string, unknown>> | undefined,
  metrics: readonly Metric[],
): Goal | null {
  const goal = sent === undefined ? null : goalEvent(sent, "goal");
  const needing = goalMetrics.find((name) => metrics.includes(name));
  if (needing === undefined || goal !== null) return needing === undefined ? null : goal;
  const message = `"${needing}" needs a goal, such as "goal": {"event": "signup"}.`;
  throw invalidField("goal", message);
}
