/** The only caller of Date.now. Every thread has its own; `serve` hands the offset to its workers. */
let machineMs: () => number = Date.now;
/** The replacements of tests, the newest last. */
const replacements: (() => number)[] = [];
let readMs = machineMs;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const clock = {
  /** Unix milliseconds, as an integer. */
  nowMs: (): number => readMs(),
  /** Adds an offset to the machine's time from now on, which serves measurements. */
  shift(offsetMs: number): void {
    const before = machineMs;
    machineMs = () => before() + offsetMs;
    readMs = replacements.at(-1) ?? machineMs;
  },
  /** Tests replace the time; the newest replacement counts. Returns what undoes this one, once and in any order. */
  replace(read: () => number): () => void {
    replacements.push(read);
    readMs = read;
    return () => {
      const at = replacements.lastIndexOf(read);
      if (at >= 0) replacements.splice(at, 1);
      readMs = replacements.at(-1) ?? machineMs;
    };
  },
};
