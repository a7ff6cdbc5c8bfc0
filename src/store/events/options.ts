import type { StoredEvents } from "../port";
import type { MaintenanceRests } from "./compact/maintenance";

export interface EventStoreOptions {
  readonly dataDir: string;
  readonly durability: "full" | "normal";
  /** The limit of the caches of all reader threads together, in bytes. */
  readonly cacheBytes: number;
  /** The offset of this server's clock, as each thread has its own clock. */
  readonly clockOffsetMs: number;
  readonly reopenMsMax?: number | undefined;
  /** Absent: the usual ones. */
  readonly rests?: MaintenanceRests | undefined;
  /** Tells before each commit whether this server still owns the folder. */
  readonly ownsFolder?: (() => boolean) | undefined;
  /** Tells before each round of merges whether the disk has room for them. Absent: it has. */
  readonly mayCompact?: (() => Promise<boolean>) | undefined;
  /** Copies the log of events.db into the file, if a backup follows the log. */
  readonly copyLog?: (() => Promise<void>) | undefined;
  /** Called after events are stored and before their requests are answered. */
  readonly onStored?: (stored: StoredEvents) => void;
  /** Called when a thread cannot be started again. Requests are then refused, and the process should end. */
  onFatal(why: string): void;
}
