/**
 * The parts of a request's URL without parsing it as one: behind a malformed Host header there is no valid URL, and
 * that is no reason to fail.
 */
export function pathOf({ url }: Request): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", "http://".length);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/** The query string as it was sent, without the `?`. */
export function queryTextOf({ url }: Request): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

export const queryOf = (request: Request): URLSearchParams =>
  new URLSearchParams(queryTextOf(request));
