import { hourMs, minuteMs } from "../../lib/clock";

/** The waits after each try that failed for the moment. After the last one the message has failed. */
const waitsMs = [
  ...[1 * minuteMs, 5 * minuteMs, 30 * minuteMs],
  ...[2 * hourMs, 6 * hourMs, 12 * hourMs],
];
export const mailWaitMsMax = 12 * hourMs;

/** The wait before the next try, after this number of tries; null when there is none. */
export const mailWaitMs = (tries: number): number | null => waitsMs[tries - 1] ?? null;
