import { bodyBytesMax } from "../../../domain/limits";
import { type Refusal, refusal } from "../../refusal";

/** Reads a query string or a form. A `%` that is no percent-encoding of UTF-8 is refused: it stands for no one text. */
export function readParameters(text: string): URLSearchParams | Refusal {
  if (text.length > bodyBytesMax) return tooLong;
  if (text.includes("%") && !isDecodable(text)) return notDecodable;
  return new URLSearchParams(text);
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
