import { isObject } from "./properties";
import { type Refusal, refusal } from "./refusal";
import type { SubmittedBody } from "./submission";

/** The step "token": the one token of a request, before anybody looks whom it belongs to. */
export function tokenOf(body: SubmittedBody): string | Refusal {
  if (body.kind === "identity") return body.identity.token || missing;
  let common: string | null = null;
  for (let index = 0; index < body.events.length; index++) {
    const token = body.events[index]?.token ?? body.token;
    if (!token) return body.isBatch ? { ...missing, index } : missing;
    common ??= token;
    if (token !== common) return { ...mixed, index };
  }
  return common ?? missing;
}

/** Refuses a token that no live project has. The refusal names the first item if that brought the token itself. */
export function unknownToken(body: SubmittedBody): Refusal {
  const isOfItem =
    body.kind === "events" && body.isBatch && typeof body.events[0]?.token === "string";
  return isOfItem ? { ...unknown, index: 0 } : unknown;
}

/** Guesses whose request an unusable body was, which serves to tell the project's owner and nothing else. */
export function likelyToken(json: unknown): string | null {
  if (!isObject(json)) return null;
  if (typeof json.token === "string") return json.token;
  const first: unknown = Array.isArray(json.events) ? json.events[0] : null;
  return isObject(first) && typeof first.token === "string" ? first.token : null;
}

const missing = refusal("INVALID_TOKEN", '"token" is required: send the project\'s token (aat_…).');
const unknown = refusal(
  "INVALID_TOKEN",
  "No project has this token. Copy the token from the project's settings.",
);
const mixed = refusal(
  "MIXED_TOKENS",
  "All events of a batch must have the same token. Send one batch for each project.",
);
