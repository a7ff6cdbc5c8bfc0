const steps = 4_000;
const known = new Map<string, number>();

/**
 * Returns the value beyond which a tail of this size begins, of Student's t or, without degrees, of the normal
 * distribution: by Simpson's rule over the density and halving. It is slow, hence each is found once.
 */
export function studentOrNormal(tail: number, degrees: number | null): number {
  const key = `${tail} ${degrees}`;
  const found = known.get(key) ?? search((value) => tailBeyond(value, degrees), tail);
  known.set(key, found);
  return found;
}

function search(tailOf: (value: number) => number, tail: number): number {
  let low = 0;
  let high = 100;
  for (let times = 0; times < 60; times++) {
    const middle = (low + high) / 2;
    if (tailOf(middle) > tail) low = middle;
    else high = middle;
  }
  return low;
}

/** Both densities fall off; with t = √ν·tan u the one of t ends at a right angle. */
function tailBeyond(value: number, degrees: number | null): number {
  if (degrees === null) {
    const density = (x: number) => Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
    return integral(density, value, value + 12);
  }
  const density = (u: number) => Math.cos(u) ** (degrees - 1);
  const angle = Math.atan(value / Math.sqrt(degrees));
  return integral(density, angle, Math.PI / 2) / (2 * integral(density, 0, Math.PI / 2));
}

function integral(density: (x: number) => number, from: number, to: number): number {
  const width = (to - from) / steps;
  let sum = density(from) + density(to);
  for (let at = 1; at < steps; at++) sum += (at % 2 === 1 ? 4 : 2) * density(from + at * width);
  return (sum * width) / 3;
}

/** Adds term by term. An answer rounds statistics to few digits, so this sum need not be exact as those of measures. */
export const plainSum = (terms: readonly number[]): number =>
  terms.reduce((total, term) => total + term, 0);
