import { afterEach, expect, test } from "bun:test";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { parseJson, readBytes, readText } from "./body";

let restore: (() => void) | null = null;
afterEach(() => restore?.());

const chunk = (text: string) => new TextEncoder().encode(text);

/** A request whose body comes in pieces, each made when it is read; `before` tells when that is. */
function streamed(pieces: readonly string[], before: (index: number) => void = () => undefined) {
  return ofChunks(pieces.map(chunk), before);
}
function ofChunks(
  chunks: readonly Uint8Array[],
  before: (index: number) => void = () => undefined,
) {
  let index = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      before(index);
      const next = chunks[index++];
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  return new Request("http://localhost/track", { method: "POST", body });
}

async function refusalOf(request: Request, bytesMax = 100): Promise<ApiError> {
  try {
    await readText(request, bytesMax);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error("nothing was refused");
}

test("a body is read whole, however it is cut", async () => {
  expect(await readText(streamed(["{}"]), 100)).toBe("{}");
  expect(await readText(streamed([]), 100)).toBe("");
  const bytes = [...chunk("aé😀b")].map((byte) => new Uint8Array([byte]));
  expect(await readText(ofChunks(bytes), 100)).toBe("aé😀b");
});

test("bytes are read whole, also where pieces share memory", async () => {
  const all = new Uint8Array(100_000).map((_, at) => at % 251);
  const pieces = () => {
    const shared = all.slice(40_000);
    return [all.slice(0, 40_000), shared.subarray(0, 20_000), shared.subarray(20_000)];
  };
  expect(new Uint8Array(await readBytes(ofChunks(pieces()), 100_000))).toEqual(all);
  expect((await readBytes(ofChunks([]), 100)).byteLength).toBe(0);
  const refused = readBytes(ofChunks(pieces()), 99_999);
  await expect(refused).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("a body without a declared length is counted in bytes, on both sides of the bound", async () => {
  expect(await readText(streamed(["é".repeat(25), "é".repeat(25)]), 100)).toHaveLength(50);
  const refused = await refusalOf(streamed(["é".repeat(25), "é".repeat(25), "x"]));
  expect([refused.code, refused.extras]).toEqual(["PAYLOAD_TOO_LARGE", { limit_bytes: 100 }]);
});

test("a body that declares too much is refused before any of it is read", async () => {
  let reads = 0;
  const request = streamed(["x"], () => {
    reads += 1;
  });
  request.headers.set("content-length", "101");
  expect((await refusalOf(request)).code).toBe("PAYLOAD_TOO_LARGE");
  expect(reads).toBe(0);
});

test("a body may take 30 s, and is cut off after that", async () => {
  let nowMs = 0;
  restore = clock.replace(() => nowMs);
  const arriving = (lastMs: number) => {
    nowMs = 0;
    return streamed(["a", "b", "c"], (index) => {
      nowMs = [0, 15_000, lastMs, lastMs][index] ?? 0;
    });
  };
  expect(await readText(arriving(30_000), 100)).toBe("abc");
  expect((await refusalOf(arriving(30_001))).message).toContain("30 s");
});

test("a body that breaks off is a refusal, not a fault", async () => {
  const broken = streamed(["a", "b"], (index) => {
    if (index === 1) throw new Error("the client went away");
  });
  expect((await refusalOf(broken)).code).toBe("INVALID_BODY");
});

test("bytes that are no UTF-8 are refused, however the body comes", async () => {
  const bytes = Uint8Array.from([0x22, 0x61, 0xff, 0x22]);
  const declared = new Request("http://localhost/track", {
    method: "POST",
    body: bytes,
    headers: { "content-length": "4" },
  });
  for (const request of [declared, ofChunks([bytes])]) {
    const { code, message } = await refusalOf(request);
    expect([code, message]).toEqual(["INVALID_BODY", "The request body must be UTF-8."]);
  }
});

test("an empty text is no JSON, and no fault", () => {
  expect(parseJson("")).toBeUndefined();
  expect(parseJson("null")).toBeNull();
  for (const text of ["{", " ", "undefined", "{}x", "\u0000", "'a'"]) {
    expect(() => parseJson(text)).toThrow(ApiError);
  }
});
