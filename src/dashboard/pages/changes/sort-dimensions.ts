import type { ChangedValue, ChangesAnswer } from "../../data/answers";

type Dimension = ChangesAnswer["dimensions"][number];

export interface SortedDimensions {
  /** The dimensions whose tables show something new. */
  readonly shown: readonly Dimension[];
  /** The names of the dimensions that no event has. */
  readonly missing: readonly string[];
  /** The names of the dimensions with a single value, which has the numbers of the total. */
  readonly single: readonly string[];
  /** The dimensions whose rows have the same numbers as those of another one. */
  readonly repeated: readonly (readonly [name: string, as: string])[];
}

/** Separates the dimensions whose tables would show nothing new. */
export function sortDimensions(dimensions: readonly Dimension[]): SortedDimensions {
  const shown: Dimension[] = [];
  const missing: string[] = [];
  const single: string[] = [];
  const repeated: (readonly [string, string])[] = [];
  for (const one of dimensions) {
    const { dimension, values, other } = one;
    const same = shown.find((before) => numbersOf(before) === numbersOf(one));
    if (values.every(({ value }) => value === null)) missing.push(dimension);
    else if (values.length === 1 && other.values === 0) single.push(dimension);
    else if (same !== undefined) repeated.push([dimension, same.dimension]);
    else shown.push(one);
  }
  return { shown, missing, single, repeated };
}

/** The numbers of all rows, whatever their order is. */
function numbersOf({ values, other }: Dimension): string {
  const rows = values.map(({ current, previous }) => `${previous} ${current}`).sort();
  return [...rows, `${other.values} ${other.delta}`].join();
}

/**
 * Tells whether rows may show their shares of the net change: it must be significant and at least half as large as all
 * changes together. If rises and falls cancel out, shares of the small rest are hundreds of percent.
 */
export function carriesShares(
  rows: readonly ChangedValue[],
  { delta: net, significant }: Pick<ChangesAnswer["total"], "delta" | "significant">,
): boolean {
  if (net === null || net === 0 || significant !== true) return false;
  if (rows.every(({ share_pct }) => share_pct === null)) return false;
  const moved = rows.reduce((sum, { delta }) => sum + Math.abs(delta), 0);
  return moved <= 2 * Math.abs(net);
}
