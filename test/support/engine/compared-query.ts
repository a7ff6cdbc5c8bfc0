import { comparisonOf } from "../../../src/domain/comparison";
import type { ComparedInput } from "../../../src/features/query/compared";
import { dayMs, event, lastDays, noonMs } from "./examples";
import { type Asked, inputOf } from "./query-input";

/** The last seven dates of the examples and the seven before them, at noon of the last one; or others. */
export interface ComparedAsked extends Asked {
  /** Days from today. */
  readonly from?: number;
  readonly to?: number;
  readonly compare?: Parameters<typeof comparisonOf>[0];
}

export function comparedInputOf({
  from = -6,
  to = 0,
  compare = "previous",
  ...asked
}: ComparedAsked): ComparedInput {
  const days = { from: lastDays.to + from, to: lastDays.to + to };
  return { ...inputOf(asked), days, compare: comparisonOf(compare, days, noonMs) };
}

/** An event some days and hours from noon of today: before noon, unless said. */
export const eventAt = (days: number, said: Parameters<typeof event>[0] = {}, hours = -1) =>
  event({ timeMs: noonMs + days * dayMs + hours * 3_600_000, ...said });
