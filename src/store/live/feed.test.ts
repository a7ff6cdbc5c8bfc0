import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { replaceLogWriter } from "../../lib/log";
import type { StoredEvent, StoredEvents } from "../port";
import { Feed, type Listener } from "./feed";

let logged: Record<string, unknown>[];
let restoreLog: () => void;
beforeEach(() => {
  logged = [];
  restoreLog = replaceLogWriter((line) => void logged.push(JSON.parse(line)));
});
afterEach(() => restoreLog());

const event: StoredEvent = {
  ...{ id: "1", timeMs: 1, name: '"step"', userId: "null", sessionId: "null" },
  ...{ country: "null", properties: "null", property: () => null },
};
const stored = (read: () => StoredEvent[] = () => [event]): StoredEvents => ({
  ...{ projectId: "a", receivedAtMs: 1, lastTimeMs: 1, count: 1, bytes: 100, lastId: "1" },
  read,
});
const fail = (): never => {
  throw new TypeError("text of an event");
};
/** Returns what the listener was told. */
function listening(feed: Feed, wrong: Partial<Listener> = {}): string[] {
  const told: string[] = [];
  feed.listen("a", {
    matches: () => true,
    deliver: (events) => void told.push(...events.map(({ id }) => id)),
    ...wrong,
  });
  return told;
}

describe("what fails for one who listens", () => {
  test.each(["matches", "deliver"] as const)("in %s is logged, and the others are told", (part) => {
    const feed = new Feed(1e6, () => true);
    const first = listening(feed);
    listening(feed, { [part]: fail });
    const last = listening(feed);
    feed.add(stored());
    expect([first, last]).toEqual([["1"], ["1"]]);
    expect(logged).toMatchObject([{ level: "error", fault: "TypeError" }]);
    expect(JSON.stringify(logged)).not.toContain("text of an event");
  });
});

describe("adding never throws:", () => {
  test("events that cannot be read are logged", () => {
    const feed = new Feed(1e6, () => true);
    const told = listening(feed);
    feed.add(stored(fail));
    feed.add(stored());
    expect(told).toEqual(["1"]);
    expect(logged).toMatchObject([{ level: "error", fault: "TypeError" }]);
  });

  test("a project that cannot be looked up is logged, and who listens is told", () => {
    const feed = new Feed(1e6, fail);
    const told = listening(feed);
    feed.add(stored());
    expect(told).toEqual(["1"]);
    expect(logged).toMatchObject([{ level: "error", fault: "TypeError" }]);
  });
});
