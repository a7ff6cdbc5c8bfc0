import { createHash } from "node:crypto";
import { type Coding, codingFor, compressFile } from "./content-coding";
import { fileBody } from "./large-answer";

type Fields = Readonly<Record<string, string>>;

/** A file that comes out of the executable, tagged and in each coding compressed once, when it is first asked for. */
export class StaticFile {
  #made: Made | null = null;
  readonly #codings = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(
    readonly load: () => Promise<string | Uint8Array>,
    readonly headers: Fields | ((plain: Uint8Array) => Fields),
  ) {}

  async respond(request: Request): Promise<Response> {
    const { plain, tag, fields } = await this.#file();
    const coding = codingFor(request);
    // The codings are different bytes, so their tags differ too.
    const etag = coding === null ? `"${tag}"` : `"${tag}-${coding}"`;
    const headers = { ...fields, etag, vary: "accept-encoding" };
    const known = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
    if (known.includes("*") || known.some((one) => one.replace(/^W\//, "") === etag)) {
      return new Response(null, { status: 304, headers });
    }
    const body = (file: Uint8Array<ArrayBuffer>) =>
      request.method === "HEAD" ? file : fileBody(file);
    if (coding === null) return new Response(body(plain), { headers });
    return new Response(body(await this.#compressed(coding, plain)), {
      headers: { ...headers, "content-encoding": coding },
    });
  }

  async #file() {
    if (this.#made === null) {
      const plain = Buffer.from(await this.load());
      const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 27);
      const fields = typeof this.headers === "function" ? this.headers(plain) : this.headers;
      this.#made = { plain, tag, fields };
    }
    return this.#made;
  }

  /** The first who asks for a coding has it made, and those who come meanwhile wait for the same. */
  #compressed(coding: Coding, plain: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.#codings.get(coding);
    if (known !== undefined) return known;
    const made = compressFile(coding, plain);
    this.#codings.set(coding, made);
    return made;
  }
}

interface Made {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly tag: string;
  readonly fields: Fields;
}

/** Serves a script that sites embed: every cache may keep it, and a header names its checksum. */
export const embeddedScript = (load: () => Promise<string>): StaticFile =>
  new StaticFile(load, (plain) => ({
    "content-type": scriptType,
    "cache-control": "public, max-age=3600, s-maxage=604800",
    "x-agent-analytics-tracker-checksum-algorithm": "sha256",
    "x-agent-analytics-tracker-sha256": createHash("sha256").update(plain).digest("hex"),
  }));

export const scriptType = "application/javascript";
