/** The values of a field of sessions. Texts have numbers from 1; number 0 is a session without a value. */
export interface SessionValues {
  /** The number of texts. */
  readonly count: number;
  numberOf(session: number): number;
  /** Fills `numbers` with the numbers of the values of the sessions from `from` on. */
  copyInto(numbers: Uint32Array, from: number): void;
  text(number: number): string;
  byteAt(number: number, place: number): number;
}
/** Values that a table of sessions keeps in the cache. */
export interface CachedValues extends SessionValues {
  readonly bytes: number;
}

/** A pass over this number of sessions takes much less than a millisecond. */
export const sessionsPerCheck = 65_536;

/**
 * Calls `see` with the numbers of the values of all sessions, block by block; `first` is the first session of a block.
 * A look-up for each session takes several times as long.
 */
export function eachBlock(
  values: SessionValues,
  sessions: number,
  check: () => void,
  see: (numbers: Uint32Array, first: number) => void,
): void {
  const block = new Uint32Array(Math.min(sessions, sessionsPerCheck));
  for (let first = 1; first <= sessions; first += block.length) {
    check();
    const numbers = block.subarray(0, sessions + 1 - first);
    values.copyInto(numbers, first);
    see(numbers, first);
  }
}
