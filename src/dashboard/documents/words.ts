import type { Account } from "./api";

/** How pages say things. */

export const planOf = ({ tier, complimentary }: Pick<Account, "tier" | "complimentary">): string =>
  complimentary ? "Pro, complimentary" : tier === "pro" ? "Pro" : "Free";

/** A time as its reader's own calendar has it. */
export function dateOf(time: number | string | null): string {
  if (time === null) return "never";
  return new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });
}

export function timeOf(time: number | string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** `1 event`, `2,000 events`. */
export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString()} ${one}${count === 1 ? "" : "s"}`;
