/** The only caller of Date.now. Every thread has its own; `serve` hands the offset to its workers. */
let readMs: () => number = Date.now;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const clock = {
  /** Unix milliseconds, as an integer. */
  nowMs: (): number => readMs(),
  /** Adds an offset to the machine's time from now on, which serves measurements. */
  shift(offsetMs: number): void {
    const before = readMs;
    readMs = () => before() + offsetMs;
  },
  /** Tests replace the time. Returns what undoes it. */
  replace(read: () => number): () => void {
    const before = readMs;
    readMs = read;
    return () => {
      readMs = before;
    };
  },
};
