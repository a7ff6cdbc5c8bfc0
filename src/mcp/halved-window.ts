import { isoDate } from "../domain/event";
import { daysOf } from "../domain/period";
import { isObject, type Node } from "../http/operation/input";
import { clock } from "../lib/clock";
import type { Arguments } from "./tools";

/**
 * The fields that make a call one over about half of its window, whichever way its operation has to say a window: first
 * and last date, a number of dates, or a number of periods. None where there is no window, or one of a single date.
 */
export function halvedWindow(args: Arguments, { properties = {} }: Node): Arguments {
  const { cursor, queries } = args;
  // The pages of a cursor are those of the window that it was made for.
  if (isGiven(cursor)) return {};
  if (Array.isArray(queries)) return { queries: queries.map((one) => withHalf(one, properties)) };
  if (properties.cohorts !== undefined && !isGiven(args.since)) {
    return { cohorts: half(numberOf(args.cohorts ?? properties.cohorts.default)) };
  }
  const first = firstDateIn(args, properties);
  if (first !== null && (isGiven(args[first]) || properties.period === undefined)) {
    return laterFirstDate(first, args, properties);
  }
  const { period } = properties;
  return period === undefined || lengthsOf(period).length === 0 ? {} : shorterLength(args, period);
}

type Properties = NonNullable<Node["properties"]>;

const isGiven = (value: unknown): boolean => (value ?? null) !== null;
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 1);
const half = (count: number): number => Math.max(1, count >> 1);

const withHalf = (question: unknown, properties: Properties): unknown =>
  isObject(question) ? { ...question, ...halvedWindow(question, { properties }) } : question;

/** The lengths, such as `7d`, of a field that takes nothing else. */
const lengthsOf = (field: Node | undefined): readonly string[] =>
  (field?.enum ?? []).filter((one): one is string => /^\d+d$/.test(String(one)));

function shorterLength({ period }: Arguments, field: Node): Arguments {
  const value = String(period ?? field.default ?? lengthDefault);
  const shorter = lengthsOf(field)
    .filter((one) => Number.parseInt(one, 10) < Number.parseInt(value, 10))
    .at(-1);
  return shorter === undefined ? {} : { period: shorter };
}
const lengthDefault = "7d";

/** Returns the name under which the first date was sent, as both are taken. */
function firstDateIn(args: Arguments, properties: Properties): "since" | "date_from" | null {
  const known = (["since", "date_from"] as const).find((name) => properties[name] !== undefined);
  if (known === undefined) return null;
  return (["since", "date_from"] as const).find((name) => isGiven(args[name])) ?? known;
}

function laterFirstDate(name: "since" | "date_from", args: Arguments, all: Properties): Arguments {
  const sent = args[name] ?? all[name]?.default ?? lengthDefault;
  const last = args.until ?? args.date_to;
  const agoAtStart = daysAgo(sent);
  const agoAtEnd = isGiven(last) ? daysAgo(last) : 0;
  if (agoAtStart !== null && agoAtEnd !== null) {
    return { [name]: `${agoAtEnd + ((agoAtStart - agoAtEnd) >> 1)}d` };
  }
  const from = dayOf(sent);
  const to = isGiven(last) ? dayOf(last) : Math.max(from, dayOf("0d"));
  return { [name]: isoDate(to - ((to - from) >> 1)) };
}

/** Returns the day of a date that an operation has accepted; its time zone moves it by a day at most. */
function dayOf(sent: unknown): number {
  const text = String(sent);
  return daysOf({ since: text, until: text, nowMs: clock.nowMs() }).from;
}

/** Reads a length of time: `7d` → 7; null for a date. */
function daysAgo(text: unknown): number | null {
  const days = /^(\d{1,4})d$/.exec(String(text))?.[1];
  return days === undefined ? null : Number(days);
}
