import { describe, expect, test } from "bun:test";
import { segmentGroupBytesMax, segmentGroupMax } from "../../domain/replay/limits";
import { hourMs } from "../../lib/clock";
import { replaceLogWriter } from "../../lib/log";
import type { SegmentOutcome, SentSegment } from "../replay-port";
import { Uploads } from "./uploads";

const outcome: SegmentOutcome = { seq: 0, nextSeq: 1, stop: false, stored: true };
const segment = (bytes = 10): SentSegment => ({
  ...{ replayId: "rpl_1", uploadToken: null, isGzip: false },
  body: new ArrayBuffer(bytes),
});

/** Opens uploads whose groups start an hour apart, so that none starts because time has passed. */
function open(groupEveryMs = hourMs) {
  const groups: number[] = [];
  const uploads = new Uploads({
    groupEveryMs,
    commit: async (group) => {
      groups.push(group.length);
      return group.map(() => ({ kind: "taken", isClosed: false, ...outcome }) as const);
    },
    closed: () => undefined,
  });
  return { uploads, groups };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

describe("segments on their way to the disk", () => {
  test("one that comes alone is committed at once", async () => {
    const { uploads, groups } = open();
    expect(await uploads.add(segment())).toMatchObject(outcome);
    expect(groups).toEqual([1]);
  });

  test("those that follow gather until a group is full", async () => {
    const { uploads, groups } = open();
    await uploads.add(segment());
    const added = Array.from({ length: segmentGroupMax - 1 }, () => uploads.add(segment()));
    await turns(5);
    expect(groups).toEqual([1]);
    added.push(uploads.add(segment()));
    await Promise.all(added);
    expect(groups).toEqual([1, segmentGroupMax]);
  });

  test("a group is full by its bytes too", async () => {
    const { uploads, groups } = open();
    await uploads.add(segment());
    const small = uploads.add(segment());
    await turns(5);
    expect(groups).toEqual([1]);
    await Promise.all([small, uploads.add(segment(segmentGroupBytesMax - 10))]);
    expect(groups).toEqual([1, 2]);
  });

  test("those that follow are committed when the time has passed", async () => {
    const { uploads, groups } = open(20);
    await uploads.add(segment());
    await Promise.all([uploads.add(segment()), uploads.add(segment())]);
    expect(groups.reduce((sum, count) => sum + count)).toBe(3);
  });

  test("closing waits for nothing but the commit, and refuses what comes afterwards", async () => {
    const { uploads, groups } = open();
    await uploads.add(segment());
    const waiting = uploads.add(segment());
    await turns(5);
    expect(groups).toEqual([1]);
    await uploads.close();
    expect(groups).toEqual([1, 1]);
    expect(await waiting).toMatchObject(outcome);
    const refused = await uploads.add(segment()).catch((error: Error) => error.message);
    expect(refused).toContain("stopping");
  });
});

describe("a thread that hangs", () => {
  const waits = { lateMs: 100, answerMsMax: 300, lookEveryMs: 10 };

  test("makes the uploads late; what waits is answered, and what was sent may be stored", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const groups: number[] = [];
    const uploads = new Uploads({
      ...{ groupEveryMs: 20, waits, closed: () => undefined },
      commit: async (group) => {
        await promise;
        groups.push(group.length);
        return group.map(() => ({ kind: "taken", isClosed: false, ...outcome }) as const);
      },
    });
    const restore = replaceLogWriter(() => undefined);
    const sent = uploads.add(segment());
    await turns(2);
    const waiting = [uploads.add(segment()), uploads.add(segment())];
    expect(uploads.isLate).toBe(false);
    for (const one of await Promise.allSettled([sent, ...waiting])) {
      expect(one).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
    }
    expect(uploads.isLate).toBe(true);
    resolve();
    await uploads.close();
    expect([uploads.isLate, groups]).toEqual([false, [1]]);
    restore();
  });
});
