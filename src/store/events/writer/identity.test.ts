import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventAt, project, SegmentStore } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { Properties } from "../../../domain/event";
import { packGroup } from "../../shared/append/wire";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

function identify(previousId: string, userId: string, traits: Properties | null = null): void {
  const receivedAtMs = store.nowMs;
  store.writer.commit(
    packGroup([
      [{ kind: "identity", projectId: project, receivedAtMs, previousId, userId, traits }],
    ]),
  );
}
const send = (userId: string): void => store.store(eventAt(store.nowMs, { userId }));

/** Returns a name as a read does: the links of a number are followed to their end. */
function nameOf(number: number): string {
  const links = new Map(
    store.db.query("select user, canonical from user_alias").values() as [number, number][],
  );
  let end = number;
  for (let link = links.get(end); link !== undefined; link = links.get(end)) end = link;
  const row = store.db.query("select name from user where number = ?").get(end);
  return (row as { name: string }).name;
}
/** The users of all events, in the order in which they were sent. */
const users = (): string[] =>
  store
    .open()
    .flatMap((segment) =>
      Array.from({ length: segment.eventCount }, (_, row) => ({
        ticket: segment.ticketAt(row),
        user: nameOf(segment.users[segment.visitOfRow[row]]),
      })),
    )
    .sort((a, b) => a.ticket - b.ticket)
    .map(({ user }) => user);
const profiles = (): Record<string, unknown> =>
  Object.fromEntries(
    (store.db.query("select user, traits from profile").values() as [number, string][]).map(
      ([user, traits]) => [nameOf(user), JSON.parse(traits)],
    ),
  );

describe("a link (definitions.md, Identity)", () => {
  test("moves what was stored and what comes later to the target", () => {
    send("anon");
    identify("anon", "ann");
    send("anon");
    send("ann");
    expect(users()).toEqual(["ann", "ann", "ann"]);
  });

  test("to an id that is linked itself goes to where that one points", () => {
    for (const id of ["a", "b", "c"]) send(id);
    identify("b", "c");
    identify("a", "b");
    expect(users()).toEqual(["c", "c", "c"]);
  });

  test("takes along the ids that pointed to the one that is linked now", () => {
    for (const id of ["a", "b", "c"]) send(id);
    identify("a", "b");
    identify("b", "c");
    expect(users()).toEqual(["c", "c", "c"]);
  });

  test("back to the first of a chain changes nothing", () => {
    send("a");
    send("b");
    identify("a", "b");
    identify("b", "a");
    expect(users()).toEqual(["b", "b"]);
    expect(store.db.query("select count(*) as n from user_alias").get()).toEqual({ n: 1 });
  });

  test("to another target leaves what is stored with the first one", () => {
    send("shared");
    identify("shared", "ann");
    send("shared");
    identify("shared", "bob");
    send("shared");
    expect(users()).toEqual(["ann", "ann", "bob"]);
    identify("ann", "bob");
    expect(users()).toEqual(["bob", "bob", "bob"]);
  });

  test("that is repeated changes nothing", () => {
    for (let i = 0; i < 3; i++) identify("anon", "ann");
    expect(store.db.query("select count(*) as n from user_alias").get()).toEqual({ n: 1 });
  });

  test("appends one row however many ids point to the one that is linked", () => {
    for (let i = 0; i < 50; i++) identify(`anon ${i}`, "ann");
    identify("ann", "account 1");
    expect(store.db.query("select count(*) as n from user_alias").get()).toEqual({ n: 51 });
    expect(nameOf(1)).toBe("account 1");
  });
});

describe("a profile", () => {
  test("merges key by key; null deletes a key", () => {
    identify("anon", "ann", { plan: "free", seats: 1 });
    identify("anon", "ann", { plan: "team", seats: null, deep: { a: null } });
    expect(profiles()).toEqual({ ann: { plan: "team", deep: { a: null } } });
  });

  test("of equal ids only is updated", () => {
    identify("ann", "ann", { plan: "free" });
    expect(profiles()).toEqual({ ann: { plan: "free" } });
    expect(store.db.query("select count(*) as n from user_alias").get()).toEqual({ n: 0 });
  });

  test("is the target's, also through an id that is linked", () => {
    identify("a", "b");
    identify("a", "a", { city: "Bonn" });
    expect(profiles()).toEqual({ b: { city: "Bonn" } });
  });

  test("goes over to the target, whose own traits win", () => {
    identify("anon", "anon", { plan: "free", city: "Bonn" });
    identify("ann", "ann", { plan: "team" });
    identify("anon", "ann", { seats: 2 });
    expect(profiles()).toEqual({ ann: { plan: "team", city: "Bonn", seats: 2 } });
  });

  test("that has lost its last key is gone", () => {
    identify("ann", "ann", { plan: "free" });
    identify("ann", "ann", { plan: null });
    expect(profiles()).toEqual({});
  });

  test("takes keys as they are", () => {
    const traits = JSON.parse('{"__proto__": {"a": 1}, "\\u0000": "\\ud800", "constructor": 1}');
    identify("ann", "ann", traits);
    identify("ann", "ann", { b: 2 });
    const [row] = store.db.query("select traits from profile").all() as { traits: string }[];
    expect(row.traits).toBe(JSON.stringify({ ...traits, ["__proto__"]: { a: 1 }, b: 2 }));
  });

  test("of a user who is sent ever new keys keeps the newest", () => {
    for (let i = 0; i < 40; i++) identify("ann", "ann", { [`key ${i}`]: "x".repeat(4_000) });
    const keys = Object.keys(profiles().ann as object);
    expect(keys.at(-1)).toBe("key 39");
    expect(keys.length).toBeLessThan(20);
    expect(JSON.stringify(profiles()).length).toBeLessThan(70_000);
  });
});

test("agrees with the steps of definitions.md on random links, events and restarts", () => {
  const first = randomSeed();
  for (let round = 0; round < cases(4, 20); round++) {
    const before = users().length;
    compareWithSteps(randomFrom(first + round), before);
  }
}, 180_000);

function compareWithSteps(random: Random, before: number): void {
  const prefix = `${random.seed} `;
  const ids = Array.from({ length: 3 + random.below(10) }, (_, i) => prefix + i);
  const mapping = new Map<string, string>();
  const target = (id: string): string => mapping.get(id) ?? id;
  const stored: string[] = [];
  for (let step = 0; step < 60; step++) {
    const [a, b] = [random.pick(ids), random.pick(ids)];
    if (random.chance(0.5)) {
      send(a);
      stored.push(target(a));
    } else if (a !== b) {
      identify(a, b);
      const to = target(b);
      if (to !== a) {
        for (const [id, now] of mapping) if (now === a) mapping.set(id, to);
        mapping.set(a, to);
        stored.forEach((user, i) => {
          if (user === a) stored[i] = to;
        });
      }
    }
    if (random.chance(0.1)) store.restart();
    if (random.chance(0.1)) store.compact();
  }
  expect({ seed: random.seed, users: users().slice(before) }).toEqual({
    seed: random.seed,
    users: stored,
  });
}
