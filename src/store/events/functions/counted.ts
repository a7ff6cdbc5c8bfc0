import type { CountRequest } from "../../../domain/counting";
import { valueOfNothing } from "../../../domain/metric";
import type { Label } from "../scan/vector";

export type CountedRow = Record<string, Label>;
export interface Counted {
  readonly rows: CountedRow[];
  /** The number of groups, with those that the limit leaves out. */
  readonly groups_total: number;
}

/** Returns the rows of no events. */
export const nothing = (request: CountRequest): Counted =>
  request.always_one_row === true
    ? { rows: [emptyRow(request)], groups_total: 1 }
    : { rows: [], groups_total: 0 };

export const emptyRow = ({ metrics, goal }: CountRequest): CountedRow =>
  Object.fromEntries(
    metrics.map((metric) => [metric, valueOfNothing(metric, goal?.value !== undefined)]),
  );
