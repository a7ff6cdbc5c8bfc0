import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { fileBody } from "./large-answer";

type Fields = Readonly<Record<string, string>>;

/** A file that comes out of the executable, compressed and tagged once, when it is first asked for. */
export class StaticFile {
  #made: Made | null = null;

  constructor(
    readonly load: () => Promise<string | Uint8Array>,
    readonly headers: Fields | ((plain: Uint8Array) => Fields),
  ) {}

  async respond(request: Request): Promise<Response> {
    const { plain, gzip, tag, fields } = await this.#file();
    const takesGzip = /(^|,)\s*gzip\s*(,|$|;\s*q=(?!0(\.0*)?\s*(,|$)))/.test(
      request.headers.get("accept-encoding") ?? "",
    );
    // The two encodings are different bytes, so their tags differ too.
    const etag = takesGzip ? `"${tag}-gzip"` : `"${tag}"`;
    const headers = { ...fields, etag, vary: "accept-encoding" };
    const known = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
    if (known.includes("*") || known.some((one) => one.replace(/^W\//, "") === etag)) {
      return new Response(null, { status: 304, headers });
    }
    const body = (file: Uint8Array) => (request.method === "HEAD" ? file : fileBody(file));
    if (!takesGzip) return new Response(body(plain), { headers });
    return new Response(body(gzip), { headers: { ...headers, "content-encoding": "gzip" } });
  }

  async #file() {
    if (this.#made === null) {
      const plain = Buffer.from(await this.load());
      const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 27);
      const fields = typeof this.headers === "function" ? this.headers(plain) : this.headers;
      this.#made = { plain, gzip: gzipSync(plain, { level: 9 }), tag, fields };
    }
    return this.#made;
  }
}

interface Made {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
  readonly tag: string;
  readonly fields: Fields;
}

/** Of a script that sites embed: everybody may keep it, and it names its own checksum. */
export const embeddedScript = (load: () => Promise<string>): StaticFile =>
  new StaticFile(load, (plain) => ({
    "content-type": scriptType,
    "cache-control": "public, max-age=3600, s-maxage=604800",
    "x-agent-analytics-tracker-checksum-algorithm": "sha256",
    "x-agent-analytics-tracker-sha256": createHash("sha256").update(plain).digest("hex"),
  }));

export const scriptType = "application/javascript";
