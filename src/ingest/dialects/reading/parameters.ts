import { bodyBytesMax } from "../../../domain/limits";
import { type Refusal, refusal } from "../../refusal";

/** Parameters by their names; the first of equal ones counts. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Reads a query string or a form as URLSearchParams does, in a third of its time. A `%` that is no percent-encoding of
 * UTF-8 is refused: it stands for no one text.
 */
export function readParameters(text: string): Parameters | Refusal {
  if (text.length > bodyBytesMax) return tooLong;
  const parameters = new Map<string, string>();
  const pairs = text.startsWith("?") ? text.slice(1) : text;
  try {
    for (const pair of pairs.toWellFormed().split("&")) {
      if (pair === "") continue;
      const end = pair.indexOf("=");
      const name = decoded(end < 0 ? pair : pair.slice(0, end));
      const value = end < 0 ? "" : decoded(pair.slice(end + 1));
      if (!parameters.has(name)) parameters.set(name, value);
    }
  } catch {
    return notDecodable;
  }
  return parameters;
}

/** Throws where a `%` is no percent-encoding of UTF-8. */
function decoded(part: string): string {
  const spaced = part.includes("+") ? part.replaceAll("+", " ") : part;
  return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
}

const tooLong = refusal(
  "PAYLOAD_TOO_LARGE",
  `A query string may have at most ${bodyBytesMax} bytes. Send it as a body, in parts.`,
);
const notDecodable = refusal(
  "INVALID_BODY",
  "The query string or form is not valid percent-encoding of UTF-8.",
);
