import type { ApiError } from "../../domain/errors";
import { log } from "../../lib/log";
import { Thread } from "../protocol/thread";
import type { KeeperQuestion, WriterOpened, WriterQuestion } from "./questions";
import type { ReplayStoreOptions } from "./store";

export interface ThreadStarts {
  writer(): Worker;
  keeper(): Worker;
}

export interface ReplayThreads {
  readonly writer: Thread<WriterQuestion>;
  readonly keeper: Thread<KeeperQuestion>;
  close(): Promise<void>;
}

/** The writer first: it makes the file that the keeper reads. Throws StorageRefused. */
export async function openThreads(
  { dataDir, durability, clockOffsetMs, secret, limits, onFatal }: ReplayStoreOptions,
  starts: ThreadStarts,
): Promise<ReplayThreads> {
  const writer = new Thread<WriterQuestion>({
    name: "replay writer",
    start: starts.writer,
    opening: { kind: "open", dataDir, durability, clockOffsetMs, secret, limits },
    onLost: onFatal,
  });
  try {
    const { unusedLogBytes } = (await writer.opened) as WriterOpened;
    if (unusedLogBytes > 0) {
      const what = "unused bytes after the last whole commit in the log of replays.db";
      log("warn", what, { bytes: unusedLogBytes });
    }
  } catch (error) {
    await writer.stop();
    throw error;
  }
  const keeper = new Thread<KeeperQuestion>({
    name: "replay keeper",
    start: starts.keeper,
    opening: { kind: "open", dataDir, clockOffsetMs },
    onLost: onFatal,
  });
  await keeper.opened;
  return {
    writer,
    keeper,
    close: async () => {
      await keeper.stop();
      await writer.ask({ kind: "close" }).catch(logUnclosed);
      await writer.stop();
    },
  };
}

function logUnclosed(error: ApiError): void {
  log("warn", "replays.db was not closed; its log is read at the next start", { code: error.code });
}
