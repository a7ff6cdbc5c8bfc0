import type { Trust } from "../../features/trust/schema";

/** The parts of the API's answers about flagged texts that the dashboard shows. */
export type TrustAnswer = Pick<Trust, "policy" | "summary" | "values">;
export type TrustPolicy = Trust["policy"];
export type FlaggedValue = Trust["values"][number];
