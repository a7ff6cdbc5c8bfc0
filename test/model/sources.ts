import { siteTable } from "../../src/domain/sources/site-table";
import { ownHosts } from "../support/engine/own-hosts";

/**
 * The source of a session (definitions.md, Sources and channels), as loops over the host table. The table is data and
 * the product's own; the rules that read it are written here a second time.
 */

/** Reads an address as a browser does, of pages and of Android's apps. */
export function referrerHost(referrer: unknown): string | null {
  if (typeof referrer !== "string") return null;
  const [scheme = "", rest = ""] = referrer.split(/:\/\/(.*)/s);
  if (!["http", "https", "android-app"].includes(scheme.toLowerCase())) return null;
  const [authority = ""] = rest.split(/[/?#\\]/);
  if (authority === "" || /\s/.test(authority)) return null;
  try {
    let { hostname } = new URL(`http://${rest}`);
    if (hostname.endsWith(".")) hostname = hostname.slice(0, -1);
    if (hostname.startsWith("www.") && hostname.split(".").length > 2) hostname = hostname.slice(4);
    return hostname === "" || hostname.length > 253 ? null : hostname;
  } catch {
    return null;
  }
}

export const isOwn = (host: string): boolean =>
  ownHosts.some((own) => `.${host}`.endsWith(`.${own}`));

interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly form: RegExp;
}
const entries: readonly Entry[] = Object.entries(siteTable).flatMap(([kind, sites]) =>
  Object.entries(sites).flatMap(([name, hosts]) =>
    hosts.split(" ").map((host) => ({ name, kind, form: formOf(host) })),
  ),
);

function formOf(host: string): RegExp {
  const literal = host.replaceAll(".", "\\.").replace("\\.*", "");
  const country = host.endsWith(".*") ? "\\.(com|[a-z][a-z]|com?\\.[a-z][a-z])" : "";
  return new RegExp(`(?<=^|\\.)${literal}${country}$`);
}

const known = new Map<string, Entry | null>();
export function siteOf(host: string): Entry | null {
  const found = known.has(host) ? known.get(host) : bestEntry(host);
  known.set(host, found ?? null);
  return found ?? null;
}

/** The entry that fits most of the host. */
function bestEntry(host: string): Entry | null {
  let longest = 0;
  let found: Entry | null = null;
  for (const entry of entries) {
    const length = entry.form.exec(host)?.[0].length ?? 0;
    if (length > longest) [longest, found] = [length, entry];
  }
  return found;
}

/** The short form of a site that random histories have. */
const shortForms: Readonly<Record<string, string>> = { ig: "Instagram" };

/** Returns a name without spaces, hyphens and low lines; what has a dot may be a host, and stays. */
const inOneWord = (name: string): string =>
  name.includes(".")
    ? name.toLowerCase()
    : name
        .toLowerCase()
        .split(/[\s_-]/)
        .join("");

/** The site that a utm_source names. */
function siteNamed(source: string): Entry | null {
  const text = source.trim().toLowerCase();
  const name = shortForms[text] ?? text;
  const named = entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  const isWord = (entry: Entry) => inOneWord(entry.name) === inOneWord(name);
  return named ?? entries.find(isWord) ?? siteOf(text.replace(/^www\./, ""));
}

/** Returns the name of a utm_source; null for a blank one. */
export function sourceName(source: string): string | null {
  const text = source.trim().toLowerCase();
  if (text === "" || text === "direct") return text === "" ? null : "Direct";
  return siteNamed(source)?.name ?? text;
}

/** Values that are compared with sources are read like these. */
export function withNames<One extends Compared>(condition: One): One {
  const { field, op, value } = condition;
  if (
    !/^(session.source|user.first_source)$/.test(field) ||
    !["eq", "neq", "in", "not_in"].includes(op)
  )
    return condition;
  const nameOf = (text: string): string => sourceName(text) ?? text;
  return { ...condition, value: typeof value === "string" ? nameOf(value) : value.map(nameOf) };
}
interface Compared {
  readonly field: string;
  readonly op: string;
  readonly value: string | readonly string[];
}

/** The mediums that random histories have. */
const paidWith: Readonly<Record<string, string>> = { gclid: "search", "paid-social": "social" };

export function channelOf(of: {
  readonly source: string | null;
  readonly medium: string | null;
  readonly referrer: string | null;
}): string {
  const { source, medium, referrer } = of;
  const kind = siteNamed(source ?? "")?.kind ?? (referrer && siteOf(referrer)?.kind) ?? "";
  const isPaid = ["cpc", "PPC", "gclid", "paid-social"].includes(medium ?? "");
  const paidKind = paidWith[medium ?? ""] ?? kind;
  if (isPaid && paidKind === "search") return "Paid Search";
  if (isPaid && paidKind === "social") return "Paid Social";
  if (isPaid) return "Paid Other";
  const byMedium: Readonly<Record<string, string>> = {
    ...{ email: "Email", sms: "SMS", affiliate: "Affiliates", banner: "Display", podcast: "Audio" },
    video: "Video",
  };
  const byKind: Readonly<Record<string, string>> = {
    ...{ mail: "Email", assistant: "AI Assistants", search: "Organic Search" },
    ...{ social: "Organic Social", video: "Organic Video", shop: "Organic Shopping" },
  };
  const isFromElsewhere = sourceName(source ?? "") !== null || referrer !== null;
  return byMedium[medium ?? ""] ?? byKind[kind] ?? (isFromElsewhere ? "Referral" : "Direct");
}
