import type { SentenceFacts } from "../../../domain/changes/sentences";
import type { ChangesAnswer } from "../../data/answers";
import type { GoalRow } from "../../data/goal-rows";
import { addDays, type IsoDate, shortDate, today } from "../../lib/dates";
import type { CompareMode, Comparison, Period } from "../../state/period";

/** Whole dates, which GET /changes can judge. */
interface WholeDates {
  readonly since: IsoDate;
  readonly until: IsoDate;
}

const isRolling = (key: string): boolean => /^(\d+d|12m)$/.test(key);

/**
 * Returns the complete dates of the period. For a rolling period such as 7d these are as many dates up to yesterday.
 * Null if no date is complete.
 */
export function judgedDates({ key, from, to, days, isOpen }: Period): WholeDates | null {
  if (!isOpen) return { since: from, until: to };
  const until = addDays(today(), -1);
  const since = isRolling(key) && days > 1 ? addDays(from, -1) : from;
  return since > until ? null : { since, until };
}

/** Names the period before. A period that goes on is compared with one that ends at the same time of its last day. */
export function beforeText({ key, days, isOpen }: Period, mode: CompareMode): string {
  const unit = unitOf(key, days);
  const end = isOpen && !isRolling(key) ? " up to the same time" : "";
  if (mode === "year") return `a year before${end}`;
  if (mode === "week" && days > 7) return `the same weekdays before${end}`;
  return `the ${mode === "week" ? "week" : unit} before${end}`;
}

function unitOf(key: string, days: number): string {
  const named = /^(?:last-)?(week|month|year)$/.exec(key)?.[1];
  if (named !== undefined) return named;
  if (days === 1) return "day";
  return key === "12m" ? "12 months" : days === 7 ? "week" : `${days} days`;
}

interface Numbers {
  readonly period: Period;
  readonly comparison: Comparison;
  readonly mode: CompareMode;
  readonly visitors: { readonly current: number; readonly previous: number };
  readonly changes: ChangesAnswer | undefined;
  readonly goals: readonly GoalRow[];
}

/** Returns the facts for the sentences above the numbers: the numbers below them that have arrived. */
export const factsOf = (numbers: Numbers): SentenceFacts => ({
  before: beforeText(numbers.period, numbers.mode),
  ...{ visitors: numbers.visitors, isCompared: true, annotations: [], alerts: 0 },
  changes: judgedOf(numbers),
  goals: numbers.goals.map(({ goal, conversions, previous = {} }) => ({
    ...{ event: goal.name, id: goal.id },
    ...{ current: conversions, previous: previous.conversions ?? 0 },
  })),
});

/** Returns the verdict; null before the answer, and if there is too little history for one. */
function judgedOf({ period, comparison, changes }: Numbers): SentenceFacts["changes"] {
  if (changes === undefined || changes.verdict === "too_little_history") return null;
  const { current, previous, verdict, total, drivers, needs } = changes;
  const isSame =
    isOf(current, period) && isOf(previous, comparison) && metricOfVisitors === changes.metric;
  // A verdict on other dates than those of the page is worth a sentence only if it found a change.
  if (!isSame && verdict === "noise") return null;
  return {
    ...{ current: current.value, previous: previous.value, counted: "Visitors" },
    ...{ verdict, drivers, needs, isOfVisitors: isSame },
    ...(!isSame && { within: withinText(current) }),
    isSignificant: total.significant === true,
  };
}
export const metricOfVisitors = "users";

type Dates = Pick<Period, "from" | "to">;

const isOf = (one: Dates, other: Dates): boolean => one.from === other.from && one.to === other.to;

function withinText({ from, to }: Dates): string {
  if (from === to) return `on ${shortDate(to)}, against the same weekday before`;
  return `from ${shortDate(from)} to ${shortDate(to)}, against the same weekdays before`;
}
