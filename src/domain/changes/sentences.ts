/*
 * The sentences that say what changed come from this table and from nothing else.
 * Decision: each sentence is chosen by the numbers of a comparison and of GET /changes, at most five, in fixed words.
 * Letters and the dashboard share them, so this file imports nothing.
 * Because: a reader wants reasons, and a sentence may claim no cause that the numbers do not carry.
 * Cost: they are plain, and in English alone.
 */

/** A number in both periods. */
interface Compared {
  readonly current: number;
  readonly previous: number;
}
type Counted = "Events" | "Visitors";

export interface ChangedValue {
  readonly dimension: string;
  readonly value: string | null;
  readonly delta: number;
  /** Null where a visitor may count in several values. */
  readonly share_pct: number | null;
}
interface ChangedGoal extends Compared {
  /** Its name, or that of its event. */
  readonly event: string;
  readonly id?: string;
}

/** A part of a sentence, with the value or the goal that it names. */
export interface Phrase {
  readonly text: string;
  readonly driver?: ChangedValue;
  readonly goal?: ChangedGoal;
}

/** A sentence and its topic, by which a page links it to more about it. */
export interface Sentence {
  readonly about: "visitors" | "change" | "drivers" | "goals" | "noted";
  readonly text: string;
  readonly phrases: readonly Phrase[];
}

/** The numbers and texts in the sentences. */
export interface SentenceFacts {
  /** The other period: "the week before". */
  readonly before: string;
  readonly visitors: Compared;
  /** Tells whether the period before is stored whole. Without it nothing is compared. */
  readonly isCompared: boolean;
  /** Null before the answer. */
  readonly changes:
    | (Compared & {
        readonly counted: Counted;
        readonly verdict: "too_little_history" | "noise" | "specific" | "broad";
        /** The dates of the judgement, if they are not the period's own: "in its last 30 days". */
        readonly within?: string;
        /** Tells that these are the visitors of the first sentence, in the same two periods. */
        readonly isOfVisitors?: boolean;
        readonly isSignificant: boolean;
        /** Largest first. */
        readonly drivers: readonly ChangedValue[];
        /** The number of dates that a judgement needs, and the number that is stored; null if there are enough. */
        readonly needs: { readonly dates: number; readonly have: number } | null;
      })
    | null;
  readonly goals: readonly ChangedGoal[];
  readonly annotations: readonly { readonly date: string; readonly title: string }[];
  readonly alerts: number;
}
type Changes = NonNullable<SentenceFacts["changes"]>;

/** Writes a text of visitors or owners, so that it may stand where the sentence is shown. */
type WriteText = (text: string) => string;

const sentencesMax = 5;
const percentFrom = 10;
const driversTold = 3;
const goalsTold = 3;
const notedTold = 3;
const nearlyAllPercent = 90;

export function sentencesOf(facts: SentenceFacts, write: WriteText): readonly Sentence[] {
  const { isCompared, changes } = facts;
  const judged = isCompared ? changes : null;
  return [
    sentence("visitors", said(visitorsText(facts))),
    sentence("change", said(judged === null ? null : changeText(judged))),
    sentence("drivers", judged === null ? [] : driversText(judged, write)),
    sentence("goals", goalsText(facts, write)),
    sentence("noted", said(notedText(facts, write))),
  ]
    .filter(({ phrases }) => phrases.length > 0)
    .slice(0, sentencesMax);
}

const said = (text: string | null): readonly Phrase[] => (text === null ? [] : [{ text }]);

const sentence = (about: Sentence["about"], phrases: readonly Phrase[]): Sentence => ({
  about,
  text: phrases.map(({ text }) => text).join(""),
  phrases,
});

function visitorsText({ before, visitors, isCompared }: SentenceFacts): string {
  const { current, previous } = visitors;
  if (!isCompared) {
    const other = before.replace(/^t/, "T");
    return `${counted(current, "visitor")}. ${other} is not stored whole, so nothing is compared with it.`;
  }
  if (current === 0 && previous === 0) return `No visitors, as in ${before}.`;
  return `${counted(current, "visitor")}, ${compared(visitors, before)}.`;
}

function changeText(changes: Changes): string | null {
  const { verdict, needs, isSignificant } = changes;
  if (verdict === "too_little_history") {
    const have = needs === null ? "" : ` There are ${needs.have} of ${needs.dates} dates.`;
    return `Too few dates are stored to say which changes are unusual.${have}`;
  }
  if (changes.isOfVisitors === true) return usualText(changes);
  const moved = movedText(changes) + (changes.within === undefined ? "" : ` ${changes.within}`);
  if (verdict === "noise") return `${moved}, no more than they usually vary.`;
  if (!isSignificant) {
    return `${moved}, no more than they usually vary, but some parts changed more than usual.`;
  }
  const usual = `${moved}, more than they usually vary`;
  return verdict === "specific" ? `${usual}.` : `${usual}, and no single part stands out.`;
}

/** The sentence about usual changes, which follows the one about the same visitors. */
function usualText({ verdict, isSignificant, current, previous }: Changes): string | null {
  const noun = "Visitors usually vary";
  if (verdict === "noise") return current === previous ? null : `${noun} as much.`;
  if (!isSignificant) return `${noun} as much, but some parts changed more than usual.`;
  return `${noun} less${verdict === "specific" ? "" : ", and no single part stands out"}.`;
}

function movedText({ counted: noun, current, previous }: Changes): string {
  if (current === previous) return `${noun} stayed at ${whole(current)}`;
  const way = current > previous ? "rose" : "fell";
  return `${noun} ${way} from ${whole(previous)} to ${whole(current)}${inPercent({ current, previous })}`;
}

function driversText(changes: Changes, write: WriteText): readonly Phrase[] {
  const [first, ...others] = changes.drivers;
  if (first === undefined) return [];
  const delta = changes.current - changes.previous;
  const named = (driver: ChangedValue, of = ""): readonly Phrase[] => [
    { text: nameOf(driver, write), driver },
    { text: ` (${signed(driver.delta)}${of})` },
  ];
  if (changes.isSignificant && isNearlyAll(first, delta)) {
    return [
      { text: "Nearly all of it is " },
      ...named(first, ` of ${signed(delta)}`),
      { text: "." },
    ];
  }
  const list = [first, ...others].slice(0, driversTold).map((one) => named(one));
  const parts = list.length === 1 ? "The part that changed" : "The parts that changed";
  return [{ text: `${parts} most: ` }, ...listedPhrases(list), { text: "." }];
}

/** The dimensions in which a visitor has one value: the differences of their values add up, as those of events do. */
const dimensionsOfVisitor = ["country", "device", "browser", "os", "language"];

function isNearlyAll({ dimension, delta, share_pct }: ChangedValue, total: number): boolean {
  const isPart = dimensionsOfVisitor.includes(dimension) && total !== 0;
  const share = share_pct ?? (isPart ? (100 * delta) / total : 0);
  return share >= nearlyAllPercent && share <= 100;
}

function goalsText(facts: SentenceFacts, write: WriteText): readonly Phrase[] {
  const { before, isCompared, goals } = facts;
  const reached = goals.filter(({ current, previous }) => current + previous > 0);
  const sorted = reached.toSorted((a, b) => changeOf(b) - changeOf(a)).slice(0, goalsTold);
  if (sorted.length === 0) return [];
  const list = sorted.flatMap((goal, at): readonly Phrase[] => {
    const beside = isCompared ? `, ${compared(goal, at === 0 ? before : "before")}` : "";
    const text = ` was reached in ${counted(goal.current, "session")}${beside}`;
    return [...(at > 0 ? [{ text: "; " }] : []), { text: write(goal.event), goal }, { text }];
  });
  return [...list, { text: "." }];
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

const changeOf = ({ current, previous }: Compared): number => Math.abs(current - previous);

/** `11 % fewer than the week before`; of small numbers the difference, as their percentages say nothing. */
function compared({ current, previous }: Compared, than: string): string {
  if (current === previous) return `as many as ${than}`;
  const word = current > previous ? "more" : "fewer";
  if (Math.min(current, previous) >= percentFrom) {
    const percent = percentOf({ current, previous });
    if (percent >= 1) return `${whole(percent)} % ${word} than ${than}`;
  }
  return `${whole(changeOf({ current, previous }))} ${word} than ${than}`;
}

function inPercent(pair: Compared): string {
  const percent = percentOf(pair);
  if (Math.min(pair.current, pair.previous) < percentFrom || percent < 1) return "";
  return ` (${signed(pair.current > pair.previous ? percent : -percent)} %)`;
}

const percentOf = (pair: Compared): number => Math.round((changeOf(pair) / pair.previous) * 100);

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

const listedPhrases = (list: readonly (readonly Phrase[])[]): readonly Phrase[] =>
  list.flatMap((one, at) => {
    const between = at === 0 ? "" : at === list.length - 1 ? " and " : ", ";
    return between === "" ? one : [{ text: between }, ...one];
  });
