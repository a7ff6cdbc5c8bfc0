import { BlockList, isIP } from "node:net";
import { ConfigError } from "./config-error";

export function originIn(value: string | null, name: string, example: string): string | null {
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new ConfigError(`${name} must be an origin such as ${example}, without a path.`);
  }
  return url.origin;
}

interface PublicUrl {
  readonly publicUrl: string;
  readonly publicOrigin: string;
  readonly basePath: string;
  readonly publicUrlIsSet: boolean;
}

/** The path stands in HTML, cookies and headers, so each part of it has plain characters alone. */
const basePathForm = /^(\/[\w~-][\w.~-]*)*$/;
const basePathCharsMax = 100;

/** The address of the server, which may have a path where it shares its origin with other programs. */
export function publicUrlOf(value: string | null, ownUrl: string): PublicUrl {
  if (value === null) {
    return { publicUrl: ownUrl, publicOrigin: ownUrl, basePath: "", publicUrlIsSet: false };
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  const basePath = url?.pathname.replace(/\/$/, "") ?? "";
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.origin + basePath, `${url.origin}${basePath}/`].includes(url.href) &&
    basePathForm.test(basePath) &&
    basePath.length <= basePathCharsMax;
  if (!isPlain) {
    throw new ConfigError(
      "PUBLIC_URL must be an address such as https://stats.example.com or https://example.com/stats, without " +
        `a query. Its path may have ${basePathCharsMax} characters: letters, digits, dots, underscores, tildes, ` +
        "hyphens and slashes.",
    );
  }
  return {
    publicUrl: url.origin + basePath,
    publicOrigin: url.origin,
    basePath,
    publicUrlIsSet: true,
  };
}

/** Sites of clients that speak MCP, as far as they are known. */
const redirectOriginsDefault: readonly string[] = [
  "https://claude.ai",
  "https://claude.com",
  "https://chatgpt.com",
  "https://vscode.dev",
  "https://insiders.vscode.dev",
  "https://www.cursor.com",
];

/** Returns null for `*`, which allows every origin. */
export function redirectOriginsOf(value: string | null): readonly string[] | null {
  if (value === "*") return null;
  if (value === null) return redirectOriginsDefault;
  const origins = originsOf("OAUTH_REDIRECT_ORIGINS", value);
  const [other] = origins.filter((origin) => !origin.startsWith("https://"));
  if (other === undefined) return origins;
  throw new ConfigError(`OAUTH_REDIRECT_ORIGINS: "${other}" is not an https origin. Use https.`);
}

/** Normal forms of the origins in a list. */
export function originsOf(name: string, value: string | null): readonly string[] {
  const entries = (value ?? "").split(",").map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : null;
    // The origin goes into a header of the approval page, so only plain host names are taken.
    if (
      url !== null &&
      url.href === `${url.origin}/` &&
      /^https?:\/\/[\w.:[\]-]+$/.test(url.origin)
    ) {
      return url.origin;
    }
    throw new ConfigError(`${name}: "${entry}" is no origin. Write https://agents.example.com.`);
  });
}

/** Returns the name in lower case. It has the characters of a header's name (RFC 9110 §5.6.2). */
export function headerNameOf(value: string | null): string | null {
  if (value === null || /^[\w!#$%&'*+.^`|~-]+$/.test(value)) return value?.toLowerCase() ?? null;
  throw new ConfigError("COUNTRY_HEADER must be the name of an HTTP header, such as CF-IPCountry.");
}

/** Names and nothing more: a scan asks the port that the scheme of its address implies. */
export function hostsOf(value: string | null): readonly string[] {
  const entries = (value ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  return entries.filter(Boolean).map((entry) => {
    if (/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(entry) && isIP(entry) === 0) return entry;
    throw new ConfigError(
      `SCAN_ALLOW_HOSTS: "${entry}" is not a host name. Write each as wiki.intranet.example.`,
    );
  });
}

/** A host that webhooks may reach although it is not public; without a port on any port. */
export interface AllowedHost {
  readonly host: string;
  readonly port: string | null;
}

export function allowedHostsOf(name: string, value: string | null): readonly AllowedHost[] {
  const entries = (value ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  return entries.filter(Boolean).map((entry) => {
    const [, host, port = null] =
      /^(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(?::(\d{1,5}))?$/.exec(entry) ?? [];
    if (host !== undefined && URL.canParse(`http://${entry}/`)) return { host, port };
    throw new ConfigError(
      `${name}: "${entry}" is not a host. Write each as hooks.intranet.example or hooks.intranet.example:8080.`,
    );
  });
}

export function proxiesOf(value: string | null): BlockList {
  const list = new BlockList();
  for (const entry of (value ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean)) {
    const [address = "", bits, ...more] = entry.split("/");
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (family === 0 || prefix < 0 || prefix > most || more.length > 0) {
      throw new ConfigError(`TRUSTED_PROXIES: "${entry}" is no IP address or CIDR range.`);
    }
    list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
