import { ApiError } from "./errors";

/**
 * Rules for a scan's address that are checked before anything is looked up: docs/guides/website-scan.md.
 */

export const scanUrlCharsMax = 2_000;
const hostCharsMax = 253;
const hostForm = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;
const schemeForm = /^[a-z][a-z0-9+.-]*:\/\//i;
/** `mailto:x` and `localhost:80` look alike; what follows the colon of a port is digits. */
const otherScheme = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i;

/**
 * The address of a site in its normal form: scheme and host in lower case, without query and fragment; `https://` is
 * assumed. Throws INVALID_URL for what is refused by its looks alone.
 */
export function scanUrlOf(text: string): URL {
  const written = text.trim();
  if (written.length > scanUrlCharsMax)
    throw invalidUrl(`is longer than ${scanUrlCharsMax} characters`);
  if (/[\s\p{C}\\]/u.test(written))
    throw invalidUrl("contains characters that are not allowed in an address");
  const isComplete = schemeForm.test(written);
  if (!isComplete && otherScheme.test(written)) throw invalidUrl("uses neither http nor https");
  const full = isComplete ? written : `https://${written}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url === null) throw invalidUrl("is not the address of a page");
  const flaw = flawOf(url);
  if (flaw !== null) throw invalidUrl(flaw);
  return normalUrl(url);
}

/** Says what is wrong with the form of an address, in words that follow "the address"; null when nothing is. */
export function flawOf(url: URL): string | null {
  if (!/^https?:$/.test(url.protocol)) return "uses neither http nor https";
  if (url.username !== "" || url.password !== "") return "contains a user name or a password";
  // URL leaves out the port that the scheme implies, so 80 of https stays.
  if (url.port !== "" && url.port !== "80" && url.port !== "443") {
    return "uses a port other than 80 and 443";
  }
  const host = hostnameOf(url);
  // URL has made an ordinary literal of decimal, octal, hexadecimal and shortened ones by now.
  if (/^[\d.]+$/.test(host) || host.startsWith("["))
    return "has an IP address instead of a host name";
  return host.length <= hostCharsMax && hostForm.test(host)
    ? null
    : "has a host name without a dot";
}

/**
 * The address that a text of a page or of an answer names. Null when it names none, or one of more than 2,000
 * characters: parsing costs time for each of them, and nothing on a site that people use has one.
 */
export function addressIn(text: string, base: URL): URL | null {
  const url = text.length <= scanUrlCharsMax ? URL.parse(text, base.href) : null;
  return url !== null && url.href.length <= scanUrlCharsMax ? url : null;
}

/** Returns the host without the dot that may end a complete name. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/\.$/, "");

function normalUrl(url: URL): URL {
  const normal = new URL(url);
  normal.hostname = hostnameOf(url);
  normal.search = "";
  normal.hash = "";
  return normal;
}

/** Returns `www.example.com` for `example.com`, and the reverse. */
export const counterpartOf = (host: string): string =>
  host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`;

const invalidUrl = (flaw: string): ApiError =>
  new ApiError(
    "INVALID_URL",
    `The address ${flaw}. Send an address such as https://example.com: http or https, a public host name, ` +
      "and port 80 or 443.",
    { field: "url" },
  );
