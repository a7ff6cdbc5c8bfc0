/** A field of sessions: texts have numbers from 1; 0 is a session without a value. */
export interface SessionValues {
  /** The number of texts. */
  readonly count: number;
  numberOf(session: number): number;
  /** The numbers of the sessions from one on, as many as there is room for. */
  copyInto(numbers: Uint32Array, from: number): void;
  text(number: number): string;
  byteAt(number: number, place: number): number;
}
export interface KeptValues extends SessionValues {
  readonly bytes: number;
}

/** A pass over this number takes well below a millisecond. */
export const sessionsPerCheck = 65_536;

/**
 * Calls with the numbers of the values of all sessions, block after block; a block begins with the session `first`. A
 * look-up for each session takes several times as long.
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
