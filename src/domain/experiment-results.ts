import { roundTo } from "../lib/round";
import { probabilitiesBest } from "./best-variant";
import type { ExperimentStatus } from "./experiment";
import { sufficientExposures } from "./limits";

/** The experiment that is judged. */
export interface Judgement {
  readonly id: string;
  readonly status: ExperimentStatus;
  /** Keys of its variants, the control first. */
  readonly keys: readonly string[];
}

/** The users and conversions of a variant, counted from events. */
export interface VariantCounts {
  readonly exposures: number;
  readonly unique_users: number;
  readonly conversions: number;
}

export const recommendationCodes = [
  "insufficient_data",
  "winner",
  "leaning",
  "inconclusive",
] as const;
type RecommendationCode = (typeof recommendationCodes)[number];

export interface ExperimentResults {
  readonly variants: (VariantCounts & { readonly key: string; readonly conversion_rate: number })[];
  readonly probability_best: Record<string, number>;
  readonly lift: Record<string, number>;
  readonly sufficient_data: boolean;
  readonly recommendation: string;
  readonly recommendation_code: RecommendationCode;
}

const winnerProbability = 0.9;
const leaningProbability = 0.75;

/** The results (definitions.md, Experiments), from the counts of each variant. */
export function resultsOf(
  experiment: Judgement,
  counts: readonly VariantCounts[],
): ExperimentResults {
  const { keys } = experiment;
  const rates = counts.map(({ conversions, unique_users: users }) => ratio(conversions, users));
  const probabilities = probabilitiesBest(
    counts.map(({ conversions, unique_users: users }) => ({ users, conversions })),
  );
  const lifts = rates.map((_, index) => liftOf(rates, index));
  const byKey = (values: readonly number[]) =>
    Object.fromEntries(keys.map((key, index) => [key, roundTo(values[index], 3)]));
  const { code, finding, advice } = recommend(
    experiment,
    keys.map((key, index) => ({
      key,
      isControl: index === 0,
      missing: Math.max(0, sufficientExposures - counts[index].exposures),
      probability: probabilities[index],
      lift: lifts[index],
    })),
  );
  return {
    variants: counts.map(({ exposures, unique_users, conversions }, index) => ({
      key: keys[index],
      exposures,
      unique_users,
      conversions,
      conversion_rate: roundTo(rates[index], 4),
    })),
    probability_best: byKey(probabilities),
    lift: byKey(lifts),
    sufficient_data: code !== "insufficient_data",
    recommendation: `${finding} ${experiment.status === "completed" ? finalWord : advice}`,
    recommendation_code: code,
  };
}

/** Returns the lift of a variant over the control, or of the control over the best of the others. */
function liftOf(rates: readonly number[], index: number): number {
  const [control, ...others] = rates;
  const base = index === 0 ? Math.max(...others) : control;
  return base === 0 ? 0 : rates[index] / base - 1;
}

interface Judged {
  readonly key: string;
  readonly isControl: boolean;
  /** Exposures up to where conclusions begin. */
  readonly missing: number;
  readonly probability: number;
  readonly lift: number;
}

const finalWord = "The experiment is completed. These are its final results.";

/** Recommends what to conclude, and what to do next while the experiment is not over. */
function recommend(
  { id, status }: Judgement,
  variants: readonly Judged[],
): { readonly code: RecommendationCode; readonly finding: string; readonly advice: string } {
  const patch = (body: string): string => `PATCH /experiments/${id} with ${body}`;
  const goOn =
    status === "paused"
      ? `Resume it: ${patch('{"status":"active"}')}`
      : "Keep the experiment running";
  const short = variants.filter(({ missing }) => missing > 0);
  if (short.length > 0) {
    const finding = `Not enough data: ${short.map(missingOf).join(", ")}.`;
    const advice =
      `${goOn} until every variant has ${sufficientExposures} exposures; before that, the result is not ` +
      "reliable.";
    return { code: "insufficient_data", finding, advice };
  }
  const best = variants.reduce((found, one) => (one.probability > found.probability ? one : found));
  if (best.probability >= winnerProbability) {
    const end = patch(`{"status":"completed","winner":"${best.key}"}`);
    const advice = `Complete the experiment: ${end}. Then make this variant the permanent content of the page.`;
    return { code: "winner", finding: `${standingOf(best)}. The result is conclusive.`, advice };
  }
  if (best.probability >= leaningProbability) {
    const advice = `${goOn} until a variant reaches ${percent(winnerProbability)}.`;
    return {
      code: "leaning",
      finding: `${standingOf(best)}. The result is not conclusive yet.`,
      advice,
    };
  }
  const finding =
    `No variant is clearly better: the probability that "${best.key}" is the best is ` +
    `${percent(best.probability)}.`;
  const advice = `${goOn}, or complete it if a difference this small does not matter to you.`;
  return { code: "inconclusive", finding, advice };
}

const missingOf = ({ key, missing }: Judged): string =>
  `"${key}" lacks ${missing} exposure${missing === 1 ? "" : "s"}`;

const standingOf = ({ key, isControl, probability, lift }: Judged): string =>
  `"${key}"${isControl ? ", the control," : ""} is the best variant with a probability of ` +
  `${percent(probability)}; its lift over ${isControl ? "the best other variant" : "the control"} is ` +
  `${percent(lift)}`;

/** Whole percent; never minus zero. */
const percent = (share: number): string => `${Math.round(100 * share) + 0}%`;

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
