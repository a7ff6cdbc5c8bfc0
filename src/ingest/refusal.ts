import type { ErrorCode } from "../domain/errors";

/** The reason why something is not stored. It is returned, not thrown, as refusals are ordinary on the hot path. */
export interface Refusal {
  readonly kind: "refused";
  readonly code: ErrorCode;
  /** Tells the sender what to do. Never quotes what was sent. */
  readonly message: string;
  readonly field?: string;
  /** The index of the refused item in a batch, from zero. */
  readonly index?: number;
}

export const refusal = (code: ErrorCode, message: string, field?: string): Refusal =>
  field === undefined
    ? { kind: "refused", code, message }
    : { kind: "refused", code, message, field };

export const wrongType = (field: string, wanted: string): Refusal =>
  refusal("INVALID_BODY", `"${field}" must be ${wanted}.`, field);

export const brokenRule = (field: string, rule: string): Refusal =>
  refusal("MISSING_FIELDS", `"${field}" ${rule}.`, field);

/** Only for objects of our own making: what a client sent may have any key, `kind` too. */
export const isRefusal = (value: object): value is Refusal =>
  "kind" in value && value.kind === "refused";
