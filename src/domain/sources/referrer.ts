import { TwoGenerationCache } from "../../lib/two-generation-cache";

/** The length of a host in DNS. */
const hostCharsMax = 253;

/** Pages and apps: an app is named by its package. */
const referrerForm = /^(?:https?|android-app):\/\/([^/?#\\\s]+)(?![^/?#\\])/i;

/**
 * The host of a referrer as a browser reads it: in lower case, without user, port, a dot at its end and `www.`. Names
 * with other letters are written as in DNS (`xn--…`). Null for what is no address of a page or an app.
 */
export function hostOf(referrer: string): string | null {
  const authority = referrerForm.exec(referrer)?.[1];
  const url = authority === undefined ? null : URL.parse(`https://${authority}/`);
  if (url === null) return null;
  const host = withoutWww(url.hostname.replace(/\.$/, ""));
  return host === "" || host.length > hostCharsMax ? null : host;
}

/** `www.com` is a name of its own. */
const withoutWww = (host: string): string => host.replace(/^www\.(?=.*\.)/, "");

interface Domains {
  readonly primaryDomain: string;
  readonly allowedOrigins: string;
}

/** The hosts of a project's own pages: of its domain and its allowed origins, `*` left out. In order, each once. */
export const ownHostsOf = ({ primaryDomain, allowedOrigins }: Domains): readonly string[] =>
  ownHosts.get(`${primaryDomain} ${allowedOrigins}`, () =>
    hostsIn([primaryDomain, ...allowedOrigins.split(",")]),
  );
/** Each read of a project asks for its hosts. */
const ownHosts = new TwoGenerationCache<string, readonly string[]>(1_024);

function hostsIn(origins: readonly string[]): readonly string[] {
  const hosts = origins
    .map((origin) => hostOf(`https://${origin.replace(/^.*:\/\/(\*\.)?/, "")}`))
    .filter((host) => host !== null)
    .filter((host) => host !== "*");
  return [...new Set(hosts)].toSorted();
}

/** Tells whether a host is one of these or below one of them. */
export const isOwn = (host: string, own: readonly string[]): boolean =>
  own.some((one) => host === one || host.endsWith(`.${one}`));
