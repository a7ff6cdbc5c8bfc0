/** Our own mistake: ends as a 500 and a log line with the request id. A caller's mistake is an ApiError. */
export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${why}`);
}
