import { exact } from "./format";
import { locale } from "./locale";

/** Words of the pages about a person. Times are those of the reader's own clock and calendar. */
export const planName = ({
  tier,
  complimentary,
}: {
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
}): string => (complimentary ? "Pro, complimentary" : tier === "pro" ? "Pro" : "Free");

export const localDate = (time: number | string | null): string =>
  time === null ? "never" : new Date(time).toLocaleDateString(locale, { dateStyle: "medium" });

export const localTime = (time: number | string): string =>
  new Date(time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });

/** The unit of lists whose sessions began in the period; the overview and Explore also count those of before. */
export const startedSessions = "Sessions started";
export const startedMeaning =
  "Counts sessions that started in this period. The overview counts all sessions with an event in this " +
  "period.";

/** `1 event`, `2,000 events`. */
export const countOf = (count: number, one: string): string =>
  `${exact(count)} ${one}${count === 1 ? "" : "s"}`;
