import { join } from "node:path";
import { assert } from "../../lib/assert";
import { clock } from "../../lib/clock";
import { answerQuestions, type Line, workerLine } from "../protocol/answering";
import { databaseName, folderName } from "../replay-places";
import { ReplayFiles } from "./files";
import { ReplayKeeper } from "./keeper";
import type { KeeperOpening, KeeperQuestion } from "./questions";
import { openForReading } from "./tables";

/**
 * The thread that reads recordings and moves closed ones into their files: work that takes long and commits nothing.
 * Returns a function that closes the file, for a thread that continues without it.
 */
export function runReplayKeeper(line: Line = workerLine): () => void {
  let keeper: ReplayKeeper | null = null;
  answerQuestions<KeeperQuestion>(line, (question) => {
    if (question.kind === "open") {
      keeper = open(question);
      return null;
    }
    assert(keeper !== null, "the keeper is opened first");
    return answer(keeper, question);
  });
  return () => keeper?.close();
}

function open({ dataDir, clockOffsetMs }: KeeperOpening): ReplayKeeper {
  clock.shift(clockOffsetMs);
  const files = new ReplayFiles(join(dataDir, folderName));
  return new ReplayKeeper(openForReading(join(dataDir, databaseName)), files);
}

function answer(keeper: ReplayKeeper, question: Exclude<KeeperQuestion, KeeperOpening>): unknown {
  switch (question.kind) {
    case "find":
      return keeper.find(question.id);
    case "find number":
      return keeper.findNumber(question.number);
    case "list":
      return keeper.list(question.question);
    case "sessions":
      return keeper.ofSessions(question.projectId, question.sessionIds);
    case "usage":
      return keeper.usage(question.accountId, question.projectId, question.month);
    case "projects":
      return keeper.projects();
    case "segments":
      return keeper.segments(question.id, question.after);
    case "timeline":
      return keeper.timeline(question.id);
    case "seal":
      return keeper.seal(question.number);
    case "unlink":
      return keeper.unlink(question.number);
  }
}
