import { conditionKinds } from "../../domain/server-condition";
import type { Deps } from "../../http/deps";
import type { Gauge } from "../../http/edge/metrics";

const name = "sightline_condition";

/** One series for each kind of conditions: 1 while it holds. */
export function conditionGauges({ conditions }: Pick<Deps, "conditions">): readonly Gauge[] {
  const holding = new Set(conditions.holding.map(({ kind }) => kind));
  return conditionKinds.map((kind) => ({
    ...{ name, help: "Conditions that need an operator; 1 while one holds." },
    ...{ labels: { condition: kind }, value: holding.has(kind) ? 1 : 0 },
  }));
}
