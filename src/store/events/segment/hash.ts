/** 64 bits of a text as two unsigned halves. */
export type Hash = readonly [high: number, low: number];

/** The seed is drawn once per database: outsiders cannot construct texts that collide. */
export function hash64(text: string, seed: bigint): Hash {
  const hash = Bun.hash.xxHash3(text, seed);
  return [Number(hash >> 32n), Number(hash & 0xffffffffn)];
}

/** The key that visits are sorted by. (0, 0) is the key of visits without a session. */
export function sessionKeyOf(sessionId: string, seed: bigint): Hash {
  const [high, low] = hash64(sessionId, seed);
  return high === 0 && low === 0 ? [0, 1] : [high, low];
}
