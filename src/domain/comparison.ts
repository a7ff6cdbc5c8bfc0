import { dayMs } from "../lib/clock";
import { didYouMean, nearest } from "../lib/nearest";
import { invalidField } from "./errors";
import { dayOf } from "./event";
import { type Days, daysOf, todayIn } from "./period";
import { timeZoneOf } from "./time-zone";

export const comparedWords = ["previous", "week", "year"] as const;
/** The days between a date and the one that it is compared with: whole weeks, so that weekdays match. */
const daysBack = { week: 7, year: 364 } as const;
/** Dates are written with four digits for the year. */
const firstDay = dayOf(Date.parse("0000-01-01T00:00:00.000Z"));

/** An earlier period, or another one, that a period is compared with. */
export interface Comparison {
  readonly days: Days;
  /** The end of both periods while the current one goes on: the same time of day. */
  readonly until: Until | null;
}
/** An end in Unix ms, exclusive. */
interface Until {
  readonly currentMs: number;
  readonly previousMs: number;
}

interface SentDates {
  readonly date_from?: string;
  readonly date_to?: string;
}
type Sent = string | SentDates;

/** Returns the dates that `compare` of a request names. */
export function comparisonOf(sent: Sent, days: Days, nowMs: number): Comparison {
  const other = typeof sent === "string" ? daysNamed(sent, days) : daysSent(sent, days, nowMs);
  if (other.from < firstDay) {
    throw invalidField(
      "compare",
      "The comparison period would begin before year 0. Choose a later or shorter period.",
    );
  }
  return { days: other, until: untilOf(days, other, nowMs) };
}

function daysNamed(sent: string, { from, to, zone }: Days): Days {
  const word = comparedWords.find((known) => known === sent);
  if (word === undefined) {
    const hint = didYouMean(nearest(sent, comparedWords));
    const message = `"compare" is ${comparedWords.join(", ")} or {date_from, date_to}.${hint}`;
    throw invalidField("compare", message, comparedWords);
  }
  const back = word === "previous" ? to - from + 1 : daysBack[word];
  return { from: from - back, to: to - back, zone };
}

function daysSent({ date_from, date_to }: SentDates, { zone }: Days, nowMs: number): Days {
  for (const [name, date] of Object.entries({ date_from, date_to })) {
    if (date === undefined)
      throw invalidField(
        `compare.${name}`,
        `"compare.${name}" is required. Send date_from and date_to, or the name of a period.`,
      );
  }
  const names = ["compare.date_from", "compare.date_to"] as const;
  return daysOf({ since: date_from, until: date_to, nowMs, zone, names });
}

function untilOf({ to, zone: name }: Days, previous: Days, nowMs: number): Until | null {
  const today = todayIn(name, nowMs).to;
  if (to !== today) return null;
  const zone = timeZoneOf(name);
  const timeOfDayMs = nowMs + zone.offsetAt(nowMs) - today * dayMs;
  return { currentMs: nowMs, previousMs: zone.timeOn(previous.to, timeOfDayMs) };
}
