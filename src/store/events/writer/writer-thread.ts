import type { Database } from "bun:sqlite";
import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import { isLogCut, overwriteErased } from "../../cleaning";
import type { StoredTime } from "../../port";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import type { Committed } from "../../shared/append/committed";
import { unusedLogBytes } from "../../wal";
import type { WriterOpened, WriterOpening, WriterQuestion } from "../protocol/messages";
import { openForWriting } from "../tables";
import { storedTime } from "./stored-time";
import { sweepRetired } from "./sweep";
import { Writer } from "./writer";

/** Runs the only thread that writes to the events file. */
export function runWriter(line: Line = workerLine): void {
  let opened: { readonly db: Database; readonly writer: Writer } | null = null;
  answerQuestions<WriterQuestion>(line, (question) => {
    if (typeof question !== "string" && question.kind === "open") {
      const unused = unusedLogBytes(question.file);
      opened = open(question);
      return { unusedLogBytes: unused, time: storedTime(opened.db) } satisfies WriterOpened;
    }
    assert(opened !== null, "the writer is opened first");
    return answer(opened.db, opened.writer, question);
  });
}

function open({ file, durability, clockOffsetMs }: WriterOpening) {
  clock.shift(clockOffsetMs);
  const db = openForWriting(file, durability);
  return { db, writer: new Writer(db) };
}

function answer(
  db: Database,
  writer: Writer,
  question: Exclude<WriterQuestion, WriterOpening>,
): unknown {
  if (typeof question === "string") {
    return writer.commit(question) satisfies Committed;
  }
  switch (question.kind) {
    case "replace":
      return writer.replace(question.merges);
    case "note overlaps":
      return writer.noteOverlaps(question.overlaps);
    case "note inspection":
      return writer.noteInspection(question.note);
    case "forget":
      return writer.forget(question.projectId, question.retainedFromMs);
    case "show again":
      return writer.showAgain(question.aheadOfMs, question.retainedFromMs) satisfies StoredTime;
    case "purge":
      return writer.purge(question.projectId);
    case "replace project":
      return writer.replaceProject(question.projectId, question.stagingId);
    case "end membership":
      return writer.endMembership(question.projectId, question.membership);
    case "unlink":
      return writer.unlink(question.projectId, question.previousId, question.membership);
    case "import":
      return writer.changeImport(question.change);
    case "erase":
      return writer.erase(question.projectId, question.userIds);
    case "note erased":
      return writer.noteErased(question.note);
    case "overwrite erased": {
      const nowMs = clock.nowMs();
      return overwriteErased(db, nowMs, (untilMs) => sweepRetired(db, untilMs, nowMs));
    }
    case "is log cut":
      return isLogCut(db);
    case "sweep":
      return writer.sweep();
    case "checkpoint":
      return writer.checkpoint();
    case "probe":
      return writer.probe();
    case "close":
      // No other thread uses the file, so the log can be emptied, and the next start need not read it. The close does
      // not wait for readers: the follower of a backup closes after this, and copies the log.
      db.run("pragma busy_timeout = 0");
      db.run("pragma wal_checkpoint(truncate)");
      return db.close();
  }
}
