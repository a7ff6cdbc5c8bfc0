/*
 * A stream of our own page is told by its Origin or by Sec-Fetch-Site.
 * Decision: GET /stream with the cookie needs an Origin of ours or, without an Origin, `Sec-Fetch-Site: same-origin`.
 * Because: a page of the same site could otherwise hold all places of the account; and browsers send no Origin with a
 * GET to where the page is from.
 * Cost: under plain http browsers send neither, and only a socket is left to a page.
 * Revisit: when EventSource can send headers.
 */

import type { Config } from "../../config";
import { ApiError } from "../../domain/errors";

type Addressed = Pick<Config, "publicUrl" | "publicOrigin" | "basePath" | "publicUrlIsSet">;

/**
 * Tells whether a request says that it comes from a page of ours. While PUBLIC_URL is not set, the name under which the
 * server was asked is taken for its own.
 */
export function isOwnOrigin(config: Addressed, headers: Headers): boolean {
  const origin = headers.get("origin");
  if (origin === null) return false;
  if (origin === config.publicOrigin) return true;
  if (config.publicUrlIsSet || !URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return /^https?:$/.test(protocol) && host !== "" && host === hostAsked(headers, protocol);
}

/** A page of another site; a program sends no Origin and is none. */
export const isForeignOrigin = (config: Addressed, headers: Headers): boolean =>
  headers.has("origin") && !isOwnOrigin(config, headers);

/** Refuses a page that is none of ours. `rule` says what is asked of it, and goes on with our address. */
export function foreignPage({ publicUrl, publicUrlIsSet }: Addressed, rule: string): ApiError {
  const remedy =
    " If browsers reach this server at another address, for example through a proxy, set PUBLIC_URL to " +
    "that address.";
  return new ApiError("CSRF_FAILED", `${rule} ${publicUrl}.${publicUrlIsSet ? "" : remedy}`);
}

/** The form of an origin in which nothing is special in HTML or a shell. */
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/;

/** The address under which the page that asks was opened; that of the configuration for a program. */
export function addressOfPage(config: Addressed, headers: Headers): string {
  const origin = headers.get("origin") ?? "";
  const isOwn = isOwnOrigin(config, headers) && plainOrigin.test(origin);
  return isOwn ? origin + config.basePath : config.publicUrl;
}

/** The Host header the way an Origin spells it: lower case, without the port that the scheme implies. */
function hostAsked(headers: Headers, protocol: string): string | null {
  const asked = `${protocol}//${headers.get("host") ?? ""}`;
  return URL.canParse(asked) ? new URL(asked).host : null;
}
