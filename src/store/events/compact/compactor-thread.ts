import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import type { CompactorQuestion, Merged } from "../protocol/messages";
import { Compactor } from "./compactor";

/**
 * Runs the thread that merges segments and copies the log into the file. Only the writer changes tables. Returns a
 * function that closes the file, for a thread that continues without it.
 */
export function runCompactor(line: Line = workerLine): () => void {
  let compactor: Compactor | null = null;
  answerQuestions<CompactorQuestion>(
    line,
    (question) => {
      if (question.kind === "open") {
        clock.shift(question.clockOffsetMs);
        compactor = new Compactor(question.file);
        return null;
      }
      assert(compactor !== null, "the compactor is opened first");
      switch (question.kind) {
        case "merge":
          return question.mayMerge ? compactor.merge() : compactor.paused();
        case "erase":
          return compactor.erase();
        case "inspect":
          return compactor.inspect();
        case "checkpoint":
          return compactor.checkpoint();
      }
    },
    { buffersOf },
  );
  return () => compactor?.close();
}

/**
 * Returns the buffers of compressed bytes that a message can transfer. A view of a larger buffer is not among them and
 * is copied, as other code may use the rest of the buffer.
 */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const merges = (value as Pick<Merged, "merges"> | null)?.merges ?? [];
  return merges
    .flatMap(({ outputs }) => outputs.flatMap(({ columns }) => columns))
    .flatMap(({ dictionary, codes }) => [dictionary, codes])
    .filter((blob) => blob !== null)
    .filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
    .map(({ buffer }) => buffer as ArrayBuffer);
}
