/** Smallest, largest and default number of items of one answer: `limit`, `sample` and their like. */
export interface PageSize {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/**
 * Reads a page size from a query string, where a text that is no integer counts as absent. It is clamped, never
 * refused.
 */
export function pageSizeOfText(text: string | null | undefined, size: PageSize): number {
  const isInteger = typeof text === "string" && /^[+-]?\d+$/.test(text);
  return isInteger ? clamp(Number(text), size) : size.default;
}

const clamp = (value: number, { min, max }: PageSize): number =>
  Math.min(max, Math.max(min, value));
