/** Reproducible random numbers: the same seed gives the same run on every machine. */
export interface Random {
  readonly seed: number;
  /** A whole number from 0 up to, but not including, the bound. */
  below(bound: number): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(among: readonly T[]): T;
}

/** SEED repeats a run that failed; every run prints its own. */
export function randomSeed(): number {
  const given = process.env.SEED;
  return given === undefined ? crypto.getRandomValues(new Uint32Array(1))[0] : Number(given);
}

/** Mulberry32: 32 bits of state, good enough for tests and fast enough for ten million events. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    seed,
    below: (bound) => Math.floor(next() * bound),
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: (among) => among[Math.floor(next() * among.length)],
  };
}
