import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** A file that comes out of the executable, compressed and tagged once, when it is first asked for. */
export class StaticFile {
  #made: { readonly plain: Uint8Array; readonly gzip: Uint8Array; readonly tag: string } | null =
    null;

  constructor(
    readonly load: () => Promise<string | Uint8Array>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  async respond(request: Request): Promise<Response> {
    const { plain, gzip, tag } = await this.#file();
    const takesGzip = /(^|,)\s*gzip\s*(,|$|;\s*q=(?!0(\.0*)?\s*(,|$)))/.test(
      request.headers.get("accept-encoding") ?? "",
    );
    // The two encodings are different bytes, so their tags differ too.
    const etag = takesGzip ? `"${tag}-gzip"` : `"${tag}"`;
    const headers = { ...this.headers, etag, vary: "accept-encoding" };
    const known = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
    if (known.includes("*") || known.some((one) => one.replace(/^W\//, "") === etag)) {
      return new Response(null, { status: 304, headers });
    }
    if (!takesGzip) return new Response(plain, { headers });
    return new Response(gzip, { headers: { ...headers, "content-encoding": "gzip" } });
  }

  async #file() {
    if (this.#made === null) {
      const plain = Buffer.from(await this.load());
      const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 27);
      this.#made = { plain, gzip: gzipSync(plain, { level: 9 }), tag };
    }
    return this.#made;
  }
}
