import { TwoGenerationCache } from "../../lib/two-generation-cache";
import type { JsonObject } from "../properties";
import type { Draft, Page } from "./draft";
import type { ForeignPage } from "./item";

/** The names of a campaign's properties, and the names that other products give them in addresses. */
const campaignKeys = {
  utm_source: ["utm_source", "mtm_source", "pk_source"],
  utm_medium: ["utm_medium", "mtm_medium", "pk_medium"],
  utm_campaign: ["utm_campaign", "mtm_campaign", "pk_campaign"],
  utm_content: ["utm_content", "mtm_content", "pk_content"],
  utm_term: ["utm_term", "mtm_keyword", "mtm_kwd", "pk_keyword", "pk_kwd"],
} as const;
export const campaignProperties: readonly string[] = Object.keys(campaignKeys);

/** Takes a page's address apart, in the form that WHATWG URL gives it. */
function pageOf(page: ForeignPage): Page {
  const { url, host, referrer, keepsFragment } = page;
  const hostName = typeof host === "string" ? host : "";
  const place = typeof url === "string" && url !== "" ? placeOf(url, hostName) : noPlace;
  const facts: JsonObject = {};
  if (place.path !== null) {
    const path = place.path + fragmentIn(place.fragment, keepsFragment === true);
    if (place.origin !== null) facts.url = place.origin + path;
    facts.path = path;
  }
  if (place.host !== "") facts.hostname = place.host;
  const from = typeof referrer === "string" && referrer !== "" ? placeOf(referrer, "") : noPlace;
  if (from.origin !== null) facts.referrer = from.origin + from.path;
  Object.assign(facts, campaignOf(page, place.campaign));
  return { facts, host: place.host === "" ? hostOf(hostName) : place.host };
}

/** Tells whether an address is one of a page. Those of scripts, data and mail are not. */
export const isOfPage = (url: string, host: string): boolean => placeOf(url, host).path !== null;

/** The host of an item without an address. */
const hostOf = (name: string): string => URL.parse(originOf(name) ?? "")?.hostname ?? "";

/** The origin of a host name, with a port or without; null where it is anything else, such as a part of an address. */
function originOf(hostName: string): string | null {
  const url = URL.parse(`https://${hostName}`);
  return url?.href === `${url?.origin}/` ? url.origin : null;
}

/** One campaign as a whole: values of two would make a third. */
function campaignOf(page: ForeignPage, ofAddress: JsonObject | null): JsonObject | null {
  const { query, campaign, campaignComesFirst } = page;
  const own = campaign === undefined ? null : campaignNamed(campaign);
  if (campaignComesFirst === true && own !== null) return own;
  return (typeof query === "string" ? campaignIn(query) : null) ?? ofAddress ?? own;
}

/** Routes of single pages are fragments that begin so. A query of their own is no part of the path. */
const fragmentIn = (fragment: string, keepsAll: boolean): string =>
  keepsAll || fragment.startsWith("#/") || fragment.startsWith("#!")
    ? (fragment.split("?", 1)[0] ?? "")
    : "";

interface Place {
  /** Null unless it is an address of the web with a host. */
  readonly origin: string | null;
  readonly host: string;
  readonly path: string | null;
  readonly fragment: string;
  readonly campaign: JsonObject | null;
}
const noPlace: Place = { origin: null, host: "", path: null, fragment: "", campaign: null };

/** Longer addresses are taken apart each time, so that remembered ones stay small. */
const rememberedCharsMax = 512;
const rememberedMax = 4_096;
const remembered = new TwoGenerationCache<string, Place>(rememberedMax / 2);

function placeOf(url: string, host: string): Place {
  if (url.length + host.length > rememberedCharsMax) return readPlace(url, host);
  // No address has a line break: browsers drop it.
  return remembered.get(`${host}\n${url}`, () => readPlace(url, host));
}

/** Stands for a host that nobody named. */
const unnamedHost = "unnamed.invalid";

function readPlace(text: string, hostName: string): Place {
  const base = originOf(hostName) ?? `https://${unnamedHost}`;
  // A path may begin with two slashes, after which no host comes.
  const url = text.startsWith("/") ? URL.parse(base + text) : URL.parse(text, base);
  if (url === null) return noPlace;
  const isOfWeb = url.protocol === "http:" || url.protocol === "https:";
  const isNamed = url.hostname !== unnamedHost;
  return {
    origin: isOfWeb && isNamed ? url.origin : null,
    host: isNamed ? url.hostname : "",
    // Addresses such as mailto: have no path.
    path: url.pathname.startsWith("/") ? url.pathname : null,
    fragment: url.hash,
    campaign: url.search === "" ? null : campaignIn(url.search),
  };
}

/** The campaign that a query string names. Names are read in any case; the first of equal ones counts. */
function campaignIn(query: string): JsonObject | null {
  if (!/(?:utm|mtm|pk)_/i.test(query)) return null;
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase();
    if (value !== "" && !values.has(key)) values.set(key, value);
  }
  const campaign: JsonObject = {};
  for (const [property, names] of Object.entries(campaignKeys)) {
    const name = names.find((one) => values.has(one));
    if (name !== undefined) campaign[property] = values.get(name);
  }
  return Object.keys(campaign).length === 0 ? null : campaign;
}

function campaignNamed(sent: JsonObject): JsonObject | null {
  const campaign: JsonObject = {};
  for (const property of campaignProperties) {
    const value = sent[property];
    if (typeof value === "string" && value !== "") campaign[property] = value;
  }
  return Object.keys(campaign).length === 0 ? null : campaign;
}

/** Finds the page of an item. */
export const findPage = (draft: Draft): Draft => ({ ...draft, page: pageOf(draft.item.page) });
