import type { Database } from "bun:sqlite";
import { assert } from "../../../lib/assert";
import { clock } from "../../../lib/clock";
import type { CountedDate, DatedRows, ImportWork, StoredImport } from "../../imports";
import { answerQuestions, type Line, workerLine } from "../../protocol/answering";
import { openForReading } from "../tables";
import { isStoredIn } from "./basis";
import { checkFile, type ImportTools, isStillTrue } from "./check";
import { type Checked, checkedPath, readChecked } from "./checked-note";
import { type CommitAnswer, type CommitStep, commitFile } from "./commit";
import { DayTable } from "./day-table";
import { type DayStep, daysWithout } from "./days-without";

export type ImporterOpening = {
  readonly kind: "open";
  readonly file: string;
  readonly clockOffsetMs: number;
} & (
  | { readonly what: "check" | "commit"; readonly work: ImportWork }
  | { readonly what: "count without"; readonly date: CountedDate }
);
export type ImporterQuestion =
  | ImporterOpening
  /** Asks for the next step, with the answer to the last one. */
  | { readonly kind: "next"; readonly answer: CommitAnswer }
  | { readonly kind: "close" };

export type ImporterStep =
  | CommitStep
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "days"; readonly dated: DatedRows }
  | { readonly kind: "done"; readonly stored: StoredImport }
  | DayStep;

/** The time between two reports of progress. */
const progressEveryMs = 100;
/** The part of a commit's progress that a repeated check takes. */
const checkShare = 0.5;

type Steps = AsyncGenerator<ImporterStep, void, CommitAnswer>;

/** Runs the thread of a check or commit. Returns a function that closes the file, for a thread that continues. */
export function runImporter(tools: ImportTools, line: Line = workerLine): () => void {
  let opened: { readonly db: Database; readonly steps: Steps } | null = null;
  const close = async (): Promise<void> => {
    const { db, steps } = opened ?? {};
    opened = null;
    await steps?.return();
    db?.close();
  };
  answerQuestions<ImporterQuestion>(line, async (question) => {
    if (question.kind === "open") {
      clock.shift(question.clockOffsetMs);
      const db = openForReading(question.file);
      opened = { db, steps: stepsOf(db, question, tools) };
      return null;
    }
    if (question.kind === "close") return close();
    assert(opened !== null, "an import is opened first");
    const { done = false, value } = await opened.steps.next(question.answer);
    return done ? null : value;
  });
  return () => void close();
}

function stepsOf(db: Database, opening: ImporterOpening, tools: ImportTools): Steps {
  switch (opening.what) {
    case "check":
      return checkSteps(db, opening.work, tools);
    case "commit":
      return commitSteps(db, opening.work, tools);
    case "count without":
      return daysWithout(opening.file, opening.date, tools.countDay);
  }
}

async function* checkSteps(db: Database, work: ImportWork, tools: ImportTools): Steps {
  yield { kind: "done", stored: resultOf(yield* checked(db, work, tools, 1)) };
}

async function* commitSteps(db: Database, work: ImportWork, tools: ImportTools): Steps {
  const before = readChecked(work.folder);
  const isUsable =
    before !== null && (isStoredIn(db, work.importId) || isStillTrue(db, work, before));
  const found = isUsable ? before : yield* checked(db, work, tools, checkShare);
  const { content, events } = found;
  const firstShare = isUsable ? 0 : checkShare;
  const days = DayTable.open(work.folder);
  try {
    for (const dated of days?.pieces() ?? []) yield { kind: "days", dated };
  } finally {
    days?.close();
  }
  const steps = commitFile(checkedPath(work.folder), { content, events });
  let answer: CommitAnswer = null;
  let committed = 0;
  for (;;) {
    const { done, value } = steps.next(answer);
    if (done === true) break;
    answer = yield value;
    if (value.kind !== "stage") continue;
    for (const { info } of value.piece.segments) committed += info.eventCount;
    const share = firstShare + (1 - firstShare) * (committed / Math.max(1, events));
    yield { kind: "progress", share };
  }
  yield { kind: "done", stored: resultOf(found) };
}

const resultOf = ({ report, context, firstEventMs }: Checked): StoredImport => ({
  report,
  context,
  firstEventMs,
});

async function* checked(
  db: Database,
  work: ImportWork,
  tools: ImportTools,
  whole: number,
): AsyncGenerator<ImporterStep, Checked, CommitAnswer> {
  const steps = checkFile(db, work, tools);
  let toldAtMs = performance.now();
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done === true) return value;
      const nowMs = performance.now();
      if (nowMs - toldAtMs < progressEveryMs) continue;
      toldAtMs = nowMs;
      yield { kind: "progress", share: whole * value };
    }
  } finally {
    await steps.return(undefined as never);
  }
}
