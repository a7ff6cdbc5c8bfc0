/*
 * A share shows nobody.
 * Decision: a question in which `user_id`, `session_id` or `email` stands as a name or a text is refused to a share
 * whose pages do not name it, filters included; what a funnel counts by is not.
 * Because: `contains` and `gt` on a user id find it letter by letter, as grouping by it would at once.
 * Cost: a filter for the text `user_id` is refused too.
 */

import { dayMs } from "../lib/clock";
import { didYouMean, nearest } from "../lib/nearest";
import { codePointCount } from "../lib/text";
import { invalidField } from "./errors";
import { originOf } from "./origin";
import { parseDateTimeMs } from "./period";

/** Dashboards that others may see, and addresses of dashboard pages that somebody keeps. */

export const viewsPerProjectMax = 200;
export const sharesPerProjectMax = 50;
export const viewNameCharsMax = 120;
export const viewAddressCharsMax = 4_000;
export const frameOriginsMax = 10;
/** A share page's cookie lasts this long. */
export const shareCookieMs = 30 * dayMs;
/** The requests per minute to one share, of all its visitors together. */
export const sharePerMinuteMax = 600;

/** The pages that a share shows only when it names them: they show single visitors, and what identifies them. */
export const sharePages = [
  "events",
  "sessions",
  "journeys",
  "replays",
  "identity",
  "user_id",
  "session_id",
] as const;
export type SharePage = (typeof sharePages)[number];

/** The part of a project that the holder of a share's token may see. */
export interface Share {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly pages: readonly SharePage[];
  /** They hold in every read, beside those that the read asks for. */
  readonly filters: readonly unknown[];
  /** Origins whose pages may frame the shared page. */
  readonly frame: readonly string[];
  readonly tokenHash: string;
  readonly passwordHash: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/** Any origin, to see whether an address leaves it. */
const anyOrigin = "http://origin.invalid";

/** Path and query of a page of ours: an address that a browser would take elsewhere is refused. */
export function viewAddressOf(address: string): string {
  const isShort = codePointCount(address) <= viewAddressCharsMax;
  const isPath = address.startsWith("/") && address.isWellFormed() && !/\p{Cc}/u.test(address);
  const isOwn = isPath && URL.canParse(address, anyOrigin);
  if (isShort && isOwn && new URL(address, anyOrigin).origin === anyOrigin) return address;
  const form = `path and query of a page of this server, at most ${viewAddressCharsMax} characters`;
  throw invalidField("address", `"address" must be ${form}.`);
}

export function sharePagesOf(names: readonly string[]): SharePage[] {
  return [...new Set(names)].map((name) => {
    const page = sharePages.find((one) => one === name);
    if (page !== undefined) return page;
    const hint = didYouMean(nearest(name, sharePages));
    const message = `"pages" may only contain ${sharePages.join(", ")}.${hint}`;
    throw invalidField("pages", message, sharePages);
  });
}

/**
 * Origins that may frame a shared page: whole ones, since a pattern would let in pages that nobody has looked at, and
 * with their scheme, since a site over http is another one than that over https.
 */
export function frameOf(origins: readonly string[]): string[] {
  if (origins.length > frameOriginsMax) {
    throw invalidField("frame", `"frame" may have at most ${frameOriginsMax} origins.`);
  }
  return [...new Set(origins.map((origin) => frameOriginOf(origin)))];
}

/** The slash is what browsers put behind an origin in their address bar. */
const frameForm = /^https?:\/\/[\w.:[\]-]+\/?$/i;

function frameOriginOf(text: string): string {
  const origin = frameForm.test(text) ? originOf(text) : null;
  if (origin !== null) return origin;
  const form = "with http:// or https://, without a path, such as https://example.com";
  throw invalidField("frame", `Each of "frame" must be an origin ${form}.`);
}

/** Reads a date-time with a zone, which must be in the future. */
export function expiryOf(text: string, nowMs: number): number {
  const timeMs = parseDateTimeMs(text);
  if (timeMs !== null && timeMs > nowMs) return timeMs;
  throw invalidField("expires_at", '"expires_at" must be an ISO date-time in the future.');
}
