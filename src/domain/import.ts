/** The products, and the formats of ours, whose files this server understands. */
const importKinds = [
  "sightline",
  "events",
  "umami",
  "goatcounter",
  "matomo",
  "posthog",
  "mixpanel",
  "ga4",
  "plausible",
] as const;
export type ImportKind = (typeof importKinds)[number];

/** The rows of a file are events, sums of days, or both. */
export type ImportBecomes = "events" | "days" | "both";
