import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  ask,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../../test/support/engine/event-store";
import { deafRead, slowRead } from "../../../../test/support/engine/timed-reads";
import { ScopeSizes, smallReadBytesMax, smallReadEventsMax } from "./scope-sizes";

let opened: TestStore;
/** The size of a read follows from the metadata of segments, so these segments need no events. */
beforeAll(async () => {
  opened = await openTestStore({ workers: ["reader"] });
  for (const project of ["small", "large", "other", "bulky"]) {
    await opened.store.append([numbers(1, 1, project)]);
  }
  const db = new Database(opened.file);
  const resize = db.query(
    "update segment set event_count = ?2 where project_id = (select id from project where name = ?1)",
  );
  resize.run("small", smallReadEventsMax - 1);
  resize.run("large", smallReadEventsMax + 1);
  const bulky = smallReadBytesMax + 1;
  db.query(
    "update segment set byte_count = ?1 where project_id = (select id from project where name = 'bulky')",
  ).run(bulky);
  db.close();
});
afterAll(() => opened.close());

const always = { fromMs: 0, toMs: 1e14 };

describe("a read is small", () => {
  const isSmall = (projectIds: readonly string[], window = always): boolean => {
    const sizes = new ScopeSizes(opened.file);
    try {
      return sizes.isSmall({ projectIds, ...window });
    } finally {
      sizes.close();
    }
  };

  test("up to 200,000 events in the segments it touches, over all of its projects", () => {
    expect(isSmall(["small"])).toBe(true);
    expect(isSmall(["small", "other"])).toBe(true);
    expect(isSmall(["large"])).toBe(false);
    expect(isSmall(["small", "other", "large"])).toBe(false);
    expect(isSmall(["nobody's"])).toBe(true);
  });

  test("up to 8 MB in these segments, however few their events are", () => {
    expect(isSmall(["bulky"])).toBe(false);
    expect(isSmall(["small", "bulky"])).toBe(false);
  });

  test("when the large segments lie outside its window", () => {
    expect(isSmall(["large"], { fromMs: 0, toMs: 1_000 })).toBe(true);
  });
});

test("small reads are answered while a large one runs and others wait", async () => {
  const leaver = new AbortController();
  const large = { label: "large", ms: 600_000, projectIds: ["large"] };
  const request = { accountId: "busy", signal: leaver.signal };
  let ended = 0;
  const running = [1, 2, 3].map(() =>
    ask(opened, slowRead, large, request).finally(() => {
      ended++;
    }),
  );
  const small = { label: "small", ms: 1, projectIds: ["small"] };
  for (let round = 0; round < 5; round++) {
    const { json } = await ask(opened, deafRead, small);
    expect([json, ended]).toEqual(['"small"', 0]);
  }
  leaver.abort();
  for (const { status } of await Promise.allSettled(running)) expect(status).toBe("rejected");
});
