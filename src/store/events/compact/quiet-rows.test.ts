import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { numbers } from "../../../../test/support/engine/event-store";
import { event } from "../../../../test/support/engine/examples";
import { packGroup } from "../../shared/append/wire";
import { openForWriting } from "../tables";
import { usualTuning } from "../tuning";
import { Writer } from "../writer/writer";
import { Compactor } from "./compactor";

let folder: string;
let file: string;
let db: Database;
let writer: Writer;
let compactor: Compactor;
let nowMs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-quiet-"));
  file = join(folder, "events.db");
  db = openForWriting(file, "normal");
  writer = new Writer(db);
  nowMs = 1_000_000;
  compactor = new Compactor(file, () => nowMs);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const { columnEventsMin, rowsQuietMs } = usualTuning;

const commit = (project: string, from: number, count: number): void => {
  writer.commit(packGroup([[numbers(from, count, project)]]));
};
/** The encodings that a round leaves, by project. */
function round(): Record<string, string[]> {
  const { merges, backlog } = compactor.merge();
  expect(writer.replace(merges)).toBe(merges.length);
  expect(backlog.events).toBe(0);
  const rows = db.query(segments).all() as { name: string; encoding: string }[];
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, of]) => [
      name,
      of.map(({ encoding }) => encoding),
    ]),
  );
}
const segments = `
  select p.name, s.encoding from current_segment s join project p on p.id = s.project_id order by p.name, s.id`;

describe("rows that no more come to", () => {
  test("become columns when they are enough", () => {
    commit("enough", 0, columnEventsMin - 100);
    commit("enough", columnEventsMin - 100, 100);
    commit("few", 0, columnEventsMin - 1);
    const before = { enough: ["rows", "rows"], few: ["rows"] };
    expect(round()).toEqual(before);
    nowMs += rowsQuietMs - 1;
    expect(round()).toEqual(before);
    nowMs += 1;
    expect(round()).toEqual({ enough: ["columns"], few: ["rows"] });
  });

  test("wait while more come", () => {
    for (let second = 0, from = 0; second < 4; second++, from += 200) {
      commit("a", from, 200);
      expect(round().a).not.toContain("columns");
      nowMs += rowsQuietMs - 1;
    }
    // A segment is known to be old enough when it was there at the look before.
    expect(round().a).not.toContain("columns");
    nowMs += rowsQuietMs;
    expect(round()).toEqual({ a: ["columns"] });
  });

  test("are counted month by month", () => {
    const inMonth = (month: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...event({ timeMs: Date.UTC(2025, month, 1 + (index % 28)) }),
        eventId: null,
      }));
    const events = [
      ...inMonth(1, columnEventsMin),
      ...inMonth(2, columnEventsMin - 1),
      ...inMonth(3, columnEventsMin),
    ];
    const receivedAtMs = Date.UTC(2026, 0);
    writer.commit(packGroup([[{ kind: "events", projectId: "a", receivedAtMs, events }]]));
    expect(round()).toEqual({ a: ["rows", "rows", "rows"] });
    nowMs += rowsQuietMs;
    expect(round()).toEqual({ a: ["rows", "rows", "columns"] });
    for (let again = 0; again < 3; again++) {
      expect(round()).toEqual({ a: ["rows", "columns", "columns"] });
      nowMs += rowsQuietMs;
    }
  });

  test("are looked for again until a merge is in place", () => {
    commit("a", 0, columnEventsMin);
    round();
    nowMs += rowsQuietMs;
    const { merges, isMoreToCome } = compactor.merge(); // and the writer fails
    expect([merges.length, isMoreToCome]).toEqual([1, true]);
    expect(round()).toEqual({ a: ["columns"] });
    expect(compactor.merge()).toMatchObject({ merges: [], isMoreToCome: false });
  });

  test("are merged one project at a time when a round has no time", () => {
    const hurried = new Compactor(file, () => {
      nowMs += rowsQuietMs;
      return nowMs;
    });
    for (const project of ["a", "b", "c"]) commit(project, 0, columnEventsMin);
    hurried.merge();
    const merged = [1, 2, 3, 4].map(() => {
      const { merges, isMoreToCome } = hurried.merge();
      writer.replace(merges);
      return [merges.length, isMoreToCome];
    });
    expect(merged).toEqual([
      [1, true],
      [1, true],
      [1, true],
      [0, false],
    ]);
  });
});
