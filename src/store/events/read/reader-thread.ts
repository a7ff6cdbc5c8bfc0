import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import type { Read } from "../../port";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import type { ReadAnswer, ReaderOpening, ReaderQuestion, ReadQuestion } from "../protocol/messages";
import { tuningWithCache } from "../tuning";
import { openSnapshots, type Snapshots } from "./snapshot";
import { isWorthWarming, warmUp } from "./warm-up";

/**
 * A thread that answers reads, one at a time. It finds reads by name, because a message to a thread cannot have
 * functions. Returns a function that closes the file, for a thread that continues without it.
 */
export function runReader(
  reads: ReadonlyMap<string, Read<never, unknown>>,
  line: Line = workerLine,
): () => void {
  let snapshots: Snapshots | null = null;
  /** Compiles the thread's functions beside its reads; null once that has begun. */
  let warmUpOnce: (() => void) | null = null;
  let current = 0;
  const answer = async (question: ReaderQuestion): Promise<unknown> => {
    if (question.kind === "open") {
      const cancelled = new Int32Array(question.cancelled);
      snapshots = open(question, () => Atomics.load(cancelled, 0) === current);
      warmUpOnce = () => beginWarmUp(question);
      return null;
    }
    warmUpOnce?.();
    warmUpOnce = null;
    if (question.kind === "warm up") return null;
    assert(snapshots !== null, "a reader is opened first");
    current = question.number;
    return answerRead(snapshots, reads, question);
  };
  const afterwards = (): void => snapshots?.collectGarbage();
  answerQuestions(line, answer, { afterwards });
  return () => snapshots?.close();
}

/** Starts the warm-up with the first read, as a server may never receive one. */
function beginWarmUp({ file, takes, reading }: ReaderOpening): void {
  const running = new Int32Array(reading);
  if (isWorthWarming(file)) void warmUp(file, takes, () => Atomics.load(running, 0) > 0);
}

async function answerRead(
  snapshots: Snapshots,
  reads: ReadonlyMap<string, Read<never, unknown>>,
  { name, input, ownHosts, narrowedBy, facts }: ReadQuestion,
): Promise<ReadAnswer> {
  const read = reads.get(name);
  assert(read !== undefined, `there is a read named ${name}`);
  const startedAtMs = performance.now();
  const answer = await snapshots.answer(read as Read<unknown, unknown>, input, {
    ownHosts,
    narrowedBy,
    facts,
  });
  return { ...answer, storeMs: performance.now() - startedAtMs };
}

function open(
  { file, cacheBytes, clockOffsetMs }: ReaderOpening,
  isCancelled: () => boolean,
): Snapshots {
  clock.shift(clockOffsetMs);
  return openSnapshots(file, cacheBytes, isCancelled, tuningWithCache(cacheBytes));
}
