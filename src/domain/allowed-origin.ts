import { TwoGenerationCache } from "../lib/two-generation-cache";

/**
 * Tells whether a request with this `Origin` header passes (definitions.md). No header is a server, and passes.
 * `allowed` is a project's list as it is stored: `*`, or normalized origins joined by commas.
 */
export function isAllowedOrigin(origin: string | null, allowed: string): boolean {
  if (origin === null) return true;
  const list = parsed.get(allowed, parseList);
  // Nearly every request comes from an origin as it stands in the list.
  if (list.admitsAll || list.concrete.has(origin)) return true;
  const sent = parseOrigin(origin);
  return sent !== null && list.entries.some((entry) => admits(entry, sent));
}

/** Tells whether a project's list covers a host, under whichever of the two schemes of the web. */
export const coversHost = (hostname: string, allowed: string): boolean =>
  isAllowedOrigin(`https://${hostname}`, allowed) || isAllowedOrigin(`http://${hostname}`, allowed);

interface OriginList {
  readonly admitsAll: boolean;
  /** The origins as they stand in the list, without wildcards. */
  readonly concrete: ReadonlySet<string>;
  readonly entries: readonly Origin[];
}

interface Origin {
  readonly scheme: string;
  /** The host in lower case, without the `*.` of a wildcard. */
  readonly host: string;
  readonly port: string;
  readonly isWildcard: boolean;
}

const parsedListsMax = 1_000;
const parsed = new TwoGenerationCache<string, OriginList>(parsedListsMax / 2);

function parseList(allowed: string): OriginList {
  const texts = allowed.split(",").map((entry) => entry.trim());
  const entries = texts.map(parseOrigin).filter((origin) => origin !== null);
  const concrete = texts.filter((text) => parseOrigin(text)?.isWildcard === false);
  return { admitsAll: texts.includes("*"), concrete: new Set(concrete), entries };
}

const pattern =
  /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?(\[[0-9a-f:.]+\]|[a-z0-9_-][a-z0-9._-]*)(?::(\d{1,5}))?$/;

/** Returns null for `null`, which browsers send for pages without an origin, and for every text that is no origin. */
function parseOrigin(text: string): Origin | null {
  const [, scheme, wildcard, host, port] = pattern.exec(text.toLowerCase()) ?? [];
  if (scheme === undefined || host === undefined) return null;
  return {
    scheme,
    host,
    port: port === undefined || port === defaultPorts[scheme] ? "" : port,
    isWildcard: wildcard !== undefined,
  };
}

const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443" };

function admits(entry: Origin, sent: Origin): boolean {
  if (sent.isWildcard || entry.scheme !== sent.scheme || entry.port !== sent.port) return false;
  if (entry.isWildcard) return sent.host.endsWith(`.${entry.host}`);
  return (
    sent.host === entry.host ||
    sent.host === `www.${entry.host}` ||
    entry.host === `www.${sent.host}`
  );
}
