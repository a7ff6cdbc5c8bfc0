import type { ErrorCode } from "../../domain/errors";

/** Says what to do about something that arrived and was not stored, in the texts of the waiting page. */

export function remedyOfAutomated(category: string): string {
  switch (category) {
    case "automation_script":
      return "Default user agents of HTTP tools count as automated. Send your own: curl -A my-app/1.0 …";
    case "headless_browser":
      return "Remote-controlled browsers count as automated. Open the page in a normal browser.";
    case "generic_bot":
      return "The User-Agent is missing or looks like a bot. If this is your program, send name/version.";
    default:
      return "A bot visited the site. You need not do anything: it counts as bot traffic.";
  }
}

export function remedyOfOrigin(origin: string): string {
  return origin === "null"
    ? "The page has no origin, because it is a local file or a sandboxed frame. Open it from its site."
    : "If this is your site, add it to the project's allowed origins: PATCH /projects/{id} with " +
        "allowed_origins, a comma-separated list of all origins.";
}

export function remedyOfRefusal(code: ErrorCode, field: string | null): string {
  switch (code) {
    case "MISSING_FIELDS":
      return (
        `Send ${field === null ? "every required field" : `a valid "${field}"`}. See POST /track in the API ` +
        "reference."
      );
    case "INVALID_BODY":
      return (
        `The JSON type of ${field === null ? "a field" : `"${field}"`} is wrong. See POST /track in the API ` +
        "reference."
      );
    case "PROPERTIES_TOO_LARGE":
      return "The properties are too large. Send at most 8,192 bytes of JSON.";
    case "INVALID_TIMESTAMP":
      return (
        "Send Unix milliseconds, at most 30 days in the past and 5 minutes in the future, or no timestamp. If " +
        "the sender's clock may be wrong, also send sent_at from the same clock."
      );
    case "RATE_LIMITED":
      return "This project's rate limit or monthly limit is reached. Send later, use batches, or upgrade.";
    case "UNAVAILABLE":
      return "The server could not store the event. Send it again with the same event_id.";
    default:
      return "The error's message says what to change.";
  }
}
