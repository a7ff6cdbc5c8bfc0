import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventAt, project, SegmentStore } from "../../../../test/support/engine/segment-store";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { packGroup } from "../../shared/append/wire";
import { hash64 } from "../segment/hash";
import type { Segment } from "../segment/segment";
import { visitsOfSession } from "../session/session-key-table";
import { Identity } from "./identity";
import { VisitsOfUsers } from "./visits-of-users";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

const names = Array.from({ length: 24 }, (_, place) => `user ${place}`);
const sessionIds = Array.from({ length: 12 }, (_, place) => `session ${place}`);

function identify(previousId: string, userId: string): void {
  const told = { projectId: project, receivedAtMs: store.nowMs, previousId, userId, traits: null };
  store.writer.commit(packGroup([[{ kind: "identity", ...told }]]));
}

/** The visits as a look at each of them finds them. */
const visitsWhere = (segment: Segment, passes: (visit: number) => boolean): number[] =>
  Array.from({ length: segment.visitCount }, (_, visit) => visit).filter(passes);

test("visits of users are those whose number stands for one of them, whatever was linked and taken back", () => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
  const identity = new Identity(store.readDb, 1);
  let found = 0;
  for (let round = 0; round < 12; round++) {
    for (let events = 0; events < 20; events++) {
      const userId = random.chance(0.1) ? null : random.pick(names);
      store.store(eventAt(store.nowMs + events, { userId, sessionId: random.pick(sessionIds) }));
    }
    if (random.chance(0.5)) store.compact();
    for (let links = 0; links < 3; links++) identify(random.pick(names), random.pick(names));
    if (random.chance(0.3)) store.writer.unlink(project, random.pick(names), null);
    identity.refresh();
    const asked = names
      .filter(() => random.chance(random.pick([0.05, 0.9])))
      .map((name) => identity.numberOf(name))
      .filter((number) => number !== null);
    const visits = new VisitsOfUsers(identity, asked);
    for (const segment of store.open()) {
      const users = identity.usersOf(segment);
      const seen: (readonly [visit: number, user: number])[] = [];
      visits.forEachIn(segment, (visit, user) => void seen.push([visit, user]));
      const expected = visitsWhere(segment, (visit) => asked.includes(users[visit]));
      expect({ seed, seen: seen.toSorted(([a], [b]) => a - b) }).toEqual({
        seed,
        seen: expected.map((visit) => [visit, users[visit]]),
      });
      found += expected.length;
    }
  }
  expect(found).toBeGreaterThan(0);
});

test("visits of a session follow each other, also beside keys that share a half with its key", () => {
  const keys = [
    ...[0, 0, 1, 1, 1, 2, 2].map((low) => [5, low] as const),
    ...[[6, 1] as const, [2 ** 32 - 1, 7] as const],
  ];
  const segment = {
    sessionHigh: Uint32Array.from(keys, ([high]) => high),
    sessionLow: Uint32Array.from(keys, ([, low]) => low),
  } as Segment;
  expect(visitsOfSession(segment, [5, 1])).toEqual([2, 5]);
  expect(visitsOfSession(segment, [5, 2])).toEqual([5, 7]);
  expect(visitsOfSession(segment, [2 ** 32 - 1, 7])).toEqual([8, 9]);
  for (const key of [[4, 1], [5, 3], [6, 0], [2 ** 32 - 1, 8], hash64("other", 1n)] as const) {
    const [first, end] = visitsOfSession(segment, key);
    expect(end).toBe(first);
  }
});
