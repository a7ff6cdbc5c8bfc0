import { bodyBytesMax } from "../../../domain/limits";
import { type Refusal, refusal } from "../../refusal";

/** Parameters by their names; the first of equal ones counts. */
export type Parameters = ReadonlyMap<string, string>;

/** Reads a query string or a form. A `%` that is no percent-encoding of UTF-8 is refused: it stands for no one text. */
export function readParameters(text: string): Parameters | Refusal {
  if (text.length > bodyBytesMax) return tooLong;
  if (text.includes("%") && !isDecodable(text)) return notDecodable;
  const parameters = new Map<string, string>();
  if (text === "") return parameters;
  for (const [name, value] of new URLSearchParams(text)) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const tooLong = refusal(
  "PAYLOAD_TOO_LARGE",
  `A query string may have at most ${bodyBytesMax} bytes. Send it as a body, in parts.`,
);
const notDecodable = refusal(
  "INVALID_BODY",
  "The query string or form is not valid percent-encoding of UTF-8.",
);
