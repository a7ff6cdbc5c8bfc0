import type { Column } from "./column";

/** Estimates the memory of a decoded column: exactly for integers, by a constant and the length for each value. */
export function bytesOfColumn(column: Column | null): number {
  if (column === null) return 0;
  return (column.codes?.byteLength ?? 0) + bytesOfValues(column.dictionary ?? []);
}

export function bytesOfValues(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === "string") bytes += 40 + value.length;
    else bytes += typeof value === "object" ? 60 + 4 * JSON.stringify(value).length : 16;
  }
  return bytes;
}
