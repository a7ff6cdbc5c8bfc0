/*
 * A refusal links the documentation of its code in a header.
 * Decision: `Link: </docs/api/errors#not_found>; rel="help"`, and no field of the body.
 * Because: a body has the fields that are described for its code, and agents would pay for one more with each refusal.
 * Cost: who looks at the body alone does not see it.
 * Revisit: when clients ask for it.
 */

import { ApiError, type ErrorCode } from "../../domain/errors";
import { propertyPrefix } from "../../domain/property-field";
import { minuteMs, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import { errorPage, htmlType } from "../pages/html";
import { TooSlow } from "./body";
import { jsonType, untrustedHeader } from "./headers";

/** The parts of a failed request's refusal that the log and the client share. */
interface Failure {
  readonly requestId: string;
  readonly route: string;
  readonly format: "json" | "html";
}

/**
 * The `Retry-After` of an UNAVAILABLE that does not say for itself when to come back (definitions.md, Acknowledgement).
 */
const unavailableRetrySeconds = 1;

/** Every error a client sees is made here: status, `{error, message, …extras}`, and `Retry-After` where it is due. */
export function errorAnswer(thrown: unknown, failure: Failure): ErrorAnswer {
  const error = thrown instanceof ApiError ? thrown : faultOf(thrown, failure);
  const isPage = failure.format === "html";
  const body = { error: error.code, message: error.message, ...error.extras };
  return {
    status: error.status,
    text: isPage ? errorPage(error) : JSON.stringify(body),
    headers: {
      "content-type": isPage ? htmlType : jsonType,
      ...retryAfterOf(error),
      ...(isPage ? {} : untrustedOf(error)),
      ...(isPage ? {} : { link: `<${helpOf(error.code)}>; rel="help"` }),
      ...(error instanceof TooSlow ? { connection: "close" } : {}),
    },
  };
}

/** Visitors may have sent what suggestions name: a suggestion that names no property is a word of this server. */
function untrustedOf({ extras }: ApiError): Readonly<Record<string, string>> {
  const { suggested_field: meant, available_properties: known } = extras;
  const paths = [
    ...(meant?.includes(propertyPrefix) === true ? ["suggested_field"] : []),
    ...((known?.events.length ?? 0) > 0 ? ["available_properties.events[].event"] : []),
    ...((known?.property_keys.length ?? 0) > 0 ? ["available_properties.property_keys[]"] : []),
  ];
  return paths.length === 0 ? {} : { [untrustedHeader]: paths.join(", ") };
}

/** The section of the documentation about a code. */
const helpOf = (code: ErrorCode): string => `/docs/api/errors#${code.toLowerCase()}`;

interface ErrorAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Our own fault: the client learns nothing but the request id, and the log gets one line that leads to the place. */
function faultOf(thrown: unknown, failure: Failure): ApiError {
  log("error", "request failed", {
    request_id: failure.requestId,
    route: failure.route,
    ...describeFault(thrown),
  });
  return new ApiError(
    "INTERNAL_ERROR",
    "The server failed to answer this request. Its log has the details under the X-Request-Id of this " +
      "response.",
  );
}

const carryRetryAfter: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE"]);

/** Returns `Retry-After`, which every 429 and UNAVAILABLE carry. */
export function retryAfterOf(error: ApiError): Readonly<Record<string, string>> {
  const seconds = retryAfterSeconds(error);
  return seconds === null ? {} : { "retry-after": String(seconds) };
}

function retryAfterSeconds(error: ApiError): number | null {
  const own = error.extras.retry_after_seconds;
  if (error.status === 429) return own ?? minuteMs / secondMs;
  if (carryRetryAfter.has(error.code)) return own ?? unavailableRetrySeconds;
  return null;
}
