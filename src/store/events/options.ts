import type { StoredEvents } from "../port";
import type { MaintenanceRests } from "./compact/maintenance";

export interface EventStoreOptions {
  readonly dataDir: string;
  readonly durability: "full" | "normal";
  /** The bytes of decoded columns, of all reader threads together. */
  readonly cacheBytes: number;
  /** Threads have clocks of their own. */
  readonly clockOffsetMs: number;
  readonly reopenMsMax?: number | undefined;
  /** The usual ones where they are absent. */
  readonly rests?: MaintenanceRests | undefined;
  /** Tells before each commit whether the folder is still this server's alone. */
  readonly ownsFolder?: (() => boolean) | undefined;
  /** Tells before each round of merges whether the disk has room for them; it has where this is absent. */
  readonly mayCompact?: (() => Promise<boolean>) | undefined;
  /** Copies the log of events.db into the file, where a backup follows it. */
  readonly copyLog?: (() => Promise<void>) | undefined;
  /** Told of what is stored, before whoever sent it is answered. */
  readonly onStored?: (stored: StoredEvents) => void;
  /** A thread cannot be brought back: requests are refused, and the process should end. */
  onFatal(why: string): void;
}
