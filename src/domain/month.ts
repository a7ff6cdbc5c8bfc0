/** `YYYY-MM` of a time, in UTC: what plans count by. */
export const monthOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

/** When the next UTC month begins. */
export function nextMonthMs(timeMs: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
