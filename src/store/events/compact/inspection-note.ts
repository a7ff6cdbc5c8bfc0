import type { TrustField } from "../../../domain/trust/fields";
import type { Flag } from "../../../domain/trust/flagged";

/** The flagged texts that the inspection has found, and the data that it has inspected. */
export interface InspectionNote {
  readonly flagged: readonly FlaggedText[];
  /** The segments that are fully inspected. They come with the last note that has flagged texts of theirs. */
  readonly segments: readonly number[];
  /** The number up to which the users of a project are inspected. */
  readonly users: readonly (readonly [project: number, upTo: number])[];
  /** The inspected profiles with their traits at that time. */
  readonly profiles: readonly StoredProfile[];
}
export interface FlaggedText extends Flag {
  readonly project: number;
  readonly field: TrustField;
  readonly key: string;
  readonly text: string;
  /** The time of the last event with this text; null if no event has it. */
  readonly lastTimeMs: number | null;
}
export interface StoredProfile {
  readonly project: number;
  readonly user: number;
  readonly traits: string;
}
