import { domainToASCII } from "node:url";
import { type ApiError, invalidField } from "../errors";
import { ipv4BitsMin, ipv6BitsMin, networkNamed } from "./networks";

/** The reasons for which an event of a project is not stored: a rule of its owner, or an erased person. */
export const exclusionReasons = ["ip", "country", "path", "hostname", "blocked"] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/** The senders and pages whose events a project does not want. */
export interface ExclusionRules {
  /** Networks in CIDR notation. */
  readonly ips: readonly string[];
  readonly countries: readonly string[];
  /** Paths and host names; `*` stands for any run of characters. */
  readonly paths: readonly string[];
  readonly hostnames: readonly string[];
}

export const noRules: ExclusionRules = { ips: [], countries: [], paths: [], hostnames: [] };

/** Rules of each kind in a project. */
export const exclusionRulesMax = 100;
export const excludedPathCharsMax = 256;
export const excludedHostCharsMax = 253;
export const excludedNetworkCharsMax = 49;

/** Brings rules into their normal form, each once. Throws MISSING_FIELDS, which names the list and the place. */
export function exclusionRulesOf(sent: Partial<ExclusionRules>): ExclusionRules {
  return {
    ips: listOf("ips", sent.ips, networkNamed, networkAdvice),
    countries: listOf("countries", sent.countries, countryNamed, countryAdvice),
    paths: listOf("paths", sent.paths, pathNamed, pathAdvice),
    hostnames: listOf("hostnames", sent.hostnames, hostNamed, hostAdvice),
  };
}

function listOf(
  field: keyof ExclusionRules,
  sent: readonly string[] = [],
  normal: (text: string) => string | null,
  advice: string,
): readonly string[] {
  const rules = sent.map((text, at) => normal(text) ?? refuse(field, at, advice));
  return [...new Set(rules)];
}

function refuse(field: string, at: number, advice: string): never {
  const error: ApiError = invalidField(field, `"${field}[${at}]" ${advice}`);
  throw error;
}

const networkAdvice =
  "must be an address or a network such as 192.0.2.0/24 or 2001:db8::/48; IPv4 networks no wider than " +
  `/${ipv4BitsMin}, IPv6 networks no wider than /${ipv6BitsMin}, and no IPv4 address written as IPv6.`;

/** ISO 3166-1 alpha-2, in any case. */
const countryNamed = (text: string): string | null =>
  /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : null;
const countryAdvice = "must be a country's two letters, such as DE.";

const pathNamed = (text: string): string | null =>
  /^[/*]/.test(text) && !/^\*+$/.test(text) ? text : null;
const pathAdvice =
  "must be a path that begins with / or *, such as /admin/*; * stands for any characters, and must not stand alone.";

/** Browsers know names in lower case and Punycode. */
function hostNamed(text: string): string | null {
  const name = /^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : domainToASCII(text);
  const isName = /^[a-z0-9._*-]+$/.test(name) || /^\[[0-9a-f:.]+\]$/.test(name);
  return isName && name.length <= excludedHostCharsMax && !/^\*+$/.test(name) ? name : null;
}
const hostAdvice =
  "must be a host name without scheme and port, such as staging.example.com or *.example.org; * must not stand alone.";
