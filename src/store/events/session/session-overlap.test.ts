import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { Engine, usualSizes } from "../../../../test/support/engine/engine";
import { event, noonMs, store } from "../../../../test/support/engine/examples";
import { randomFrom } from "../../../../test/support/random/random";
import { ByteBoundedCache } from "../../../lib/cache";
import type { Run } from "../segment/column";
import type { Segment } from "../segment/segment";
import { SegmentReader } from "../segment/segment-reader";
import { openForReading } from "../tables";
import { usualTuning } from "../tuning";
import { mayShareWith, overlapOf } from "./session-overlap";

let engine: Engine;
const usualRunsMax = usualTuning.overlapRunsMax;
afterEach(() => engine.close());

/** Each commit of these sessions is a segment of rows. */
function segmentsOf(
  commits: readonly (readonly (string | null)[])[],
  overlapRunsMax = usualRunsMax,
): Segment[] {
  engine = new Engine({ ...usualSizes, overlapRunsMax });
  for (const sessions of commits) {
    store(
      engine,
      sessions.map((sessionId, index) => event({ timeMs: noonMs + index, sessionId })),
    );
  }
  return opened();
}
function opened(): Segment[] {
  const db = openForReading(engine.file);
  const reader = new SegmentReader(db, new ByteBoundedCache(1 << 20));
  const ids = db.query("select id from segment order by id").values() as [number][];
  return ids.map(([id]) => reader.open(id));
}
const runsOf = (segment: Segment, older: readonly Segment[], runsMax?: number): Run[] =>
  JSON.parse(overlapOf(segment, older, runsMax));
const idsOf = (segments: readonly Segment[]): number[] => segments.map(({ id }) => id);

describe("what is kept of a segment", () => {
  test("is which older ones share sessions with it", () => {
    const [first, second, third, fourth] = segmentsOf([["a", "b"], ["c"], ["b", null], ["c", "a"]]);
    const older = [first, second, third];
    expect(runsOf(fourth, older)).toEqual([[first.id, second.id]]);
    expect(runsOf(third, [first, second])).toEqual([[first.id, first.id]]);
    expect(runsOf(second, [first])).toEqual([]);
  });

  test("is nothing of events without sessions", () => {
    const [first, second] = segmentsOf([[null, null], [null]]);
    expect(overlapOf(second, [first])).toBe("[]");
  });

  test("are runs, of which the nearest are joined when they are very many", () => {
    const sessions = [..."a-a-a--aa-", "a"];
    const segments = segmentsOf(sessions.map((session) => [session]));
    const newest = segments[segments.length - 1];
    expect(runsOf(newest, segments.slice(2, -1), 3)).toEqual([
      [3, 3],
      [5, 5],
      [8, 9],
    ]);
    expect(runsOf(newest, segments.slice(0, -1), 3)).toEqual([
      [1, 3],
      [5, 5],
      [8, 9],
    ]);
  });
});

describe("which segments may share sessions with some", () => {
  test("is all older ones while nothing is known, and all newer ones of which nothing is known", () => {
    const [first, second, third, fourth] = segmentsOf([["a"], ["b"], ["c"], ["d"]]);
    expect(mayShareWith([third], [first, second, fourth])).toEqual([first, second, fourth]);
    expect(mayShareWith([], [first, second])).toEqual([]);
  });

  test("is those that do, once it is known", () => {
    segmentsOf([["a", "b"], ["c"], ["b"], ["d"]]);
    expect(engine.noteOverlaps()).toBe(4);
    const [first, second, third, fourth] = opened();
    expect(mayShareWith([third], [first, second, fourth])).toEqual([first]);
    expect(mayShareWith([first], [second, third, fourth])).toEqual([third]);
    expect(mayShareWith([fourth], [first, second, third])).toEqual([]);
  });

  test("is all between those of a run", () => {
    segmentsOf([["a"], ["b"], ["c"], ["d"]]);
    engine.noteOverlaps();
    const db = new Database(engine.file);
    db.run("update segment set related = '[[1,2]]' where id = 4");
    db.close();
    const [first, second, third, fourth] = opened();
    expect(mayShareWith([fourth], [first, second, third])).toEqual([first, second]);
    expect(mayShareWith([second], [third, fourth])).toEqual([fourth]);
    expect(mayShareWith([third], [second, fourth])).toEqual([]);
    expect(mayShareWith([fourth], [second, third])).toEqual([second]);
  });

  test("is known to a reader once it has forgotten what it learned before", () => {
    segmentsOf([["a"], ["b"]]);
    const reader = new SegmentReader(openForReading(engine.file), new ByteBoundedCache(1 << 20));
    expect(reader.info(2).overlap).toBeNull();
    engine.noteOverlaps();
    expect(reader.info(2).overlap).toBeNull();
    reader.clearInfos();
    expect(reader.info(2).overlap).toEqual([]);
  });

  test("is also what came since", () => {
    segmentsOf([["a"], ["b"]]);
    engine.noteOverlaps();
    store(engine, [event({ sessionId: "z" })]);
    const [first, second, third] = opened();
    expect(mayShareWith([first], [second, third])).toEqual([third]);
    expect(mayShareWith([third], [first, second])).toEqual([first, second]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("is never too few (seed %d)", (seed) => {
    const { between, chance, pick, below } = randomFrom(seed);
    const commits = Array.from({ length: 40 }, () =>
      Array.from({ length: between(1, 6) }, () => (chance(0.8) ? `s${below(60)}` : null)),
    );
    const known = pick([10, 25, 40]);
    const runsMax = pick([1, 3, usualRunsMax]);
    segmentsOf(commits, runsMax);
    engine.noteOverlaps();
    const all = opened().map((segment, place) => {
      if (place >= known) Object.assign(segment.info, { overlap: null });
      return segment;
    });
    for (let round = 0; round < 50; round++) {
      const some = all.filter(() => chance(0.1));
      const others = all.filter((segment) => !some.includes(segment));
      const sessions = new Set(some.flatMap((one) => commits[all.indexOf(one)]));
      sessions.delete(null);
      const shared = others.filter((one) =>
        commits[all.indexOf(one)].some((session) => sessions.has(session)),
      );
      const found = mayShareWith(some, others);
      expect(idsOf(found)).toEqual(expect.arrayContaining(idsOf(shared)));
      if (known === all.length && runsMax === usualRunsMax)
        expect(idsOf(found)).toEqual(idsOf(shared));
    }
  });
});
