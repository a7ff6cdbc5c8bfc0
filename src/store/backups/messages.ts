import type { BackupConfig } from "../../config-backups";
import type { KnownErasure } from "../../domain/erased-digest";

/** The questions of the main thread to the thread of backups, which answers at once and works on by itself. */
export type BackupQuestion =
  | BackupOpening
  | { readonly kind: "copy log"; readonly file: string }
  | { readonly kind: "note erasure"; readonly erasure: KnownErasure }
  | { readonly kind: "status" | "run" | "close" };

export interface BackupOpening {
  readonly kind: "open";
  readonly dataDir: string;
  readonly config: BackupConfig;
  readonly version: string;
  readonly clockOffsetMs: number;
}

/** Times are Unix ms. */
export interface BackupStatus {
  readonly line: string;
  /** When everything that was stored by then was in the target for the last time. */
  readonly lastOkMs: number | null;
  readonly lastError: string | null;
  readonly failures: number;
  /** The bytes that this line has stored. */
  readonly bytes: number;
  readonly oldestMs: number | null;
  /** The newest ones, newest first. */
  readonly points: readonly StatusPoint[];
}
export interface StatusPoint {
  readonly atMs: number;
  readonly isFull: boolean;
  /** Null where an earlier line made it. */
  readonly bytes: number | null;
}
