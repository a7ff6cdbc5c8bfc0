import { createHmac, hkdfSync } from "node:crypto";

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
}

const keyBytes = 32;

/** Digests texts of a project with a key of the installation. */
export function erasedDigests(secret: string): (projectId: string, text: string) => string {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "erased ids", keyBytes));
  return (projectId, text) =>
    createHmac("sha256", key)
      .update(JSON.stringify([projectId, text]))
      .digest("hex");
}
