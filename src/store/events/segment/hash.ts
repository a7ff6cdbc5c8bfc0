/** A hash of 64 bits as two unsigned halves. */
export type Hash = readonly [high: number, low: number];

const whole = new BigUint64Array(1);
/** The same memory as `whole`, which splits a hash without two more big integers. */
const halves = new Uint32Array(whole.buffer);
const isLowFirst = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const [lowAt, highAt] = isLowFirst ? [0, 1] : [1, 0];

/** Each database has its own random seed, so that outsiders cannot construct texts that collide. */
export function hash64(text: string, seed: bigint): Hash {
  whole[0] = Bun.hash.xxHash3(text, seed);
  return [halves[highAt], halves[lowAt]];
}

/** Returns the key by which visits are sorted. The key (0, 0) means that a visit has no session. */
export function sessionKeyOf(sessionId: string, seed: bigint): Hash {
  const [high, low] = hash64(sessionId, seed);
  return high === 0 && low === 0 ? [0, 1] : [high, low];
}
