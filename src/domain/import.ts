import { dayMs } from "../lib/clock";

/** The products, and the formats of ours, whose files this server understands. */
export const importKinds = [
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

export const importStates = [
  ...(["uploading", "checking", "checked", "committing", "done", "failed"] as const),
] as const;
export type ImportState = (typeof importStates)[number];

/** The bytes of a file as it is sent. */
export const importBytesMax = 4 * 1024 ** 3;
/** The bytes of one part of it. */
export const importPartBytesMax = 8 * 1024 ** 2;
/** The imports of a project, whatever their state. */
export const importsPerProjectMax = 1_000;
/** An upload lapses after this time without a part … */
export const uploadLapsesMs = dayMs;
/** … and a file that is checked, or failed, after this one. */
export const checkedLapsesMs = 7 * dayMs;
export const importNameCharsMax = 256;
