import { ApiError, type ErrorCode, type ErrorExtras } from "../../domain/errors";
import { describeFault } from "../../lib/fault";
import { type Damage, damageIn, StorageDamaged } from "../damage";
import { StorageRefused, systemCodeOf } from "../refused";

/** An error as it crosses threads: copies of errors keep neither their class nor what we add to them. */
export type Failure =
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "storage"; readonly code: string }
  | { readonly kind: "damaged"; readonly damage: Damage }
  | { readonly kind: "cancelled" }
  | {
      readonly kind: "answer";
      readonly code: ErrorCode;
      readonly message: string;
      readonly extras: ErrorExtras;
    }
  | {
      readonly kind: "fault";
      readonly name: string;
      readonly message: string;
      readonly stack: string;
    };

/** The read was given up: its client has gone, or its time is over. */
export class ReadCancelled extends Error {
  constructor() {
    super("The read was cancelled.");
    this.name = "ReadCancelled";
  }
}

/** The disk is full or broken: nothing of the transaction was stored, and it may work later. */
export class StorageFailed extends ApiError {
  /** `sqliteCode` names the cause, for the log. */
  constructor(readonly sqliteCode: string) {
    super("UNAVAILABLE", "The storage failed. Send the request again in a second.", {
      retry_after_seconds: 1,
    });
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof StorageRefused) return { kind: "refused", message: error.message };
  if (error instanceof ReadCancelled) return { kind: "cancelled" };
  const damage = damageIn(error);
  if (damage !== null) return { kind: "damaged", damage };
  if (error instanceof ApiError) {
    return { kind: "answer", code: error.code, message: error.message, extras: error.extras };
  }
  if (!(error instanceof Error)) {
    return { kind: "fault", name: typeof error, message: "", stack: "" };
  }
  const code = systemCodeOf(error);
  if (code !== null) return { kind: "storage", code };
  // Most of our own classes have no name of their own.
  const name = error.name === "Error" ? error.constructor.name : error.name;
  return { kind: "fault", name, message: error.message, stack: error.stack ?? "" };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "refused":
      return new StorageRefused(failure.message);
    case "storage":
      return new StorageFailed(failure.code);
    case "damaged":
      return new StorageDamaged(failure.damage);
    case "cancelled":
      return new ReadCancelled();
    case "answer":
      return new ApiError(failure.code, failure.message, failure.extras);
    case "fault":
      return Object.assign(new Error(failure.message), {
        name: failure.name,
        stack: failure.stack,
      });
  }
}

/** Describes a failure for the log: SQLite's code where there is one, and no text that an event may have brought. */
export const describeFailure = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof StorageFailed
    ? { cause: error.sqliteCode }
    : error instanceof ApiError
      ? { fault: error.constructor.name }
      : describeFault(error);
