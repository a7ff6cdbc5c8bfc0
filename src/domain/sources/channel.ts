import { type SiteKind, siteOfHost, siteOfSource } from "./site-table";

/** Values of utm_medium that tell a channel; "other" stands for every other value, and for none. */
export const mediums = [
  ...(["paid search", "paid social", "paid", "email", "sms", "affiliate"] as const),
  ...(["display", "audio", "video", "other"] as const),
] as const;
export type Medium = (typeof mediums)[number];

/** The fields of an event that decide its channel. */
export interface Origin {
  readonly medium: Medium;
  /** The kind of the site that utm_source names, else of the referrer's; null where the host table knows neither. */
  readonly kind: SiteKind | null;
  /** Tells whether there is neither a utm_source nor a referrer. */
  readonly isDirect: boolean;
}

/** A session is of the first channel whose rule holds. */
const rules = [
  ["Paid Search", (of) => of.medium === "paid search" || isPaidOn(of, "search")],
  ["Paid Social", (of) => of.medium === "paid social" || isPaidOn(of, "social")],
  ["Paid Other", (of) => of.medium === "paid"],
  // People who read their mail in a browser bring no utm_medium unless the sender wrote one into the link.
  ["Email", (of) => of.medium === "email" || (of.medium === "other" && of.kind === "mail")],
  ["SMS", (of) => of.medium === "sms"],
  ["Affiliates", (of) => of.medium === "affiliate"],
  ["Display", (of) => of.medium === "display"],
  ["Audio", (of) => of.medium === "audio"],
  ["Video", (of) => of.medium === "video"],
  ["AI Assistants", (of) => of.kind === "assistant"],
  ["Organic Search", (of) => of.kind === "search"],
  ["Organic Social", (of) => of.kind === "social"],
  ["Organic Video", (of) => of.kind === "video"],
  ["Organic Shopping", (of) => of.kind === "shop"],
  ["Referral", (of) => !of.isDirect],
  ["Direct", () => true],
] as const satisfies readonly (readonly [name: string, holds: (of: Origin) => boolean])[];

const isPaidOn = ({ medium, kind }: Origin, wanted: SiteKind): boolean =>
  medium === "paid" && kind === wanted;

export type Channel = (typeof rules)[number][0];
export const channels: readonly Channel[] = rules.map(([name]) => name);

export const channelOf = (of: Origin): Channel =>
  rules.find(([, holds]) => holds(of))?.[0] ?? "Direct";

/** Some tools write the name of a click id into utm_medium. */
const searchClicks = ["gclid", "gbraid", "wbraid", "msclkid", "yclid"];
const socialClicks = ["epik", "fbclid", "li_fat_id", "rdt_cid", "sccid", "ttclid", "twclid"];
/** Words of utm_medium: the whole text, or its parts between other characters than letters and digits. */
const search = ["search", "sem", "paidsearch", ...searchClicks];
const social = ["social", "paidsocial", ...socialClicks];
/** Any word that begins with `paid` is one, too. */
const paid = [
  ...["adwords", "cpa", "cpc", "cpi", "cpl", "cpp", "cpv", "ppc", "remarketing", "retargeting"],
  ...["dclid", "sem", ...searchClicks, ...socialClicks],
];
const unpaid: readonly (readonly [Medium, readonly string[]])[] = [
  ["email", ["edm", "email", "e-mail", "e_mail", "mail", "mailing", "newsletter"]],
  ["sms", ["mms", "sms", "text-message", "text_message"]],
  ["affiliate", ["affiliate", "affiliates", "affiliation"]],
  [
    "display",
    ["banner", "banners", "cpm", "display", "expandable", "interstitial", "programmatic"],
  ],
  ["audio", ["audio", "podcast", "podcasts", "radio"]],
  ["video", ["video", "videos"]],
  // Behind the others, as there are display ads and video ads.
  ["paid", ["ad", "ads", "advert", "advertising"]],
];
/** Longer ones say nothing. */
const mediumCharsMax = 100;

export function mediumOf(text: string): Medium {
  if (text.length > mediumCharsMax) return "other";
  const whole = text.trim().toLowerCase();
  const words = [whole, ...whole.split(/[^a-z0-9]+/)];
  const has = (list: readonly string[]): boolean => words.some((word) => list.includes(word));
  if (has(paid) || words.some((word) => word.startsWith("paid"))) {
    return has(search) ? "paid search" : has(social) ? "paid social" : "paid";
  }
  return unpaid.find(([, list]) => has(list))?.[0] ?? "other";
}

export const direct = "Direct";

/**
 * The name of what a utm_source says, whatever its case: that of the site which it names, else the text in lower case.
 * Null when there is nothing in it. Each name is its own name, so a filter finds what an answer shows.
 */
export function nameOfSource(source: string): string | null {
  const text = source.trim();
  const lower = text.toLowerCase();
  if (lower === "") return null;
  return lower === direct.toLowerCase() ? direct : (siteOfSource(text)?.name ?? lower);
}

/**
 * The name of the source behind a referrer's host: that of its site, or the host itself. A host without a dot, such as
 * that of http://google/, is read like a utm_source, so that a filter finds what an answer shows.
 */
export const nameOfHost = (host: string): string =>
  siteOfHost(host)?.name ?? (host.includes(".") ? host : (nameOfSource(host) ?? host));
