import { gunzipSync } from "node:zlib";
import { ApiError } from "../../domain/errors";
import { callJsonBytesMax } from "../../domain/replay/limits";
import { parseJson } from "../../http/edge/body";
import { queryOf } from "../../http/edge/url";
import { checkFields, type InputSchema, isObject, shapeBody } from "../../http/operation/input";

/** What every call of a recorder may say beside its body, as a beacon has no headers of its own. */
export interface CallQuery {
  readonly isGzip: boolean;
  readonly uploadToken: string | null;
}

export function callQueryOf(request: Request): CallQuery {
  const query = queryOf(request);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase();
  return {
    isGzip: encoding === "gzip" || query.get("enc") === "gzip",
    uploadToken: query.get("t"),
  };
}

/** The body of a short call, with its known fields. What it says beside them is ignored. */
export function callFieldsOf<T>(takes: InputSchema<T>, bytes: ArrayBuffer, isGzip: boolean): T {
  const json = parseJson(textOf(isGzip ? inflated(bytes) : bytes));
  if (!isObject(json))
    throw new ApiError("INVALID_BODY", "The request body must be a JSON object.");
  const known = Object.entries(json).filter(([name]) =>
    Object.hasOwn(takes.properties ?? {}, name),
  );
  return checkFields(takes, shapeBody(takes, Object.fromEntries(known)));
}

function inflated(bytes: ArrayBuffer): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: callJsonBytesMax });
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw new ApiError("INVALID_BODY", "The request body is not valid gzip.");
    }
    const message = `The request body is too large: it may have at most ${callJsonBytesMax} bytes when uncompressed.`;
    throw new ApiError("PAYLOAD_TOO_LARGE", message, { limit_bytes: callJsonBytesMax });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError)
      throw new ApiError("INVALID_BODY", "The request body must be UTF-8.");
    throw error;
  }
}
