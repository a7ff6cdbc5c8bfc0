/** The rK(x) of definitions.md: Math.round, hence halves go up; SQLite's round() would send them away from zero. */
export function roundTo(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
