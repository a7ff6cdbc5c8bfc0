import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { numbers } from "../../../../test/support/engine/event-store";
import { event } from "../../../../test/support/engine/examples";
import { rowsWaitingMax } from "../../../domain/limits";
import { packGroup } from "../../shared/append/wire";
import type { Merged } from "../protocol/messages";
import { openForReading, openForWriting } from "../tables";
import { usualTuning } from "../tuning";
import { Writer } from "../writer/writer";
import { Compactor } from "./compactor";
import { OverlapNotes } from "./overlap-notes";

let folder: string;
let file: string;
let db: Database;
let writer: Writer;
let compactor: Compactor;
/** The time that passes for the compactor: as long as a test does not move it, a round never ends for lack of it. */
let nowMs: number;
const passing = (): number => nowMs;
beforeEach(() => {
  nowMs = 0;
  folder = mkdtempSync(join(tmpdir(), "sightline-compactor-"));
  file = join(folder, "events.db");
  db = openForWriting(file, "normal");
  writer = new Writer(db);
  compactor = new Compactor(file, passing);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const commit = (project: string, from: number, count: number): void => {
  writer.commit(packGroup([[numbers(from, count, project)]]));
};
const projectsOf = ({ merges }: Merged): string[] =>
  merges.map(({ outputs }) => nameOf(outputs[0].info.projectId));
const nameOf = (id: number): string =>
  (db.query("select name from project where id = ?").get(id) as { name: string }).name;
const idOf = (name: string): number =>
  (db.query("select id from project where name = ?").get(name) as { id: number }).id;

/** Merges as maintenance does, until there is nothing to merge. */
function mergeAll(): Merged {
  for (;;) {
    const merged = compactor.merge();
    if (merged.merges.length === 0) return merged;
    expect(writer.replace(merged.merges)).toBe(merged.merges.length);
  }
}

describe("a round of merges", () => {
  test("leaves few rows alone", () => {
    commit("a", 0, usualTuning.waitingRowsMax - 1);
    expect(compactor.merge()).toMatchObject({ merges: [], backlog: { events: 0 }, faults: [] });
  });

  test("takes the projects with the longest queues first, and the one with the most at its end", () => {
    commit("most", 0, 9_000);
    commit("third", 0, 2_500);
    commit("second", 0, 3_000);
    const merged = compactor.merge();
    expect(projectsOf(merged)).toEqual(["second", "third", "most"]);
    expect(merged.backlog.events).toBe(14_500);
    expect(writer.replace(merged.merges)).toBe(3);
    expect(mergeAll().backlog.events).toBe(0);
  });

  test("ends with the project that has the most, however little time there is", () => {
    commit("most", 0, 9_000);
    commit("third", 0, 2_500);
    commit("second", 0, 3_000);
    // Each look at the clock is later than a round may last.
    const hurried = new Compactor(file, () => {
      nowMs += 1_000;
      return nowMs;
    });
    expect(projectsOf(hurried.merge())).toEqual(["most"]);
  });

  test("plans a project again when its merge is in place, until few segments are left", () => {
    for (let round = 0; round < 2 * usualTuning.mergeFanIn; round++)
      commit("a", round * 3_000, 3_000);
    mergeAll();
    const segments = db.query("select count(*) as count from current_segment").get();
    expect((segments as { count: number }).count).toBeLessThan(usualTuning.mergeFanIn);
  });

  test("lets rows gather after some were merged: for a moment, or until they are many", () => {
    // The compactor sees the test's changes at its next round.
    const tuning = { ...usualTuning };
    compactor = new Compactor(file, passing, tuning);
    commit("a", 0, 3_000);
    writer.replace(compactor.merge().merges);
    commit("a", 3_000, 3_000);
    commit("b", 0, 3_000);
    const merged = compactor.merge();
    expect(projectsOf(merged)).toEqual(["b"]);
    expect(merged.isMoreToCome).toBe(true);
    expect(merged.backlog.events).toBe(6_000);
    Object.assign(tuning, { rowsGatheredBytesMax: 1 });
    expect(projectsOf(compactor.merge())).toContain("a");
    Object.assign(tuning, { ...usualTuning, rowsRestMs: 0 });
    expect(compactor.merge().isMoreToCome).toBe(false);
  });

  test("whose project was purged meanwhile changes nothing", () => {
    commit("a", 0, 3_000);
    const { merges } = compactor.merge();
    writer.purge("a");
    expect(writer.replace(merges)).toBe(0);
    expect(mergeAll().merges).toEqual([]);
  });

  test("sets a project aside whose segments do not decode, and goes on with the others", () => {
    commit("damaged", 0, 5_000);
    commit("whole", 0, 3_000);
    db.run(
      "update segment_column set dictionary = x'00' where segment_id = (select id from segment where project_id = ?)",
      [idOf("damaged")],
    );
    const merged = compactor.merge();
    expect(projectsOf(merged)).toEqual(["whole"]);
    expect(merged.faults).toMatchObject([
      { work: "merging", project: idOf("damaged"), fault: "DamagedBlob" },
    ]);
    writer.replace(merged.merges);
    expect(mergeAll().faults).toEqual([]);
  });
});

describe("what segments share", () => {
  const storedOverlaps = () =>
    db
      .query("select related from current_segment where project_id = 1 order by id")
      .values()
      .flat();
  const few = usualTuning.overlapSegmentsMin - 1;
  /** Segments of a session each, which will not be merged, in all but one of the months. */
  const commitMonths = (project: string, from: number, count: number): void => {
    for (let month = from; month < from + count; month++) {
      const events = [
        { ...event({ sessionId: "s", timeMs: Date.UTC(2024, month) }), eventId: null },
      ];
      const receivedAtMs = Date.UTC(2026, 0);
      writer.commit(packGroup([[{ kind: "events", projectId: project, receivedAtMs, events }]]));
    }
  };

  test("is found out of projects with many of them, as soon as nothing is merged", () => {
    commitMonths("a", 0, few);
    expect(compactor.merge()).toMatchObject({ overlaps: [], isMoreToCome: false });
    commitMonths("a", few, 1);
    const { overlaps } = new Compactor(file, passing).merge();
    expect(overlaps).toHaveLength(few + 1);
    writer.noteOverlaps(overlaps);
    expect(storedOverlaps()).toEqual(db.query(olderIds).values().flat());
    expect(new Compactor(file, passing).merge().overlaps).toEqual([]);
  });

  test("waits for merges, and for rows that are about to be merged", () => {
    commitMonths("a", 0, few + 1);
    commit("a", 0, 3_000);
    const first = compactor.merge();
    expect(first.merges).toHaveLength(1);
    expect(first.overlaps).toEqual([]);
    writer.replace(first.merges);
    commit("a", 3_000, 3_000);
    // Rows of the project are left to gather.
    expect(compactor.merge()).toMatchObject({ merges: [], overlaps: [], isMoreToCome: true });
    const overlapNotes = new OverlapNotes(openForReading(file));
    // When it has waited for too long, it leaves out rows that will be merged soon.
    const owedIds = new Set([idOf("a")]);
    expect(overlapNotes.find({ ...atRest, owedIds }).overlaps).toHaveLength(1);
  });

  test("is left alone in a project that is damaged, and merging goes on", () => {
    commitMonths("a", 0, few + 1);
    db.run("update segment_column set dictionary = x'00' where segment_id = 3");
    let nowMs = 0;
    const overlapNotes = new OverlapNotes(openForReading(file), () => nowMs);
    const fault = { project: idOf("a"), fault: "DamagedBlob" };
    const faults = [{ ...fault, work: "looking for shared sessions" }];
    expect(overlapNotes.find(atRest)).toMatchObject({ overlaps: [], faults });
    nowMs = 1e6;
    commitMonths("a", few + 1, 1);
    expect(overlapNotes.find(atRest)).toMatchObject({ overlaps: [], faults: [] });
    expect(compactor.merge()).toMatchObject({ overlaps: [], faults });
    commit("b", 0, 3_000);
    expect(projectsOf(compactor.merge())).toEqual(["b"]);
  });

  test("is looked for again until it was kept, after a rest", () => {
    commitMonths("a", 0, few + 1);
    let nowMs = 0;
    const overlapNotes = new OverlapNotes(openForReading(file), () => nowMs);
    expect(overlapNotes.find(atRest).overlaps).toHaveLength(few + 1);
    nowMs = 249;
    expect(overlapNotes.find(atRest)).toMatchObject({ overlaps: [], isMoreToNote: true });
    nowMs = 250;
    const { overlaps } = overlapNotes.find(atRest);
    expect(overlaps).toHaveLength(few + 1);
    writer.noteOverlaps(overlaps);
    nowMs = 500;
    expect(overlapNotes.find(atRest)).toMatchObject({ overlaps: [], isMoreToNote: false });
    nowMs = 250 + 59_999;
    overlapNotes.find(atRest);
    expect(overlapNotes.cachedBytes).toBeGreaterThan(0);
    nowMs = 250 + 60_000 + 250;
    overlapNotes.find(atRest);
    expect(overlapNotes.cachedBytes).toBe(0);
  });

  test("waits a minute for merges to end, and no longer", () => {
    commitMonths("a", 0, few + 1);
    let nowMs = 0;
    const overlapNotes = new OverlapNotes(openForReading(file), () => nowMs);
    nowMs = 59_999;
    expect(overlapNotes.find({ ...atRest, isBusy: true }).overlaps).toEqual([]);
    nowMs = 60_000;
    expect(overlapNotes.find({ ...atRest, isBusy: true }).overlaps).toHaveLength(few + 1);
  });

  test("is found newest first, of one segment at least in a round, and of no project twice", () => {
    commitMonths("a", 0, few + 1);
    commitMonths("b", 0, few + 1);
    let nowMs = 0;
    const overlapNotes = new OverlapNotes(openForReading(file), () => nowMs);
    const late = { ...atRest, isInTime: () => false };
    const { overlaps } = overlapNotes.find(late);
    expect(overlaps.map(({ id }) => id)).toEqual([few + 1]);
    writer.noteOverlaps(overlaps);
    nowMs = 1e6;
    expect(overlapNotes.find(late).overlaps.map(({ id }) => id)).toEqual([few]);
  });

  test("counts what was replaced a moment ago as older, and finds its overlaps no more", () => {
    commitMonths("a", 0, few + 2);
    db.run("update segment set retired_at = 1 where id = 2");
    const { overlaps } = new OverlapNotes(openForReading(file)).find(atRest);
    expect(overlaps.map(({ id }) => id)).not.toContain(2);
    expect(overlaps.find(({ id }) => id === 3)?.overlap).toBe("[[1,2]]");
  });
});

const atRest = { isBusy: false, owedIds: new Set<number>(), isInTime: () => true };

/** Selects for each segment of the first project the segments before it. */
const olderIds = `
  select iif(id = first_id, '[]', json_array(json_array(first_id, older_id))) from (
    select id, min(id) over () as first_id, lag(id) over (order by id) as older_id
    from current_segment where project_id = 1)
  order by id`;

describe("the backlog", () => {
  test("names the projects with more than their share when too much waits", () => {
    for (const project of ["flood", "busy", "small"]) commit(project, 0, 2_048);
    const pretend = db.query("update segment set event_count = ?2 where project_id = ?1");
    pretend.run(idOf("flood"), rowsWaitingMax - 20_000 - 2_048 - 1);
    pretend.run(idOf("busy"), 20_000);
    expect(backlog()).toEqual({
      events: rowsWaitingMax - 1,
      heavyProjectIds: [],
    });
    pretend.run(idOf("flood"), rowsWaitingMax - 20_000 - 2_048);
    expect(backlog()).toEqual({ events: rowsWaitingMax, heavyProjectIds: ["flood", "busy"] });
  });

  /** Rows that say they are more than they are cannot be merged: only what waits is asked here. */
  const backlog = () => compactor.merge().backlog;
});

describe("the log", () => {
  test("is copied into the file but for what a read still needs", () => {
    commit("a", 0, 1_000);
    const { log } = compactor.merge();
    expect(log.logBytes).toBeGreaterThan(0);
    expect(log.uncopiedBytes).toBe(log.logBytes);
    expect(compactor.checkpoint()).toEqual({ logBytes: log.logBytes, uncopiedBytes: 0 });
    commit("a", 1_000, 1_000);
    const again = compactor.merge().log;
    // It started over, as all of it had been copied.
    expect(again.logBytes).toBeLessThanOrEqual(log.logBytes);
    expect(again.uncopiedBytes).toBe(again.logBytes);
  });
});
