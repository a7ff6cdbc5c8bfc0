/*
 * Recordings have threads of their own.
 * Decision: one thread inflates, cleans, compresses and commits; another reads, tells timelines and seals. Both start
 * with the first recording.
 * Because: cleaning takes milliseconds a segment, and no event may wait for it; a server that records nothing has
 * neither.
 * Cost: two threads, some 30 MB, once anything was recorded.
 * Revisit: when one core no longer cleans what comes.
 */

import type { ApiError } from "../../domain/errors";
import { log } from "../../lib/log";
import { Thread, type ThreadWorker } from "../protocol/thread";
import type { ReplayStoreOptions } from "./options";
import type {
  Answered,
  KeeperQuestion,
  RecordingChange,
  WriterOpened,
  WriterQuestion,
} from "./questions";

export interface ThreadStarts {
  writer(): ThreadWorker;
  keeper(): ThreadWorker;
}

type ThreadPort<Question> = Pick<Thread<Question>, "ask">;

export interface ReplayThreads {
  readonly writer: ThreadPort<WriterQuestion>;
  readonly keeper: ThreadPort<KeeperQuestion>;
  /** Writes something. Its failures are not told to `failed`. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The writer first: it makes the file that the keeper reads. Throws StorageRefused, or StorageFailed. `failed` hears of
 * every question that led to an error, `changed` of what was changed by one that led to none.
 */
export async function openThreads(
  { dataDir, durability, clockOffsetMs, secret, limits, onFatal }: ReplayStoreOptions,
  starts: ThreadStarts,
  failed: (error: unknown) => void,
  changed: (changes: readonly RecordingChange[]) => void,
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
  try {
    await keeper.opened;
  } catch (error) {
    await Promise.all([keeper.stop(), writer.stop()]);
    throw error;
  }
  const told: ThreadPort<WriterQuestion> = {
    ask: async <Value>(question: WriterQuestion, buffers: ArrayBuffer[] = []) => {
      const answer = await writer.ask<Answered<Value>>(question, buffers);
      changed(answer.changed);
      return answer.value;
    },
  };
  return {
    writer: observed(told, failed),
    keeper: observed(keeper, failed),
    probe: () => told.ask({ kind: "probe" }),
    close: async () => {
      await keeper.stop();
      await told.ask({ kind: "close" }).catch(logUnclosed);
      await writer.stop();
    },
  };
}

const observed = <Question>(
  thread: ThreadPort<Question>,
  failed: (error: unknown) => void,
): ThreadPort<Question> => ({
  ask: async <Value>(question: Question, buffers: ArrayBuffer[] = []) => {
    try {
      return await thread.ask<Value>(question, buffers);
    } catch (error) {
      failed(error);
      throw error;
    }
  },
});

function logUnclosed(error: ApiError): void {
  log("warn", "replays.db was not closed; the next start reads its log", { code: error.code });
}
