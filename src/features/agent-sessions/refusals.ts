import { ApiError, type ErrorExtras } from "../../domain/errors";
import type { AuthRequest } from "../../store/control/auth-requests";

/** Clients match some of these texts. */

export const invalidPollToken = (): ApiError =>
  new ApiError("INVALID_POLL_TOKEN", "invalid auth request");

export const endedAs = (state: "expired" | "revoked", extras: ErrorExtras = {}): ApiError =>
  state === "expired"
    ? new ApiError("AUTH_REQUEST_EXPIRED", "auth request expired. Start the sign-in again.", {
        status: state,
        ...extras,
      })
    : new ApiError("AUTH_REQUEST_REVOKED", "auth request revoked. Start the sign-in again.", {
        status: state,
        ...extras,
      });

export const alreadyExchanged = (): ApiError =>
  new ApiError("AUTH_REQUEST_ALREADY_EXCHANGED", "auth request already exchanged");

export const invalidExchangeCode = (): ApiError =>
  new ApiError(
    "INVALID_EXCHANGE_CODE",
    "invalid exchange code. Copy the whole finish code, or start the sign-in again.",
  );

export const invalidVerifier = (): ApiError =>
  new ApiError(
    "INVALID_CODE_VERIFIER",
    "invalid code verifier. Send the one whose SHA-256 was the code_challenge, or start the sign-in again.",
  );

/** Returns the refusal of a request that cannot be exchanged, in a fixed order. */
export function refusedExchange(request: AuthRequest | null): ApiError {
  if (request === null) return invalidExchangeCode();
  const { state } = request;
  if (state === "exchanged") return alreadyExchanged();
  if (state === "expired" || state === "revoked") return endedAs(state);
  return new ApiError("INVALID_STATE", "auth request is not ready");
}
