import { ApiError } from "./errors";

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

/** From a JSON body, where what is no integer is refused. Clamped otherwise. */
export function pageSizeOfNumber(
  value: number | null | undefined,
  size: PageSize,
  field: string,
): number {
  if (value === null || value === undefined) return size.default;
  if (!Number.isInteger(value)) {
    throw new ApiError("INVALID_BODY", `${field} must be a whole number.`, { field });
  }
  return clamp(value, size);
}

const clamp = (value: number, { min, max }: PageSize): number =>
  Math.min(max, Math.max(min, value));
