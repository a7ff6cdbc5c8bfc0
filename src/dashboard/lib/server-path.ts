/**
 * The path below which the server is served, which the document says; empty at the root of its origin. All paths in
 * the dashboard are those of the server. They get this one where they leave for the browser.
 */
const base = typeof document === "undefined" ? "" : (document.documentElement.dataset.base ?? "");

/** The address of a path of the server, as the browser needs it. */
export const addressAt = (path: string): string => base + path;

/** The path of the page that is open, as the server knows it. */
export const pathHere = (): string => pathIn(location.pathname);

/** The server's path in one of the browser; any other path stays as it is. */
export const pathIn = (pathname: string): string =>
  pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;

/** The origin of the server with the path below which it is served. */
export const serverAddress = (): string => location.origin + base;

/**
 * Leaves for another page of the server; the one before is not in the history. With the origin in front, a path that
 * begins with two slashes names no other host.
 */
export const leaveFor = (path: string): void => location.replace(serverAddress() + path);
