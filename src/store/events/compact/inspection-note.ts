import type { TrustField } from "../../../domain/trust/fields";
import type { Flag } from "../../../domain/trust/flagged";

/** What was found, and what was looked through for it. */
export interface InspectionNote {
  readonly flagged: readonly FlaggedText[];
  /** Segments whose texts were all seen: with the last note that has flags of theirs. */
  readonly segments: readonly number[];
  /** Up to which number the users of projects were seen. */
  readonly users: readonly (readonly [project: number, upTo: number])[];
  /** The profiles with the traits that were seen. */
  readonly profiles: readonly StoredProfile[];
}
export interface FlaggedText extends Flag {
  readonly project: number;
  readonly field: TrustField;
  readonly key: string;
  readonly text: string;
  /** The time of its last event; null for a text that no event has. */
  readonly lastTimeMs: number | null;
}
export interface StoredProfile {
  readonly project: number;
  readonly user: number;
  readonly traits: string;
}
