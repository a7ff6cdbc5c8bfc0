import type {
  Assessed,
  AssessedDimension,
  AssessedValue,
  Assessment,
  Verdict,
} from "../domain/changes/assessment";
import type { ChangeDimension, ChangeMetric } from "../domain/changes/change-counts";
import { deltaOf } from "../domain/delta";
import { roundTo } from "../lib/round";
import { compareLabels } from "../lib/text";

/** The number of drivers that an answer shows. */
export const driversMax = 10;

interface Driver {
  readonly dimension: ChangeDimension;
  readonly value: string | null;
  readonly current: number;
  readonly previous: number;
  readonly delta: number;
  readonly share_pct: number | null;
  readonly excess: number | null;
  readonly z: number;
  readonly new: boolean;
  readonly gone: boolean;
}
interface ChangedDimension {
  readonly dimension: ChangeDimension;
  readonly surprise: number;
  readonly values: readonly (Omit<Driver, "dimension"> & ReturnType<typeof testsOf>)[];
  readonly other: Readonly<Record<"values" | "current" | "previous" | "delta", number>>;
}

/** Returns the digits of a metric's numbers: counts are whole, rates of conversion are not. */
const digitsOf = (metric: ChangeMetric) =>
  metric === "conversion" ? { amount: 4, excess: 4 } : { amount: 0, excess: 1 };
type Digits = ReturnType<typeof digitsOf>;

const shareDigits = 1;
const dispersionDigits = 2;
const zDigits = 3;
const surpriseDigits = 4;
const partDigits = 4;
const thresholdDigits = 3;

/** The assessment of a change as answers show it. */
export interface ShapedChange {
  readonly tested: number;
  readonly threshold: number | null;
  readonly total: {
    readonly delta: number | null;
    readonly change_pct: number | null;
    readonly dispersion: number | null;
    readonly z: number | null;
    readonly significant: boolean | null;
  };
  readonly verdict: Verdict;
  readonly drivers: readonly Driver[];
  readonly dimensions: readonly ChangedDimension[];
}

/** Nothing is compared with a period of which a part is not kept: the other would seem to have grown. */
export const untold: ShapedChange = {
  ...{ tested: 0, threshold: null },
  total: { delta: null, change_pct: null, dispersion: null, z: null, significant: null },
  ...{ verdict: "too_little_history", drivers: [], dimensions: [] },
};

/** Shapes an answer. Values are sorted by the numbers that are shown. */
export function shaped(found: Assessment, metric: ChangeMetric, limit: number): ShapedChange {
  const digits = digitsOf(metric);
  const { total, tested, threshold, verdict } = found;
  const drivers = found.dimensions
    .flatMap(({ values }) => values.filter(({ isDriver }) => isDriver))
    .map((value) => driverOf(value, digits))
    .sort(bySize(({ excess, delta }) => excess ?? delta));
  return {
    tested,
    threshold: threshold === null ? null : roundTo(threshold, thresholdDigits),
    total: { ...changeOf(total, digits), ...testsOf(total) },
    verdict,
    drivers: drivers.slice(0, driversMax),
    dimensions: found.dimensions
      .map((dimension) => dimensionOf(dimension, digits, limit))
      .sort((a, b) => b.surprise - a.surprise || compareLabels(a.dimension, b.dimension)),
  };
}

/** The current and the previous number, rounded, and what is told of the two. */
export const amountOf = (value: number, metric: ChangeMetric): number =>
  roundTo(value, digitsOf(metric).amount);

function changeOf({ current, previous }: Assessed, digits: Digits) {
  const { change, change_pct } = deltaOf(
    roundTo(current, digits.amount),
    roundTo(previous, digits.amount),
    digits.amount,
  );
  return { delta: change, change_pct };
}

const testsOf = ({ dispersion, z, isSignificant }: Assessed) => ({
  dispersion: dispersion === null ? null : roundTo(dispersion, dispersionDigits),
  z: roundTo(z, zDigits),
  significant: isSignificant,
});

function valueOfDriver(
  value: AssessedValue,
  { amount, excess }: Digits,
): Omit<Driver, "dimension"> {
  const { sharePercent } = value;
  return {
    value: value.value,
    current: roundTo(value.current, amount),
    previous: roundTo(value.previous, amount),
    delta: roundTo(value.delta, amount),
    share_pct: sharePercent === null ? null : roundTo(sharePercent, shareDigits),
    excess: value.excess === null ? null : roundTo(value.excess, excess),
    z: roundTo(value.z, zDigits),
    new: value.isNew,
    gone: value.isGone,
  };
}

const driverOf = (value: AssessedValue, digits: Digits): Driver => ({
  dimension: value.dimension,
  ...valueOfDriver(value, digits),
});

function dimensionOf(found: AssessedDimension, digits: Digits, limit: number): ChangedDimension {
  const { dimension, surprise, other } = found;
  const values = found.values
    .map((value) => ({
      ...valueOfDriver(value, digits),
      ...testsOf(value),
      ...(value.mix !== undefined && { mix: roundTo(value.mix, partDigits) }),
      ...(value.rate !== undefined && { rate: roundTo(value.rate, partDigits) }),
    }))
    .sort(bySize(({ delta }) => delta));
  return {
    dimension,
    surprise: roundTo(surprise, surpriseDigits),
    values: values.slice(0, limit),
    other: {
      values: other.values,
      current: roundTo(other.current, digits.amount),
      previous: roundTo(other.previous, digits.amount),
      delta: roundTo(other.delta, digits.amount),
    },
  };
}

interface Labelled {
  readonly dimension?: string;
  readonly value: string | null;
}

/** Largest first, ties by what they are called. */
const bySize =
  <One extends Labelled>(sizeOf: (one: One) => number) =>
  (a: One, b: One): number =>
    Math.abs(sizeOf(b)) - Math.abs(sizeOf(a)) ||
    compareLabels(a.dimension ?? null, b.dimension ?? null) ||
    compareLabels(a.value, b.value);
