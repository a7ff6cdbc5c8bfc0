import { hkdfSync } from "node:crypto";

/** Keyed digests of erased ids, which a backup stores in their place: nobody can read an id from them. */
export interface KnownErasure {
  readonly id: string;
  /** Unix ms; copies of before have what was erased. */
  readonly atMs: number;
  readonly projects: readonly {
    readonly projectId: string;
    readonly ids: readonly string[];
    readonly sessions: readonly string[];
  }[];
  /** The ids that the erasure blocks, by project; absent where it blocks none. */
  readonly blocked?: readonly { readonly projectId: string; readonly ids: readonly string[] }[];
}

/** Digests a text of a project. */
export type ErasedDigest = (projectId: string, text: string) => string;

const keyBytes = 32;

/** The key of the installation for digests of erased ids. */
export const erasedKeyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", "erased ids", keyBytes));

export const digestWith =
  (key: Uint8Array): ErasedDigest =>
  (projectId, text) =>
    new Bun.CryptoHasher("sha256", key).update(JSON.stringify([projectId, text])).digest("hex");

/** Digests texts of a project with a key of the installation. */
export const erasedDigests = (secret: string): ErasedDigest => digestWith(erasedKeyOf(secret));
