import { type Config, ConfigError } from "../config";
import { log } from "../lib/log";
import { standBy } from "../store/clickhouse/standby";
import { FolderInUse, type FolderLock, lockFolder } from "../store/lock";

const lookEveryMs = 1_000;

/**
 * Waits until nobody writes to ClickHouse, and nobody uses the data folder where it is the same; null when `signal`
 * ended the wait. Nothing is opened, and no port is listened on, before.
 */
export async function lockAsStandby(
  { clickHouse, dataDir }: Config,
  signal: AbortSignal,
): Promise<FolderLock | null> {
  if (clickHouse === null) {
    throw new ConfigError("--standby only works with ClickHouse. Set CLICKHOUSE_URL.");
  }
  process.stdout.write(
    `Standing by. This server starts when no other server writes to the database "${clickHouse.database}".\n`,
  );
  while (!signal.aborted) {
    await standBy(clickHouse, signal);
    if (signal.aborted) break;
    const lock = lockUnlessInUse(dataDir);
    if (lock !== null) {
      log("info", "the standby server takes over", { database: clickHouse.database });
      return lock;
    }
    await Bun.sleep(lookEveryMs);
  }
  return null;
}

/** A process that holds the lock of the folder is alive, even if it cannot reach ClickHouse. */
function lockUnlessInUse(dataDir: string): FolderLock | null {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (error instanceof FolderInUse) return null;
    throw error;
  }
}
