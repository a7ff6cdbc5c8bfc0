import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { StaticFile } from "./static-file";

const text = "const answer = 42;\n".repeat(50);
let loads = 0;
const file = new StaticFile(
  async () => {
    loads += 1;
    return text;
  },
  { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" },
);
const get = (headers: Record<string, string> = {}) =>
  file.respond(new Request("http://localhost/file.js", { headers }));

test("a file is sent as it is to those who take no coding of ours", async () => {
  for (const accepted of [
    undefined,
    "deflate",
    "gzip;q=0",
    "gzip; q=0.0, identity",
    "x-gzip-like",
  ]) {
    const response = await get(accepted === undefined ? {} : { "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(await response.text()).toBe(text);
  }
});

test("a file is compressed for those who can", async () => {
  for (const [accepted, coding, decompress] of [
    ["gzip", "gzip", gunzipSync],
    ["gzip;q=1.0, br;q=0.5", "gzip", gunzipSync],
    ["deflate, gzip, br", "br", brotliDecompressSync],
    ["gzip, br, zstd", "zstd", zstdDecompressSync],
  ] as const) {
    const response = await get({ "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(decompress(await response.bytes()).toString()).toBe(text);
  }
});

test("a client that has the file gets 304 without a body", async () => {
  const plain = (await get()).headers.get("etag") ?? "";
  const gzip = (await get({ "accept-encoding": "gzip" })).headers.get("etag") ?? "";
  expect(plain).toMatch(/^"[\w-]+"$/);
  expect(gzip).not.toBe(plain);
  for (const known of [plain, `W/${plain}`, `"other", ${plain}`, "*"]) {
    const response = await get({ "if-none-match": known });
    expect([response.status, await response.text()]).toEqual([304, ""]);
    expect(response.headers.get("etag")).toBe(plain);
  }
  expect((await get({ "if-none-match": gzip })).status).toBe(200);
  expect((await get({ "if-none-match": gzip, "accept-encoding": "br" })).status).toBe(200);
  expect((await get({ "if-none-match": gzip, "accept-encoding": "gzip" })).status).toBe(304);
});

test("a file is loaded once", () => expect(loads).toBe(1));
