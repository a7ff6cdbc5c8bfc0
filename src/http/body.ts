import { ApiError } from "../domain/errors";
import { requestReadMsMax } from "../domain/limits";
import { clock } from "../lib/clock";

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
  const declared = request.headers.get("content-length");
  const bytes = declared === null ? Number.POSITIVE_INFINITY : Number(declared);
  if (declared !== null && bytes > bytesMax) throw tooLarge(bytesMax);
  try {
    return await (bytes <= smallBodyBytesMax
      ? request.text()
      : readCounted(request.body, bytesMax));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The client went away or was too slow; whatever is answered, nobody reads it.
    throw new ApiError("INVALID_BODY", "The body ended before it was complete.");
  }
}

/** The step "JSON shape", first half: undefined stands for an empty body. */
export function parseJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("INVALID_BODY", "The body is not valid JSON.");
  }
}

/** A body that was not complete in time: the connection is closed with the answer. */
export class TooSlow extends ApiError {
  constructor() {
    super("INVALID_BODY", `The body was not complete after ${requestReadMsMax / 1000} s.`);
  }
}

async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string> {
  if (body === null) return "";
  const startedMs = clock.nowMs();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    if (clock.nowMs() - startedMs > requestReadMsMax) throw new TooSlow();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError("PAYLOAD_TOO_LARGE", `The body may have at most ${bytesMax} bytes.`, {
    limit_bytes: bytesMax,
  });
