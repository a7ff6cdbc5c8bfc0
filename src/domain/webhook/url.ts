import { ApiError } from "../errors";
import { flawOf, hostnameOf } from "../scan-url";

export const webhookUrlCharsMax = 2_000;

interface Allowed {
  readonly host: string;
  readonly port: string | null;
}

/** Tells whether the operator allows an address although it may lead to a private one. */
export function isAllowedHost(url: URL, allowed: readonly Allowed[]): boolean {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return allowed.some(
    (one) => one.host === hostnameOf(url) && (one.port === null || one.port === port),
  );
}

/** The address of a webhook. Throws UNSAFE_URL for what is refused by its looks alone. */
export function webhookUrlOf(text: string, allowed: readonly Allowed[]): URL {
  const url = /[\s\p{C}\\]/u.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw unsafeUrl("is not an https address");
  url.hash = "";
  if (url.username !== "" || url.password !== "") {
    throw unsafeUrl("contains a user name or a password");
  }
  if (isAllowedHost(url, allowed)) return url;
  if (url.protocol !== "https:") throw unsafeUrl("does not use https");
  if (url.port !== "") throw unsafeUrl("uses a port other than 443");
  const flaw = flawOf(url);
  if (flaw !== null) throw unsafeUrl(flaw);
  return url;
}

export const unsafeUrl = (flaw: string): ApiError =>
  new ApiError(
    "UNSAFE_URL",
    `The address ${flaw}. Webhooks go to public https addresses on port 443. The operator can allow a host of the ` +
      "own network with WEBHOOK_ALLOW_HOSTS.",
    { field: "url" },
  );
