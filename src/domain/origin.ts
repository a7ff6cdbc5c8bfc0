import { invalidField } from "./errors";
import { allowedOriginsMax, originCharsMax } from "./limits";

/** The origins that a project is given, in their normal form. */
export interface Origins {
  /** The list as it is stored and shown: `*`, or origins joined by commas. */
  readonly allowed: string;
  /** The first that names one site; null when none does. */
  readonly primary: string | null;
}

const everywhere = "*";
const schemeForm = /^[a-z][a-z0-9+.-]*:\/\//i;
const originForm = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i;
const hostForm = /^(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$|^\[[0-9a-f:.]+\]$/;
const hostCharsMax = 253;

/** Reads a comma-separated list. Throws MISSING_FIELDS for an entry that is no origin. */
export function originsOf(list: string, field: string): Origins {
  const entries = list.split(",").map((entry) => normalOrigin(entry.trim(), field));
  const distinct = [...new Set(entries)];
  if (distinct.length > allowedOriginsMax) {
    throw invalidField(field, `"${field}" takes at most ${allowedOriginsMax} origins.`);
  }
  return {
    // With `*` in the list every other entry has no effect.
    allowed: distinct.includes(everywhere) ? everywhere : distinct.join(","),
    primary: distinct.find((origin) => !origin.includes(everywhere)) ?? null,
  };
}

function normalOrigin(entry: string, field: string): string {
  const origin = originOf(entry);
  if (origin !== null) return origin;
  throw invalidField(
    field,
    `"${field}" must be a comma-separated list of origins such as https://example.com or ` +
      "https://*.example.com.",
  );
}

/** `Example.com:443/path` → `https://example.com`. A leading `*.` stands for subdomains. Null for what is no origin. */
export function originOf(entry: string): string | null {
  if (entry === everywhere) return entry;
  const written = schemeForm.test(entry) ? entry : `https://${entry}`;
  const scheme = originForm.exec(written)?.[1]?.toLowerCase() ?? "";
  const authority = originForm.exec(written)?.[2] ?? "";
  const url = urlOf(scheme, authority);
  const isOrigin =
    url !== null &&
    entry.length <= originCharsMax &&
    !/[\s\p{C}@\\]/u.test(authority) &&
    url.hostname.length <= hostCharsMax &&
    hostForm.test(url.hostname);
  return isOrigin ? `${scheme}://${url.host}` : null;
}

/** Hosts of schemes that URL does not know, such as an app's own, are written like those of https. */
function urlOf(scheme: string, authority: string): URL | null {
  const asWeb = /^https?$/.test(scheme) ? scheme : "https";
  const text = `${asWeb}://${authority}/`;
  return URL.canParse(text) ? new URL(text) : null;
}
