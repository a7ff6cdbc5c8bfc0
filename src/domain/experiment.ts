import { ApiError } from "./errors";
import { experimentNameCharsMax, variantKeyCharsMax, variantsMax, variantsMin } from "./limits";

/** An A/B test as it is agreed on; what is made of its events is in experiment-results.ts. */
export interface ExperimentVariant {
  readonly key: string;
  /** Percent of visitors. */
  readonly weight: number;
}

export const experimentStatuses = ["active", "paused", "completed"] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

export const experimentNamePattern = `^[A-Za-z0-9_-]{1,${experimentNameCharsMax}}$`;
export const variantKeyPattern = `^[A-Za-z0-9_-]{1,${variantKeyCharsMax}}$`;
const variantKeyForm = new RegExp(variantKeyPattern);

/** The event by which the tracker says which variant a visitor was shown. */
export const exposureEvent = "$experiment_exposure";

/** The variants of a new experiment, the control first. Throws INVALID_VARIANTS. */
export function variantsOf(
  keys: readonly string[],
  weights: readonly number[] | undefined,
): readonly ExperimentVariant[] {
  if (keys.length < variantsMin || keys.length > variantsMax) {
    throw invalidVariants(`An experiment must have ${variantsMin} to ${variantsMax} variants.`);
  }
  const malformed = keys.find((key) => !variantKeyForm.test(key));
  if (malformed !== undefined) {
    throw invalidVariants(
      `A variant key must have 1 to ${variantKeyCharsMax} letters, digits, dashes or underscores.`,
    );
  }
  // A page names its replacement texts by attributes, whose names have no upper case.
  if (new Set(keys.map((key) => key.toLowerCase())).size < keys.length) {
    throw invalidVariants(
      "Two variant keys are the same apart from upper and lower case. Rename one of them.",
    );
  }
  const checked = weights === undefined ? equalWeights(keys.length) : checkWeights(keys, weights);
  return keys.map((key, index) => ({ key, weight: checked[index] ?? 0 }));
}

/** The remainder goes to the first. The tracker does the same for variants that it finds in a page only. */
function equalWeights(count: number): readonly number[] {
  const share = Math.floor(100 / count);
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? 100 - share * (count - 1) : share,
  );
}

function checkWeights(keys: readonly string[], weights: readonly number[]): readonly number[] {
  if (weights.length !== keys.length) {
    throw invalidVariants(
      "Send one weight for each variant, or no weights to split traffic equally.",
    );
  }
  if (!weights.every((weight) => Number.isInteger(weight) && weight >= 0 && weight <= 100)) {
    throw invalidVariants("Each weight must be a whole number from 0 to 100.");
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum !== 100)
    throw invalidVariants(`The weights must add up to 100, but yours add up to ${sum}.`);
  return weights;
}

const next: Readonly<Record<ExperimentStatus, readonly ExperimentStatus[]>> = {
  active: ["paused", "completed"],
  paused: ["active", "completed"],
  completed: [],
};

/** Throws INVALID_EXPERIMENT_STATUS unless the transition is allowed. */
export function checkTransition(from: ExperimentStatus, to: ExperimentStatus): void {
  if (next[from].includes(to)) return;
  throw new ApiError(
    "INVALID_EXPERIMENT_STATUS",
    next[from].length === 0
      ? "This experiment is completed and cannot be changed. Create a new one to continue testing."
      : `This experiment is ${from}. Its status can only change to ${next[from].join(" or ")}.`,
  );
}

/** Only the end of an experiment has a winner, and only a variant can be it. Throws INVALID_VARIANTS. */
export function checkWinner(
  variants: readonly ExperimentVariant[],
  to: ExperimentStatus,
  winner: string | undefined,
): void {
  if (winner === undefined) return;
  if (to !== "completed") {
    throw invalidVariants("Send `winner` only together with `status: completed`.");
  }
  const keys = variants.map(({ key }) => key);
  if (!keys.includes(winner)) {
    throw invalidVariants(`The winner must be one of the variants: ${keys.join(", ")}.`);
  }
}

const invalidVariants = (message: string): ApiError => new ApiError("INVALID_VARIANTS", message);
