/** Half-open, in Unix milliseconds. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}
