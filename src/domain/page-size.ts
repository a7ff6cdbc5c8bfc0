/** Smallest, largest and default number of items of one answer: `limit`, `sample` and their like. */
export interface PageSize {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** From a query string, where what is no integer counts as absent. Clamped, never refused. */
export function pageSizeOfText(text: string | null | undefined, size: PageSize): number {
  const isInteger = typeof text === "string" && /^[+-]?\d+$/.test(text);
  return isInteger ? clamp(Number(text), size) : size.default;
}

const clamp = (value: number, { min, max }: PageSize): number =>
  Math.min(max, Math.max(min, value));
