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
