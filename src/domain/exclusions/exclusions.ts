import { Networks } from "./networks";
import { Patterns } from "./patterns";
import type { ExclusionReason, ExclusionRules } from "./rules";

/** A page as an event names it: properties that are no texts, or empty ones, are absent. */
export interface NamedPage {
  readonly path: string | null;
  readonly hostname: string | null;
  readonly url: string | null;
}

/** The rules of a project in the form in which ingestion asks them, made once for each change. */
export class Exclusions {
  readonly #networks: Networks;
  readonly #countries: ReadonlySet<string>;
  readonly #paths: Patterns;
  readonly #hostnames: Patterns;
  /** Tells whether anything depends on the page of an event: only then its properties are looked at. */
  readonly looksAtPages: boolean;

  constructor({ ips, countries, paths, hostnames }: ExclusionRules) {
    this.#networks = new Networks(ips);
    this.#countries = new Set(countries);
    this.#paths = new Patterns(paths);
    this.#hostnames = new Patterns(hostnames);
    this.looksAtPages = paths.length + hostnames.length > 0;
  }

  /** Returns why events of a sender are not wanted, whatever they say. */
  ofSender(address: string | null, country: string | null): "ip" | "country" | null {
    if (address !== null && this.#networks.has(address)) return "ip";
    return country !== null && this.#countries.has(country) ? "country" : null;
  }

  ofPage({ path, hostname, url }: NamedPage): ExclusionReason | null {
    const needsUrl = url !== null && (path === null || hostname === null);
    const place = needsUrl ? placeOf(url) : nowhere;
    if (isAmong(this.#paths, path ?? place.path)) return "path";
    return isAmong(this.#hostnames, hostname?.toLowerCase() ?? place.hostname) ? "hostname" : null;
  }
}

const isAmong = (patterns: Patterns, text: string | null): boolean =>
  text !== null && !patterns.isEmpty && patterns.has(text);

interface Place {
  readonly path: string | null;
  readonly hostname: string | null;
}
const nowhere: Place = { path: null, hostname: null };

/** Stands for the host of an address that is a path alone. */
const unnamedHost = "unnamed.invalid";

function placeOf(text: string): Place {
  const url = URL.parse(text, `https://${unnamedHost}`);
  if (url === null) return nowhere;
  const hostname = url.hostname === unnamedHost || url.hostname === "" ? null : url.hostname;
  // Addresses such as mailto: have no path.
  return { path: url.pathname.startsWith("/") ? url.pathname : null, hostname };
}
