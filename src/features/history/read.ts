import type { DayDimension } from "../../domain/day-row";
import { isoDate } from "../../domain/event";
import { type Days, datesOf } from "../../domain/period";
import { cutOf } from "../../reads/cut";
import type { Read } from "../../store/port";
import type { FoundHistory, History } from "./schema";

export interface HistoryQuestion {
  readonly days: Days;
  readonly dimension: DayDimension;
  readonly seam: number | null;
  readonly found: FoundHistory;
}

/**
 * GET /history. The sums come with the question, as they are not in the store of events: it adds what a receipt says,
 * and masks flagged texts.
 */
export const historyRead: Read<HistoryQuestion, History> = {
  name: "history",
  scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }),
  tellsOfDeleted: true,
  async run(_, { days, dimension, seam, found: { values, totals, series, imports } }) {
    return {
      period: datesOf(days),
      dimension,
      seam: seam === null ? null : isoDate(seam),
      ...{ totals, series },
      ...(values !== null && {
        values: [...values.rows],
        ...cutOf(values.total, values.rows.length),
      }),
      imports,
    };
  },
};
