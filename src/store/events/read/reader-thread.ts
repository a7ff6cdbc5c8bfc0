import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import type { Read } from "../../port";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import type { ReadAnswer, ReaderOpening, ReaderQuestion } from "../protocol/messages";
import { openSnapshots, type Snapshots } from "./snapshot";
import { isWorthWarming, warmUp } from "./warm-up";

/**
 * A thread that answers reads, one at a time. It knows them by name, as functions do not cross threads. Returns what
 * lets go of the file, for a thread that goes on without it.
 */
export function runReader(
  reads: ReadonlyMap<string, Read<never, unknown>>,
  line: Line = workerLine,
): () => void {
  let snapshots: Snapshots | null = null;
  let current = 0;
  const answer = async (question: ReaderQuestion): Promise<ReadAnswer | null> => {
    if (question.kind === "open") {
      const cancelled = new Int32Array(question.cancelled);
      snapshots = open(question, () => Atomics.load(cancelled, 0) === current);
      if (isWorthWarming(question.file)) void warmUp(question.file, question.takes);
      return null;
    }
    assert(snapshots !== null, "a reader is opened first");
    const read = reads.get(question.name);
    assert(read !== undefined, `there is a read named ${question.name}`);
    current = question.number;
    const startedAtMs = performance.now();
    const { input, ownHosts, told } = question;
    const answered = await snapshots.answer(read as Read<unknown, unknown>, input, {
      ownHosts,
      told,
    });
    return { ...answered, storeMs: performance.now() - startedAtMs };
  };
  answerQuestions(line, answer, { afterwards: () => snapshots?.collectGarbage() });
  return () => snapshots?.close();
}

function open(opening: ReaderOpening, isCancelled: () => boolean): Snapshots {
  clock.shift(opening.clockOffsetMs);
  return openSnapshots(opening.file, opening.cacheBytes, isCancelled);
}
