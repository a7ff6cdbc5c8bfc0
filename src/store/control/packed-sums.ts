import {
  type DayCounts,
  type DayDimension,
  type DayRow,
  dayCounts,
  daySumsBytesMax,
  dayValueCharsMax,
  sizeOfDayRow,
} from "../../domain/day-row";
import { dayOf } from "../../domain/event";
import { compareText } from "../../lib/text";

/** The value and counts of a row of sums. */
export interface ValueSums extends DayCounts {
  readonly value: string;
}

/** The value and its counts, as `dayCounts` lists them. */
type PackedValue = [
  ...[value: string, visitors: number | null, visits: number | null, page_views: number | null],
  ...[events: number | null, bounces: number | null, seconds: number | null],
];

export interface PackedSums {
  readonly day: number;
  readonly dimension: DayDimension;
  readonly sums: string;
}

/** Rows by date and dimension, the largest values first, up to the limit. */
export function packed(rows: readonly DayRow[]): PackedSums[] {
  const lists = new Map<string, DayRow[]>();
  for (const row of rows) {
    if (row.value.length > dayValueCharsMax) continue;
    const name = `${row.date} ${row.dimension}`;
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [row]);
    else list.push(row);
  }
  return Array.from(lists.values(), (list) => {
    const [{ date, dimension }] = list;
    list.sort((a, b) => sizeOfDayRow(b) - sizeOfDayRow(a) || compareText(a.value, b.value));
    return { day: dayOfDate(date), dimension, sums: jsonOf(list) };
  });
}

function jsonOf(rows: readonly DayRow[]): string {
  const texts: string[] = [];
  let bytes = "[]".length;
  for (const row of rows) {
    const text = JSON.stringify([row.value, ...dayCounts.map((name) => row[name])]);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > daySumsBytesMax) break;
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}

export const unpacked = (json: string): ValueSums[] =>
  (JSON.parse(json) as PackedValue[]).map(
    ([value, visitors, visits, page_views, events, bounces, seconds]) => {
      return { value, visitors, visits, page_views, events, bounces, seconds };
    },
  );

/** Rows of dates are written as days, and read as these. */
const dayOfDate = (date: string): number => dayOf(Date.parse(`${date}T00:00:00.000Z`));
