/** The rK(x) of definitions.md: Math.round, hence halves go up; SQLite's round() would send them away from zero. */
export function roundTo(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

/**
 * The percentage of a part, as r1; 0 if the whole is 0. It multiplies before it divides, because (51 / 80) * 100 is a
 * little less than 63.75 and would be rounded down.
 */
export const sharePercent = (part: number, whole: number): number =>
  whole === 0 ? 0 : roundTo((100 * part) / whole, 1);
