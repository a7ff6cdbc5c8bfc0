import type { Trust } from "../../features/trust/schema";

/** Of what the API answers about flagged texts, what the dashboard shows. */
export type TrustAnswer = Pick<Trust, "policy" | "summary" | "values">;
export type TrustPolicy = Trust["policy"];
export type FlaggedValue = Trust["values"][number];
