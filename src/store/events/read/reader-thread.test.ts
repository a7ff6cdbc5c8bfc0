import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openTestStore } from "../../../../test/support/engine/event-store";
import { migratedFolder } from "../../../../test/support/engine/migrated";
import { deafRead } from "../../../../test/support/engine/timed-reads";
import { removeFolder } from "../../../../test/support/server/server";
import { eventually } from "../../../../test/support/suite/eventually";
import { replaceLogWriter } from "../../../lib/log";
import type { Line } from "../../protocol/answering";
import type { ReaderOpening, ReaderQuestion } from "../protocol/messages";
import { openForWriting } from "../tables";
import { runReader } from "./reader-thread";

const megabyte = 1024 * 1024;
/** A warm-up begins 0.1 s after it may. */
const longerThanItsDelayMs = 300;
const folder = migratedFolder("sightline-reader-", ["events.db"]);
const file = join(folder, "events.db");
const lines: Record<string, unknown>[] = [];
let restore: () => void;
const closing: (() => void)[] = [];

/** Enough is stored for a warm-up, which fails at its first statement and is logged: so it is seen whether it began. */
beforeAll(() => {
  openForWriting(file, "normal").close();
  fill(file);
  const db = new Database(file, { strict: true });
  db.run("drop view current_segment");
  db.close();
  restore = replaceLogWriter((line) => void lines.push(JSON.parse(line)));
});
afterAll(() => {
  for (const close of closing) close();
  restore();
  removeFolder(folder);
});

function fill(path: string): void {
  const db = new Database(path, { strict: true });
  db.query("insert into setting (name, value) values ('filler', ?)").run("x".repeat(8 * megabyte));
  db.close();
}

const begun = (): number =>
  lines.filter(({ message }) => String(message).startsWith("a reader was not warmed up")).length;

const openingOf = (takes: ReaderOpening["takes"]): ReaderOpening => ({
  ...{ kind: "open", takes, file, cacheBytes: megabyte, clockOffsetMs: 0 },
  ...{ cancelled: new SharedArrayBuffer(4), reading: new SharedArrayBuffer(4) },
});

/** A reader's thread that runs within the test's, and has been opened. */
async function opened(takes: ReaderOpening["takes"]) {
  let answer: (reply: unknown) => void = () => undefined;
  const line: Line = { onmessage: null, postMessage: (reply) => answer(reply) };
  closing.push(runReader(new Map([[deafRead.name, deafRead]]), line));
  const asked = (question: ReaderQuestion): Promise<unknown> =>
    new Promise((resolve) => {
      answer = resolve;
      line.onmessage?.({ data: question });
    });
  expect(await asked(openingOf(takes))).toEqual({ value: null });
  return asked;
}

describe("a thread with much to read", () => {
  test("does not compile what nobody asks", async () => {
    const before = begun();
    await opened("small");
    await opened("all");
    await Bun.sleep(longerThanItsDelayMs);
    expect(begun()).toBe(before);
  });

  test("compiles it once, when it is asked for the first time", async () => {
    const before = begun();
    const asked = await opened("all");
    const input = { label: "here", ms: 1 };
    const facts = { projectIds: [] };
    const question = { name: deafRead.name, input, ownHosts: [], narrowedBy: [], facts };
    const read = (number: number) => asked({ kind: "read", number, ...question });
    expect(await read(1)).toMatchObject({ value: { json: '"here"' } });
    await eventually(() => expect(begun()).toBe(before + 1));
    await read(2);
    await Bun.sleep(longerThanItsDelayMs);
    expect(begun()).toBe(before + 1);
  });

  test("or when another reader is", async () => {
    const before = begun();
    const asked = await opened("small");
    expect(await asked({ kind: "warm up" })).toEqual({ value: null });
    await eventually(() => expect(begun()).toBe(before + 1));
  });
});

describe("a start", () => {
  /** The number of readers a moment later. */
  const startedBy = async (isFilled: boolean): Promise<number> => {
    const dataDir = migratedFolder("sightline-reader-", ["events.db"]);
    if (isFilled) fill(join(dataDir, "events.db"));
    const store = await openTestStore({ dataDir, workers: ["reader"] });
    await Bun.sleep(longerThanItsDelayMs);
    const { length } = store.workers.reader;
    await store.close();
    return length;
  };

  test("starts both readers where much is stored", async () => {
    expect(await startedBy(true)).toBe(2);
  });
  test("starts one where little is", async () => {
    expect(await startedBy(false)).toBe(1);
  });
});
