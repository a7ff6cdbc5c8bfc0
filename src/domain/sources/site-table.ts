/*
 * Sites are a table of our own.
 * Decision: names and kinds of sites by their hosts are files of ours (`domain/sources/`), a line a site, with a
 * version to which a test holds a fingerprint of them.
 * Because: the packages that have such tables derive them from lists under the GPL, know no assistants and no
 * channels, or have not changed for years; and a change of the table changes answers, so it must not come with an
 * update of packages.
 * Cost: new sites are added by hand.
 * Revisit: if somebody keeps such a list under a free licence.
 */

import { assistants } from "./assistants";
import { mailSites, otherSites, shops, videoSites } from "./other-sites";
import { searchEngines } from "./search-engines";
import { socialNetworks } from "./social-networks";

/**
 * The host table: which site a host is of, and of which kind it is (definitions.md, Sources and channels). A change of
 * it changes answers: it is made together with a new version, to which a test holds it.
 */
export const siteTableVersion = "2026-11.1";

/**
 * Sites by kind and name. `example.com` stands for that host and all below it, `example.*` for that name in every
 * country: example.com, example.de, example.co.uk, example.com.br and what is below them, and not
 * example.another.com. Of several entries that fit a host the longest is its own. An app is named by its package.
 */
export const siteTable = {
  assistant: assistants,
  search: searchEngines,
  social: socialNetworks,
  video: videoSites,
  shop: shops,
  mail: mailSites,
  other: otherSites,
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type SiteKind = keyof typeof siteTable;
export interface Site {
  readonly name: string;
  readonly kind: SiteKind;
}

/** Other names that people write into utm_source, joined. The table finds names of sites and hosts without them. */
const otherNames: Readonly<Record<string, string>> = {
  adwords: "Google",
  fb: "Facebook",
  googleads: "Google",
  hn: "Hacker News",
  ig: "Instagram",
  insta: "Instagram",
  li: "LinkedIn",
  meta: "Facebook",
  openai: "ChatGPT",
  tg: "Telegram",
  twitter: "X",
  yahoo: "Yahoo!",
  youtubeads: "YouTube",
  yt: "YouTube",
};

const isKind = (text: string): text is SiteKind => Object.hasOwn(siteTable, text);
export const siteKinds: readonly SiteKind[] = Object.keys(siteTable).filter(isKind);

const sites = siteKinds.flatMap((kind) =>
  Object.entries(siteTable[kind]).map(([name, hosts]) => ({
    site: { name, kind },
    hosts: hosts.split(" "),
  })),
);
const byHost = new Map(sites.flatMap(({ site, hosts }) => hosts.map((host) => [host, site])));
const byName = new Map(sites.map(({ site }) => [site.name.toLowerCase(), site]));
/** Names in one word, as people write Hacker News: hackernews, hacker-news, hacker_news. */
const byWord = new Map([...byName].map(([name, site]) => [joined(name), site]));
for (const [other, name] of Object.entries(otherNames)) {
  const site = byName.get(name.toLowerCase());
  if (site !== undefined) byWord.set(other, site);
}
/** A text with a dot may be a host, which has hyphens of its own. */
function joined(name: string): string {
  return name.includes(".") ? name : name.replace(/[\s_-]+/g, "");
}

/** `.com`, `.de`, `.co.uk`, `.com.br`: where sites of one name in several countries are. */
const country = /\.(?:com?\.[a-z]{2}|com|[a-z]{2})$/;

/** The site of a host as domain/sources/referrer.ts writes it; null for one that the table does not know. */
export function siteOfHost(host: string): Site | null {
  const ending = country.exec(host)?.[0] ?? null;
  for (let below = host; below !== ""; below = belowOf(below)) {
    const everywhere = ending !== null && below.endsWith(ending) ? anywhere(below, ending) : "";
    const site = byHost.get(below) ?? byHost.get(everywhere);
    if (site !== undefined) return site;
  }
  return null;
}

const anywhere = (host: string, ending: string): string => `${host.slice(0, -ending.length)}.*`;
/** Returns the host without its first label. */
const belowOf = (host: string): string => {
  const dot = host.indexOf(".");
  return dot < 0 ? "" : host.slice(dot + 1);
};

/** Longer ones name no site. */
const sourceCharsMax = 100;

/** The site that a utm_source names, by its name or a host; null for everything else. */
export function siteOfSource(source: string): Site | null {
  if (source.length > sourceCharsMax) return null;
  const name = source.trim().toLowerCase();
  return byName.get(name) ?? byWord.get(joined(name)) ?? siteOfHost(name.replace(/^www\./, ""));
}
