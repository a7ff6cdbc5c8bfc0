/** Words of the pages about a person. Times are those of the reader's own clock and calendar. */
export const planName = ({
  tier,
  complimentary,
}: {
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
}): string => (complimentary ? "Pro, complimentary" : tier === "pro" ? "Pro" : "Free");

export const localDate = (time: number | string | null): string =>
  time === null ? "never" : new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });

export const localTime = (time: number | string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** `1 event`, `2,000 events`. */
export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString()} ${one}${count === 1 ? "" : "s"}`;
