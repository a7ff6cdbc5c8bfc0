import { assert } from "../../lib/assert";
import { clock } from "../../lib/clock";
import type { DatabaseFile } from "../installation";
import { answerQuestions, type Line, workerLine } from "../protocol/answering";
import { BackupWorker, type IsWholeRecording } from "./backup-worker";
import type { BackupQuestion } from "./messages";

/** The thread that makes backups. */
export function runBackups(
  databases: readonly DatabaseFile[],
  isWholeRecording: IsWholeRecording,
  line: Line = workerLine,
): void {
  let worker: BackupWorker | null = null;
  answerQuestions<BackupQuestion>(line, (question) => {
    if (question.kind === "open") {
      clock.shift(question.clockOffsetMs);
      worker = new BackupWorker(question, databases, isWholeRecording);
      return null;
    }
    assert(worker !== null, "the worker is opened first");
    switch (question.kind) {
      case "copy log":
        worker.copyLog(question.file);
        return null;
      case "note erasure":
        return worker.noteErasure(question.erasure);
      case "status":
        return worker.status;
      case "run":
        worker.runNow();
        return null;
      case "close":
        return worker.close();
    }
  });
}
