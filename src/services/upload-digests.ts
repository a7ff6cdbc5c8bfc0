import { createHash, type Hash } from "node:crypto";
import type { ImportFiles } from "../store/import-files";

interface Digest {
  readonly hash: Hash;
  /** The bytes that were hashed. */
  bytes: number;
}

/** The uploads whose digests are made as their parts come; of others the file is read again. */
const digestsMax = 64;

/** The SHA-256 of uploads. */
export class UploadDigests {
  readonly #digests = new Map<string, Digest>();

  constructor(private readonly files: ImportFiles) {}

  /** Takes a part that was written. */
  add(id: string, offset: number, bytes: Uint8Array): void {
    const digest = this.#digests.get(id) ?? (offset === 0 ? this.#begin(id) : undefined);
    if (digest?.bytes !== offset) return;
    digest.hash.update(bytes);
    digest.bytes += bytes.length;
  }

  /** Returns the digest of the whole file, in hexadecimal digits. */
  async of(id: string, size: number): Promise<string> {
    const known = this.#digests.get(id);
    this.#digests.delete(id);
    const { hash, bytes } = known ?? { hash: createHash("sha256"), bytes: 0 };
    for await (const piece of this.files.read(id, bytes, size)) hash.update(piece);
    return hash.digest("hex");
  }

  forget(id: string): void {
    this.#digests.delete(id);
  }

  #begin(id: string): Digest {
    const [oldest] = this.#digests.keys();
    if (this.#digests.size >= digestsMax && oldest !== undefined) this.#digests.delete(oldest);
    const digest = { hash: createHash("sha256"), bytes: 0 };
    this.#digests.set(id, digest);
    return digest;
  }
}
