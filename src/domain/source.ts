/** The products whose clients this server understands. */
export const sourceKinds = [
  "plausible",
  "umami",
  "goatcounter",
  "matomo",
  "segment",
  "posthog",
  "mixpanel",
] as const;
export type SourceKind = (typeof sourceKinds)[number];

export const sourcesPerProjectMax = 20;
/** The longest key that any kind has: a host name. */
export const sourceKeyCharsMax = 253;

interface KeyForm {
  readonly isKey: (text: string) => boolean;
  /** What the key must be, for the error that refuses another text. */
  readonly rule: string;
  /** Returns the one spelling in which keys are compared. */
  readonly normalize?: (text: string) => string;
}

const hostLabel = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
const hostForm = new RegExp(`^${hostLabel}(\\.${hostLabel})*$`);
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const siteNumberMax = 2_147_483_647;

const isHost = (text: string): boolean => text.length <= sourceKeyCharsMax && hostForm.test(text);
const isSiteNumber = (text: string): boolean =>
  /^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= siteNumberMax;

/** The keys by which a source is known at the root; null where there are none and its address is the only way. */
const keyForms: Readonly<Record<SourceKind, KeyForm | null>> = {
  plausible: {
    isKey: isHost,
    rule: "is the site's domain, without `www.`",
    normalize: (text) => text.toLowerCase().replace(/^www\./, ""),
  },
  umami: {
    isKey: (text) => uuidForm.test(text),
    rule: "is the website's id, a UUID",
    normalize: (text) => text.toLowerCase(),
  },
  goatcounter: {
    isKey: isHost,
    rule: "is the host name under which this server is reached",
    normalize: (text) => text.toLowerCase(),
  },
  matomo: { isKey: isSiteNumber, rule: `is the site's number, 1 to ${siteNumberMax}` },
  segment: {
    isKey: (text) => /^[A-Za-z0-9_-]{8,64}$/.test(text),
    rule: "is the write key: 8 to 64 of A-Z, a-z, 0-9, _ and -",
  },
  posthog: {
    isKey: (text) => /^[A-Za-z0-9_-]{8,128}$/.test(text),
    rule: "is the project key: 8 to 128 of A-Z, a-z, 0-9, _ and -",
  },
  mixpanel: null,
};

/** Returns a key in its one spelling, or null when it is no key of this kind. */
export function sourceKeyOf(kind: SourceKind, text: string): string | null {
  const form = keyForms[kind];
  if (form === null) return null;
  const key = form.normalize?.(text) ?? text;
  return form.isKey(key) ? key : null;
}

/** Says what a key of this kind must be; null for a kind without keys. */
export const sourceKeyRule = (kind: SourceKind): string | null => keyForms[kind]?.rule ?? null;

/** The kinds whose visitors have no id of their own: they get one for a day. */
const kindsOfDailyVisitors: ReadonlySet<SourceKind> = new Set([
  "plausible",
  "umami",
  "goatcounter",
  "matomo",
]);
export const hasDailyVisitors = (kind: SourceKind): boolean => kindsOfDailyVisitors.has(kind);
