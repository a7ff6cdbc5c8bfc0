import type { ErrorCode } from "../../domain/errors";

/** Says what to do about something that arrived and was not stored, in the texts of the waiting page. */

export function remedyOfAutomated(category: string): string {
  switch (category) {
    case "automation_script":
      return "Default agents of HTTP tools count as automated. Send one of your own: curl -A my-app/1.0 …";
    case "headless_browser":
      return "Browsers under remote control count as automated. Open the page in an ordinary one.";
    case "generic_bot":
      return "The User-Agent is missing or sounds like a bot's. A program of your own should send name/version.";
    default:
      return "A machine visited the site. Nothing to do: it is counted under bot traffic.";
  }
}

export function remedyOfOrigin(origin: string): string {
  return origin === "null"
    ? "The page has no origin of its own (a local file or a sandboxed frame). Open it from its site."
    : "If this is your site, add it to the project's allowed origins: PATCH /projects/{id} with allowed_origins, " +
        "all of them in one text with commas.";
}

export function remedyOfRefusal(code: ErrorCode, field: string | null): string {
  switch (code) {
    case "MISSING_FIELDS":
      return `Send ${field === null ? "every required field" : `"${field}"`} as the reference of POST /track says.`;
    case "INVALID_BODY":
      return `The JSON type of ${field === null ? "a field" : `"${field}"`} is wrong. Compare it with POST /track.`;
    case "PROPERTIES_TOO_LARGE":
      return "Send less in properties: at most 8,192 bytes as JSON.";
    case "INVALID_TIMESTAMP":
      return (
        "Send milliseconds, at most 30 days old and 5 minutes ahead, or no timestamp. If the sender's clock may be " +
        "wrong, add sent_at by the same clock."
      );
    case "RATE_LIMITED":
      return "The limit for this project's token or month is reached. Send later, send batches, or raise it.";
    case "UNAVAILABLE":
      return "The server could not store it for a moment. Send it again, with the same event_id.";
    default:
      return "The error's message says what to change.";
  }
}
