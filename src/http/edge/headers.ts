import { randomBytes } from "node:crypto";
import type { Allowance } from "./rates";

const requestIdCharsMax = 64;

type Fields = Readonly<Record<string, string>>;

export const jsonType = "application/json; charset=utf-8";

const exposed = [
  "X-Monthly-Usage",
  "X-Monthly-Limit",
  "X-Monthly-Usage-Percent",
  "X-Monthly-Reads",
  "X-Monthly-Reads-Limit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
  "Server-Timing",
  "Retry-After",
  "Link",
  "Content-Disposition",
  "X-Truncated",
  "X-Groups-Total",
  "X-Next-Cursor",
  "X-Warnings",
  "WWW-Authenticate",
  "X-Definitions",
  "X-Data-Through",
  "X-Data-Version",
  "X-Untrusted-Fields",
  "X-Flagged-Values",
].join(", ");

/** Names what strangers wrote of an answer. */
export const untrustedHeader = "x-untrusted-fields";

const corsHeaders: Fields = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed,
};

const allowedHeaders =
  "Authorization, Content-Type, X-API-Key, Last-Event-ID, If-Match, X-Share-Password, MCP-Protocol-Version, " +
  "Mcp-Method, Mcp-Name";
export const preflightHeaders: Fields = {
  ...corsHeaders,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": allowedHeaders,
  "access-control-max-age": "86400",
};

/** Clients of other products send headers of their own. */
export const foreignPreflightHeaders: Fields = {
  ...preflightHeaders,
  "access-control-allow-headers": `${allowedHeaders}, Content-Encoding, x-umami-cache`,
};

/** Paths that other sites have no access to, as a browser session, or being on this machine, counts there. */
const ownOriginOnly = /^\/(auth|admin|billing|metrics)(\/|$)/;

/** Tells whether other sites may call a path; HTML pages say no themselves. */
export const hasCors = (path: string): boolean => !ownOriginOnly.test(path);

/** Returns the headers of every JSON answer under a path. */
export const jsonHeaders = (path: string): Fields => ({
  "content-type": jsonType,
  ...(hasCors(path) ? corsHeaders : {}),
});

/** No header says "no limit" (RATE_LIMIT_RPM=0): a client would take any number for one. */
export function rateHeaders({ limit, remaining, resetSeconds }: Allowance): Fields {
  if (limit === 0) return {};
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetSeconds),
  };
}

const requestIdPattern = new RegExp(`^[A-Za-z0-9_-]{1,${requestIdCharsMax}}$`);
const processPart = randomBytes(6).toString("hex");
let requestCount = 0;

/** The client's own id when it is fit for a log, else one that is unique over processes. */
export function requestIdOf(headers: { get(name: string): string | null }): string {
  const own = headers.get("x-request-id");
  if (own !== null && requestIdPattern.test(own)) return own;
  requestCount += 1;
  return `${processPart}-${requestCount.toString(36)}`;
}
