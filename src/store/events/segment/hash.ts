/** 64 bits of a text as two unsigned halves. */
export type Hash = readonly [high: number, low: number];

const whole = new BigUint64Array(1);
/** The same memory: a hash is split without making two further big integers of it. */
const halves = new Uint32Array(whole.buffer);
const isLowFirst = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const [lowAt, highAt] = isLowFirst ? [0, 1] : [1, 0];

/** The seed is drawn once per database: outsiders cannot construct texts that collide. */
export function hash64(text: string, seed: bigint): Hash {
  whole[0] = Bun.hash.xxHash3(text, seed);
  return [halves[highAt], halves[lowAt]];
}

/** The key that visits are sorted by. (0, 0) is the key of visits without a session. */
export function sessionKeyOf(sessionId: string, seed: bigint): Hash {
  const [high, low] = hash64(sessionId, seed);
  return high === 0 && low === 0 ? [0, 1] : [high, low];
}
