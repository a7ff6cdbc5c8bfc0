import type { TrustField } from "./fields";
import type { Flag } from "./flagged";
import type { TrustCategory } from "./rules";

export interface FlaggedRequest {
  /** Digests of texts that are not flagged any more: they are told, and in no sum. */
  readonly cleared: readonly string[];
  readonly limit: number;
}
export interface FlaggedValue extends Flag {
  readonly field: TrustField;
  /** The key of the property. */
  readonly key: string;
  /** The text that was stored; null where only its digest is known. */
  readonly text: string | null;
  readonly events: number;
  readonly first_seen: number;
  readonly last_seen: number;
}
export interface FoundFlagged {
  readonly values: readonly FlaggedValue[];
  /** The sums over all values, including those that the limit leaves out. An event counts once. */
  readonly sums: { readonly values: number; readonly events: number };
  /** The categories for which something was flagged, in the order of the rules. */
  readonly by_category: readonly (FoundFlagged["sums"] & { readonly category: TrustCategory })[];
  /** Events with such a value, ascending; days without are left out. */
  readonly days: readonly { readonly day: number; readonly events: number }[];
}
