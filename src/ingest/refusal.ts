import type { ErrorCode } from "../domain/errors";

/** Why something is not stored. Returned, not thrown: on the hot path refusals are ordinary. */
export interface Refusal {
  readonly kind: "refused";
  readonly code: ErrorCode;
  /** Tells the sender what to do. Never quotes what was sent. */
  readonly message: string;
  readonly field?: string;
  /** Of the item in a batch, from zero. */
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
