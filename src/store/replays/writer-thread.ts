import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ReplayTokens } from "../../domain/replay/tokens";
import { assert } from "../../lib/assert";
import { clock } from "../../lib/clock";
import { isLogCut, overwriteErased } from "../cleaning";
import { answerQuestions, type Line, workerLine } from "../protocol/answering";
import { databaseName, folderName } from "../replay-places";
import type { SentSegment } from "../replay-port";
import { unusedLogBytes } from "../wal";
import { forgetSessions } from "./erasing";
import { ReplayFiles } from "./files";
import type { Answered, WriterOpened, WriterOpening, WriterQuestion } from "./questions";
import { type PreparedSegment, prepare } from "./segment";
import { openForWriting } from "./tables";
import { recordWhole } from "./whole";
import { ReplayWriter } from "./writer";

interface Opened {
  readonly db: Database;
  readonly writer: ReplayWriter;
  readonly tokens: ReplayTokens;
}

/** The thread that alone writes recordings: it also cleans and compresses them, so that no request waits for that. */
export function runReplayWriter(line: Line = workerLine): void {
  let opened: Opened | null = null;
  answerQuestions<WriterQuestion>(line, (question) => {
    if (question.kind === "open") {
      const unused = unusedLogBytes(join(question.dataDir, databaseName));
      opened = open(question);
      return { unusedLogBytes: unused } satisfies WriterOpened;
    }
    assert(opened !== null, "the writer is opened first");
    if (question.kind === "close") return { value: close(opened), changed: [] };
    const value = answer(opened, question);
    return { value, changed: opened.writer.changed() } satisfies Answered<unknown>;
  });
}

function close({ db }: Opened): void {
  // The close does not wait for readers: the last connection to close copies the log.
  db.run("pragma busy_timeout = 0");
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}

function open({ dataDir, durability, clockOffsetMs, secret, limits }: WriterOpening): Opened {
  clock.shift(clockOffsetMs);
  mkdirSync(dataDir, { recursive: true });
  const files = new ReplayFiles(join(dataDir, folderName));
  files.make();
  const db = openForWriting(join(dataDir, databaseName), durability);
  return { db, writer: new ReplayWriter(db, files, limits), tokens: new ReplayTokens(secret) };
}

function answer(
  { db, writer, tokens }: Opened,
  question: Exclude<WriterQuestion, WriterOpening | { readonly kind: "close" }>,
): unknown {
  switch (question.kind) {
    case "tidy":
      return writer.tidy();
    case "start":
      return writer.start(question, question.nowMs);
    case "segments": {
      const { segments, nowMs } = question;
      return writer.commit(
        segments.map((sent) => prepared(sent, tokens, nowMs)),
        nowMs,
      );
    }
    case "record":
      return recordWhole(writer, tokens, question.recordings);
    case "finish":
      return writer.finish(question.id, question.reason);
    case "stop project":
      return writer.stopProject(question.projectId);
    case "remove":
      return writer.remove(question);
    case "forget":
      return writer.forget(question.projectId, question.startedBeforeMs);
    case "due":
      return writer.due(question.nowMs);
    case "sealed":
      return writer.sealed(question);
    case "erase":
      return writer.erase(question.number, question.nowMs);
    case "forget sessions":
      return forgetSessions(db, question.projectId, question.sessionIds, clock.nowMs());
    case "overwrite erased":
      return overwriteErased(db, clock.nowMs());
    case "is log cut":
      db.query("pragma wal_checkpoint(passive)").get();
      return isLogCut(db);
    case "free pages":
      return writer.freePages();
    case "probe":
      return writer.probe();
  }
}

/** What is wrong with one segment must not refuse those that came with it. */
function prepared(sent: SentSegment, tokens: ReplayTokens, nowMs: number): PreparedSegment | Error {
  try {
    return prepare(sent, tokens, nowMs);
  } catch (error) {
    return error instanceof Error ? error : new Error("A segment could not be prepared.");
  }
}
