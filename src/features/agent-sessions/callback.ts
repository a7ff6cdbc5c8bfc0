/*
 * The scheme stands for IPv6 callbacks.
 * Decision: for a callback on [::1] the approval page's policy names `http:`, for all others the one origin.
 * Because: a policy cannot name an IPv6 address, and the browser would block the redirect.
 * Cost: that page's form could go anywhere over http, if its markup could be changed.
 * Revisit: when CSP knows IPv6.
 */

import { invalidField } from "../../domain/errors";
import { isLoopback } from "../../domain/oauth";
import { isLongerThan } from "../../lib/text";
import { callbackUrlCharsMax } from "./schema";

/**
 * Checks the address to which a browser may be sent with a code: a program on the person's own machine, or an origin
 * that the operator listed. Throws MISSING_FIELDS.
 */
export function callbackOf(text: string | undefined, listedOrigins: readonly string[]): string {
  if (text === undefined || text === "") {
    throw invalid(
      "is required for interactive clients; to sign in without it, send mode: detached",
    );
  }
  if (isLongerThan(text, callbackUrlCharsMax)) {
    throw invalid(`must have at most ${callbackUrlCharsMax} characters`);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || text.includes("#") || url.username !== "" || url.password !== "") {
    throw invalid("must be an absolute URL without a fragment or a user name");
  }
  if (!isLoopback(url) && !listedOrigins.includes(url.origin)) {
    throw invalid(
      "must be http on 127.0.0.1, [::1] or localhost, or an origin that the server's operator allows",
    );
  }
  return url.href;
}

const invalid = (rule: string) => invalidField("callback_url", `"callback_url" ${rule}.`);
