import { createHmac, hkdfSync } from "node:crypto";

/** What a backup notes of who was erased: keyed digests, which tell nobody an id. */
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
