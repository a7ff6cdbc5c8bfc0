import { ApiError } from "../domain/errors";

/**
 * The step "body size", and the reading itself. A body that declares too many bytes is refused unread; one that
 * declares none is counted as it arrives.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
  try {
    return await (declared === null ? readCounted(request.body, bytesMax) : request.text());
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

async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError("PAYLOAD_TOO_LARGE", `The body may have at most ${bytesMax} bytes.`, {
    limit_bytes: bytesMax,
  });
