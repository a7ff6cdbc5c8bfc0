import {
  addDays,
  addMonths,
  datesOf,
  type IsoDate,
  longDate,
  monthText,
  rangeText,
  shortDate,
  startOf,
} from "../../lib/dates";
import type { Bucket } from "../../state/period";

/** A part of a window: its name in answers, and its first and last date within the window. */
export interface Stretch {
  readonly start: string;
  readonly from: IsoDate;
  readonly end: IsoDate;
}

interface Window {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/** Returns the parts of a window in order: its hours, dates, weeks or months. */
export function stretchesOf({ from, to }: Window, length: Bucket): Stretch[] {
  if (length === "hour") return datesOf(from, to).flatMap(hoursOf);
  if (length === "date") {
    return datesOf(from, to).map((date) => ({ start: date, from: date, end: date }));
  }
  const stretches: Stretch[] = [];
  for (let date = startOf(length, from); date <= to; ) {
    const next = length === "week" ? addDays(date, 7) : addMonths(date, 1);
    const last = addDays(next, -1);
    stretches.push({
      start: length === "week" ? date : date.slice(0, "YYYY-MM".length),
      from: date < from ? from : date,
      end: last > to ? to : last,
    });
    date = next;
  }
  return stretches;
}

const hoursOf = (date: IsoDate): Stretch[] =>
  Array.from({ length: 24 }, (_, hour) => ({
    ...{ start: `${date}T${String(hour).padStart(2, "0")}:00`, from: date, end: date },
  }));

/** The text at the axis. */
export function axisOf(start: string, length: Bucket): string {
  if (length === "hour") return start.slice("YYYY-MM-DDT".length);
  return length === "month" ? monthText(start) : shortDate(start);
}

/** The text beside the values. */
export function labelOf({ start, from, end }: Stretch, length: Bucket): string {
  if (length === "hour") return `${shortDate(from)}, ${start.slice("YYYY-MM-DDT".length)}`;
  return length === "date" ? longDate(start) : rangeText(from, end);
}
