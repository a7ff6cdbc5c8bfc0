/** What is told of a group of requests when it is stored: enough to name its events as every read names them. */
export interface Committed {
  /** Events that were new, per request. */
  readonly stored: Uint32Array;
  /**
   * Two numbers per project, in the order in which the group first names them: its own, and the first of the
   * consecutive tickets that its new events have in order of their lines.
   */
  readonly places: Float64Array;
  /** Lines whose event was there before, ascending; null when there are none. */
  readonly repeats: Uint32Array | null;
  /** User ids that stand for another (definitions.md), by line, ascending; null when there are none. */
  readonly linked: readonly LinkedLine[] | null;
}
export type LinkedLine = readonly [line: number, userId: string];
