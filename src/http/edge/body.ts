import { ApiError } from "../../domain/errors";
import { clock, secondMs } from "../../lib/clock";
import { free } from "../../lib/free";

/** A request whose head or body is not complete by then is closed. */
const requestReadMsMax = 30 * secondMs;

/**
 * Bodies up to here are left to Bun, whose idle timeout closes what comes slower than 16 KiB/s (serve.ts): they cannot
 * take longer than a request may.
 */
const smallBodyBytesMax = 256 * 1024;

/**
 * The step "body size", and the reading itself. A body that declares too many bytes is refused unread; one that
 * declares none is counted as it arrives.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const bytes = declaredBytes(request, bytesMax) ?? Number.POSITIVE_INFINITY;
  try {
    if (bytes <= smallBodyBytesMax) return wholeText.decode(await request.bytes());
    return await readCounted(request.body, bytesMax);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Reads a body that is handed on as it is. The buffer is the caller's alone. */
export async function readBytes(request: Request, bytesMax: number): Promise<ArrayBuffer> {
  const bytes = declaredBytes(request, bytesMax) ?? Number.POSITIVE_INFINITY;
  try {
    if (bytes <= smallBodyBytesMax) return await request.arrayBuffer();
    return await readWhole(request.body, bytesMax);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isNotUtf8(error)) return new ApiError("INVALID_BODY", "The request body must be UTF-8.");
  // The client went away or was too slow; whatever is answered, nobody reads it.
  return new ApiError(
    "INVALID_BODY",
    "The connection closed before the request body was complete. Send the request again.",
  );
}

/** Refuses a body that is declared too large, where none is looked at. */
export function unread(request: Request, bytesMax: number): "" {
  declaredBytes(request, bytesMax);
  return "";
}

function declaredBytes({ headers }: Request, bytesMax: number): number | null {
  const declared = headers.get("content-length");
  if (declared === null) return null;
  const bytes = Number(declared);
  if (bytes > bytesMax) throw tooLarge(bytesMax);
  return bytes;
}

/** The step "JSON shape", first half: undefined stands for an empty body. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (text === "") return undefined;
  try {
    return parse(text);
  } catch {
    throw new ApiError("INVALID_BODY", "The request body is not valid JSON.");
  }
}

/** A body that was not complete in time: the connection is closed with the answer. */
export class TooSlow extends ApiError {
  constructor() {
    super(
      "INVALID_BODY",
      `The request body did not arrive within ${requestReadMsMax / 1000} s. Send it again.`,
    );
  }
}

async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for await (const chunk of counted(body, bytesMax))
    text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The chunks and the whole are in memory at the same time, and nothing else. */
async function readWhole(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of counted(body, bytesMax)) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
    free(chunk);
  }
  return whole.buffer;
}

async function* counted(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): AsyncIterable<Uint8Array> {
  if (body === null) return;
  const startedMs = clock.nowMs();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    if (clock.nowMs() - startedMs > requestReadMsMax) throw new TooSlow();
    yield chunk;
  }
}

/** Bytes that are no UTF-8 are refused: replaced by a sign, two different ids could become one. */
const wholeText = new TextDecoder("utf-8", { fatal: true });
const isNotUtf8 = (error: unknown): boolean =>
  error instanceof TypeError &&
  "code" in error &&
  error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The request body is too large: send at most ${bytesMax} bytes.`,
    {
      limit_bytes: bytesMax,
    },
  );
