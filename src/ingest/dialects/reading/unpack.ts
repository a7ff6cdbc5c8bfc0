import { constants, gunzipSync } from "node:zlib";
import { bodyBytesMax } from "../../../domain/limits";
import { isRefusal, type Refusal, refusal } from "../../refusal";

/** Returns the text of a body; a body that is gzip is unpacked, whatever its headers say. */
export function unpackBody(body: ArrayBuffer, contentEncoding: string | null): string | Refusal {
  return unpackBytes(new Uint8Array(body), contentEncoding?.trim().toLowerCase() === "gzip");
}

export function unpackBytes(bytes: Uint8Array, saysGzip = false): string | Refusal {
  if (bytes.length === 0 || !(saysGzip || isGzip(bytes))) return textOfUtf8(bytes);
  const unpacked = gunzip(bytes);
  return isRefusal(unpacked) ? unpacked : textOfUtf8(unpacked);
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function gunzip(bytes: Uint8Array): Uint8Array | Refusal {
  try {
    return gunzipSync(bytes, { maxOutputLength: bodyBytesMax, finishFlush: constants.Z_FINISH });
  } catch (error) {
    const isTooLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? bodyIsTooLarge : bodyIsNoGzip;
  }
}

/** Bytes that are no UTF-8 are refused: replaced by a sign, two different ids could become one. */
function textOfUtf8(bytes: Uint8Array): string | Refusal {
  try {
    return utf8.decode(bytes);
  } catch {
    return bodyIsNoUtf8;
  }
}
const utf8 = new TextDecoder("utf-8", { fatal: true });

const bodyIsTooLarge = refusal(
  "PAYLOAD_TOO_LARGE",
  `The body may have at most ${bodyBytesMax} bytes, also after it is unpacked. Send fewer items at once.`,
);
const bodyIsNoGzip = refusal("INVALID_BODY", "The body is damaged gzip. Send it again, whole.");
const bodyIsNoUtf8 = refusal("INVALID_BODY", "The body must be UTF-8.");
