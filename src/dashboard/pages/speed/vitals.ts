/** A Core Web Vital: a property that the tracker sends, and the bounds by which web.dev rates its 75th percentile. */
export interface Vital {
  readonly key: string;
  readonly name: string;
  readonly meaning: string;
  readonly metric: string;
  /** The largest value that is good, and the largest that is not yet poor. */
  readonly goodMax: number;
  readonly fairMax: number;
  readonly format: (value: number) => string;
}

const time = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
/** Layout shift has no unit. */
const shift = (value: number): string => (Math.round(value * 100) / 100).toString();

export const vitals: readonly [Vital, ...Vital[]] = [
  {
    ...{ key: "lcp", name: "LCP", metric: "p75:properties.cwv_lcp", format: time },
    ...{ goodMax: 2_500, fairMax: 4_000, meaning: "time until the largest part is visible" },
  },
  {
    ...{ key: "inp", name: "INP", metric: "p75:properties.cwv_inp", format: time },
    ...{ goodMax: 200, fairMax: 500, meaning: "time until the page answers an input" },
  },
  {
    ...{ key: "cls", name: "CLS", metric: "p75:properties.cwv_cls", format: shift },
    ...{ goodMax: 0.1, fairMax: 0.25, meaning: "how far the content jumps" },
  },
];

export type Rating = "good" | "fair" | "poor";
const ratings: readonly Rating[] = ["good", "fair", "poor"];

export const ratingOf = (value: number, { goodMax, fairMax }: Vital): Rating =>
  value <= goodMax ? "good" : value <= fairMax ? "fair" : "poor";

interface Measured {
  readonly date: string;
  readonly value: number;
}
interface Worsening {
  readonly date: string;
  readonly before: number;
  readonly since: number;
}

/** The judgement of a page needs at least this number of dates on both sides of the change. */
const datesMin = 3;

/**
 * Returns the date since when a vital has a worse rating than before, or null. The date splits the values into two
 * parts, each as near to its own median as any split allows (the least sum of absolute deviations); the rating of the
 * later median must be the worse one.
 */
export function worsening(values: readonly Measured[], vital: Vital): Worsening | null {
  let best: { readonly at: number; readonly deviation: number } | null = null;
  for (let at = datesMin; at <= values.length - datesMin; at++) {
    const deviation = deviationOf(values.slice(0, at)) + deviationOf(values.slice(at));
    if (best === null || deviation < best.deviation) best = { at, deviation };
  }
  if (best === null) return null;
  const before = medianOf(values.slice(0, best.at));
  const since = medianOf(values.slice(best.at));
  const isWorse =
    ratings.indexOf(ratingOf(since, vital)) > ratings.indexOf(ratingOf(before, vital));
  const date = values[best.at]?.date;
  return isWorse && date !== undefined ? { date, before, since } : null;
}

function medianOf(values: readonly Measured[]): number {
  const sorted = values.map(({ value }) => value).sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? 0;
  const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
  return (lower + upper) / 2;
}

function deviationOf(values: readonly Measured[]): number {
  const median = medianOf(values);
  return values.reduce((sum, { value }) => sum + Math.abs(value - median), 0);
}
