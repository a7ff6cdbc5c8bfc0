import { type DayRow, dayDimensions } from "../../../domain/day-row";
import { ApiError } from "../../../domain/errors";
import type { CountDay, CountedDate } from "../../imports";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { questionsOf } from "../questions/questions";

/** Returns all rows of a date, as retention counts it. A dimension with too many values to count has none. */
export async function countedDate(
  countDay: CountDay,
  snapshot: OpenSnapshot,
  { ownHosts, ...date }: CountedDate,
): Promise<DayRow[]> {
  snapshot.context.ownHosts = ownHosts;
  const questions = questionsOf(snapshot);
  const rows: DayRow[] = [];
  for (const dimension of dayDimensions) {
    try {
      const counted = await countDay(questions, { ...date, dimension });
      if (dimension === "total" && counted.length === 0) return [];
      rows.push(...counted);
    } catch (error) {
      const isTooMuch = error instanceof ApiError && error.code === "QUERY_FAILED";
      if (dimension === "total" || !isTooMuch) throw error;
    }
  }
  return rows;
}
