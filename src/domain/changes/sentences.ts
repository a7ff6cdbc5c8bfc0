/*
 * The sentences that say what changed come from this table and from nothing else.
 * Decision: each sentence is chosen by the numbers of a comparison and of GET /changes, at most five, in fixed words.
 * Because: a reader wants reasons, and a sentence may claim no cause that the numbers do not carry.
 * Cost: they are plain, and in English alone.
 */

import type { Verdict } from "./assessment";
import type { Pair } from "./change-counts";

/** The place of a sentence in the table, by which a page links it to what shows more. */
export interface Sentence {
  readonly about: "visitors" | "change" | "drivers" | "goals" | "noted";
  readonly text: string;
}

export interface ChangedValue {
  readonly dimension: string;
  readonly value: string | null;
  readonly delta: number;
  readonly share_pct: number | null;
}

/** The numbers that the sentences tell. */
export interface SentenceFacts {
  /** The word for the period: "week", "month" or "period". */
  readonly period: string;
  readonly visitors: Pair;
  /** Tells whether the period before is stored whole. Without it nothing is compared. */
  readonly isCompared: boolean;
  readonly changes: Pair & {
    readonly verdict: Verdict;
    /** The dates that were judged, where they are not the period's own: "in its last 30 days". */
    readonly within?: string;
    readonly isSignificant: boolean;
    /** Largest first. */
    readonly drivers: readonly ChangedValue[];
    /** The dates that it takes to judge a change, and how many there are; null where there are enough. */
    readonly needs: { readonly dates: number; readonly have: number } | null;
  };
  readonly goals: readonly (Pair & { readonly event: string })[];
  readonly annotations: readonly { readonly date: string; readonly title: string }[];
  readonly alerts: number;
}

/** Writes a text of visitors or owners, so that it may stand where the sentence is shown. */
type WriteText = (text: string) => string;

const sentencesMax = 5;
const percentFrom = 10;
const driversTold = 3;
const goalsTold = 3;
const notedTold = 3;
const nearlyAllPercent = 90;

export function sentencesOf(facts: SentenceFacts, write: WriteText): readonly Sentence[] {
  const all: readonly (Sentence | null)[] = [
    { about: "visitors", text: visitorsText(facts) },
    facts.isCompared ? { about: "change", text: changeText(facts) } : null,
    sentence("drivers", driversText(facts, write)),
    sentence("goals", goalsText(facts, write)),
    sentence("noted", notedText(facts, write)),
  ];
  return all.filter((one) => one !== null).slice(0, sentencesMax);
}

const sentence = (about: Sentence["about"], text: string | null): Sentence | null =>
  text === null ? null : { about, text };

function visitorsText({ period, visitors, isCompared }: SentenceFacts): string {
  const { current, previous } = visitors;
  if (!isCompared) {
    return `${counted(current, "visitor")}. The ${period} before is not stored whole, so nothing is compared with it.`;
  }
  if (current === 0 && previous === 0) return `No visitors, as in the ${period} before.`;
  return `${counted(current, "visitor")}, ${compared(visitors, `the ${period} before`)}.`;
}

function changeText({ changes }: SentenceFacts): string {
  const { verdict, needs, isSignificant } = changes;
  if (verdict === "too_little_history") {
    const have = needs === null ? "" : ` There are ${needs.have} of ${needs.dates} dates.`;
    return `Too few dates are stored to say which changes are unusual.${have}`;
  }
  const moved = movedText(changes) + (changes.within === undefined ? "" : ` ${changes.within}`);
  if (verdict === "noise") return `${moved}, no more than they usually vary.`;
  if (!isSignificant) {
    return `${moved}, no more than they usually vary, but some parts changed more than usual.`;
  }
  const usual = `${moved}, more than they usually vary`;
  return verdict === "specific" ? `${usual}.` : `${usual}, and no single part stands out.`;
}

function movedText({ current, previous }: Pair): string {
  if (current === previous) return `Events stayed at ${whole(current)}`;
  const way = current > previous ? "rose" : "fell";
  return `Events ${way} from ${whole(previous)} to ${whole(current)}${inPercent({ current, previous })}`;
}

function driversText({ isCompared, changes }: SentenceFacts, write: WriteText): string | null {
  const [first, ...others] = changes.drivers;
  if (!isCompared || first === undefined) return null;
  const delta = changes.current - changes.previous;
  const share = first.share_pct ?? 0;
  if (changes.isSignificant && share >= nearlyAllPercent && share <= 100) {
    return `Nearly all of it is ${nameOf(first, write)} (${signed(first.delta)} of ${signed(delta)}).`;
  }
  const told = [first, ...others].slice(0, driversTold);
  const list = told.map((one) => `${nameOf(one, write)} (${signed(one.delta)})`);
  return `${list.length === 1 ? "The part that changed" : "The parts that changed"} most: ${listed(list)}.`;
}

function goalsText({ period, isCompared, goals }: SentenceFacts, write: WriteText): string | null {
  const reached = goals.filter(({ current, previous }) => current + previous > 0);
  const sorted = reached.toSorted((a, b) => changeOf(b) - changeOf(a)).slice(0, goalsTold);
  if (sorted.length === 0) return null;
  const list = sorted.map((goal, at) => {
    const than = at === 0 ? `the ${period} before` : "before";
    const beside = isCompared ? `, ${compared(goal, than)}` : "";
    return `${write(goal.event)} was reached in ${counted(goal.current, "session")}${beside}`;
  });
  return `${list.join("; ")}.`;
}

function notedText({ annotations, alerts }: SentenceFacts, write: WriteText): string | null {
  const noted = annotations
    .slice(0, notedTold)
    .map(({ date, title }) => `"${write(title)}" (${date})`);
  const more = annotations.length - noted.length;
  const list = more > 0 ? [...noted, `${more} more`] : noted;
  const parts = [
    ...(list.length > 0 ? [`Your notes of these days: ${listed(list)}.`] : []),
    ...(alerts > 0 ? [`${alerts === 1 ? "1 alert" : `${whole(alerts)} alerts`} fired.`] : []),
  ];
  return parts.length === 0 ? null : parts.join(" ");
}

const changeOf = ({ current, previous }: Pair): number => Math.abs(current - previous);

/** `11 % fewer than the week before`; of small numbers the difference, as their percentages say nothing. */
function compared({ current, previous }: Pair, than: string): string {
  if (current === previous) return `as many as ${than}`;
  const word = current > previous ? "more" : "fewer";
  if (Math.min(current, previous) >= percentFrom) {
    const percent = percentOf({ current, previous });
    if (percent >= 1) return `${whole(percent)} % ${word} than ${than}`;
  }
  return `${whole(changeOf({ current, previous }))} ${word} than ${than}`;
}

function inPercent(pair: Pair): string {
  const percent = percentOf(pair);
  if (Math.min(pair.current, pair.previous) < percentFrom || percent < 1) return "";
  return ` (${signed(pair.current > pair.previous ? percent : -percent)} %)`;
}

const percentOf = (pair: Pair): number => Math.round((changeOf(pair) / pair.previous) * 100);

/** The words before a value; a country has a name of its own. */
const dimensionWords: Readonly<Record<string, string>> = {
  ...{ event: "the event", page: "the page", source: "the source", device: "the device" },
  ...{ browser: "the browser", os: "the system", language: "the language", version: "version" },
};

function nameOf({ dimension, value }: ChangedValue, write: WriteText): string {
  if (dimension === "country") return value === null ? "no country" : write(countryName(value));
  const word = dimensionWords[dimension] ?? `the ${write(dimension.replace(/^properties\./, ""))}`;
  return value === null ? `${word.replace(/^the /, "no ")}` : `${word} ${write(value)}`;
}

const countryNames = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** The name of a country by its two letters; anything else stays as it is. */
export const countryName = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code;

const numbers = new Intl.NumberFormat("en");
const whole = (number: number): string => numbers.format(Math.round(number));
const signed = (number: number): string => `${number < 0 ? "−" : "+"}${whole(Math.abs(number))}`;

const counted = (number: number, noun: string): string =>
  number === 0
    ? `${noun === "visitor" ? "No" : "no"} ${noun}s`
    : `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

function listed(list: readonly string[]): string {
  const last = list.at(-1) ?? "";
  return list.length < 2 ? last : `${list.slice(0, -1).join(", ")} and ${last}`;
}
