import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdOneState, letGo } from "./one-state";

let folder: string;
let writer: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "one-state-"));
  writer = new Database(join(folder, "events.db"), { create: true });
  writer.run("pragma journal_mode = wal");
  writer.run("create table event (number integer)");
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const commit = (): void => void writer.run("insert into event values (1)");
const countIn = (db: Database): unknown => db.query("select count(*) from event").values()[0][0];

/** Somebody else commits right before its transaction begins, as often as it is told to. */
class Overtaken extends Database {
  commitsLeft = 0;
  override run(...asked: Parameters<Database["run"]>): ReturnType<Database["run"]> {
    if (asked[0] === "begin" && this.commitsLeft > 0) {
      this.commitsLeft--;
      commit();
    }
    return super.run(...asked);
  }
}
const open = (commitsLeft: number): Overtaken => {
  const db = new Overtaken(writer.filename, { readonly: true });
  db.commitsLeft = commitsLeft;
  return db;
};

test.each([
  [0, 0, 0],
  [0, 3, 3],
  [3, 0, 3],
  [2, 5, 5],
])(
  "two connections see one state, whoever commits meanwhile (%d, %d)",
  (beforeFirst, beforeSecond, retries) => {
    const first = open(beforeFirst);
    const second = open(beforeSecond);
    let checks = 0;
    for (const written of [beforeFirst + beforeSecond, beforeFirst + beforeSecond + 1]) {
      holdOneState(first, second, () => checks++);
      expect([countIn(first), countIn(second)]).toEqual([written, written]);
      commit();
      expect([countIn(first), countIn(second)]).toEqual([written, written]);
      letGo(first, second);
    }
    expect(checks).toBe(retries);
    first.close();
    second.close();
  },
);

test("a copied log that starts over changes nothing", () => {
  const first = open(0);
  const second = open(0);
  commit();
  for (let round = 1; round < 4; round++) {
    holdOneState(first, second, () => undefined);
    expect([countIn(first), countIn(second)]).toEqual([round, round]);
    letGo(first, second);
    writer.run("pragma wal_checkpoint(truncate)");
    commit();
  }
  first.close();
  second.close();
});

test("it can be given up while others commit without a pause", () => {
  const first = open(0);
  const second = open(Number.POSITIVE_INFINITY);
  let tries = 0;
  const giveUp = (): void => {
    if (++tries === 5) throw new Error("cancelled");
  };
  expect(() => holdOneState(first, second, giveUp)).toThrow("cancelled");
  expect([first.inTransaction, second.inTransaction]).toEqual([false, false]);
  first.close();
  second.close();
});
