import { afterEach, beforeEach, expect, test } from "bun:test";
import { project, SegmentStore } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import { packGroup } from "../../shared/append/wire";
import type { StagedPeople } from "../protocol/import-messages";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

type Traits = Record<string, string>;
function identify(previousId: string, userId: string, traits: Traits | null = null): void {
  const told = { projectId: project, receivedAtMs: store.nowMs, previousId, userId, traits };
  store.writer.commit(packGroup([[{ kind: "identity", ...told }]]));
}

interface ImportedPeople {
  readonly links: readonly (readonly [string, string])[];
  readonly profiles: readonly (readonly [string, Traits])[];
}

/** Stores an import of people alone. */
function importPeople(name: string, { links, profiles }: ImportedPeople): void {
  const { writer } = store;
  const begin = { name, projectId: project, content: "one", events: 0 };
  writer.changeImport({ step: "begin", begin });
  const users = [...new Set([...links.flat(), ...profiles.map(([user]) => user)])];
  const numbers = writer.changeImport({ step: "number users", name, users }) as readonly number[];
  const numberOf = (user: string): number => numbers[users.indexOf(user)] ?? 0;
  const people: StagedPeople = {
    links: links.map(([user, other]) => [numberOf(user), numberOf(other)]),
    profiles: profiles.map(([user, traits]) => [numberOf(user), JSON.stringify(traits)]),
    automated: [],
  };
  writer.changeImport({
    step: "stage",
    name,
    piece: { number: 1, segments: [], keys: [], people },
  });
  writer.changeImport({ step: "store", name });
}
const remove = (name: string): unknown => store.writer.changeImport({ step: "remove", name });

/** The id for which each id stands, and the traits that are seen of these; throws for a circle. */
function people(): Record<string, unknown> {
  const links = new Map(
    store.db.query("select user, canonical from user_alias where canonical > 0").values() as [
      number,
      number,
    ][],
  );
  const users = store.db.query("select name, number from user").values() as [string, number][];
  const names = new Map(users.map(([name, number]) => [number, name]));
  const traits = new Map(
    store.db.query("select user, traits from profile").values() as [number, string][],
  );
  const endOf = (number: number): number => {
    let at = number;
    for (let steps = 0; links.has(at); steps++) {
      if (steps > links.size) throw new Error("a circle");
      at = links.get(at) ?? 0;
    }
    return at;
  };
  const found = users.map(([name, number]): [string, unknown] => {
    const end = endOf(number);
    return [name, end === number ? JSON.parse(traits.get(number) ?? "{}") : names.get(end)];
  });
  return Object.fromEntries(found.filter(([, is]) => JSON.stringify(is) !== "{}"));
}

test("links and traits of clients stay before those of an import", () => {
  identify("anon", "own");
  identify("ann", "ann", { plan: "free" });
  importPeople("imp", {
    links: [
      ["anon", "other"],
      ["anon 2", "ann"],
    ],
    profiles: [["ann", { plan: "pro", city: "Bonn" }]],
  });
  const merged = { plan: "free", city: "Bonn" };
  expect(people()).toEqual({ anon: "own", "anon 2": "ann", ann: merged });
  remove("imp");
  expect(people()).toEqual({ anon: "own", ann: { plan: "free" } });
});

test("the profile of an id that an import links goes along, and comes back", () => {
  identify("anon", "anon", { city: "Bonn" });
  importPeople("imp", { links: [["anon", "ann"]], profiles: [["ann", { plan: "pro" }]] });
  expect(people()).toEqual({ anon: "ann", ann: { plan: "pro", city: "Bonn" } });
  remove("imp");
  expect(people()).toEqual({ anon: { city: "Bonn" } });
});

test("clients' later words are theirs: a link told again, another one, and traits", () => {
  importPeople("imp", {
    links: [
      ["told", "ann"],
      ["moved", "ann"],
      ["ann", "account"],
    ],
    profiles: [["account", { plan: "pro", city: "Bonn" }]],
  });
  identify("told", "account", { city: "Bonn" });
  identify("moved", "bob");
  identify("later", "ann");
  expect(people()).toMatchObject({ told: "account", moved: "bob", later: "account" });
  remove("imp");
  expect(people()).toEqual({
    ...{ told: "account", moved: "bob", later: "ann" },
    account: { city: "Bonn" },
  });
});

test("links of an import and of clients are never a circle", () => {
  identify("a", "b");
  importPeople("imp", {
    links: [
      ["b", "a"],
      ["c", "a"],
    ],
    profiles: [],
  });
  expect(people()).toEqual({ a: "b", c: "b" });
});

test("what is left of a removed import is swept", () => {
  importPeople("imp", { links: [["a", "b"]], profiles: [["b", { plan: "pro" }]] });
  remove("imp");
  for (let sweeps = 0; store.writer.sweep() && sweeps < 100; ) sweeps++;
  for (const table of ["import_link", "import_profile", "removed_import"]) {
    expect(store.db.query(`select * from ${table}`).all()).toEqual([]);
  }
});

const ids = ["a", "b", "c", "d", "e", "f", "g"];
const randomTraits = ({ pick, chance }: Random): Traits => ({
  [pick(["plan", "city", "tier"])]: pick(["1", "2"]),
  ...(chance(0.5) && { [pick(["plan", "city", "tier"])]: pick(["1", "2"]) }),
});
function tell(random: Random): void {
  const { pick, chance } = random;
  if (chance(0.2)) store.writer.unlink(project, pick(ids), null);
  else identify(pick(ids), pick(ids), chance(0.5) ? randomTraits(random) : null);
}
/** Links without circles: each id leads to a later one. */
function randomPeople(random: Random): ImportedPeople {
  const { pick, chance } = random;
  const order = ids.toSorted(() => (chance(0.5) ? 1 : -1));
  return {
    links: order.slice(0, -1).flatMap((id, at): [string, string][] => {
      return chance(0.5) ? [[id, pick(order.slice(at + 1))]] : [];
    }),
    profiles: order.flatMap((id): [string, Traits][] =>
      chance(0.4) ? [[id, randomTraits(random)]] : [],
    ),
  };
}

test("random people: a removal at once restores what was; after more words there is still no circle", () => {
  const first = randomSeed();
  for (let seed = first; seed < first + cases(30, 600); seed++) {
    store.close();
    store = new SegmentStore();
    const random = randomFrom(seed);
    for (let told = random.below(8); told > 0; told--) tell(random);
    const before = people();
    importPeople("imp", randomPeople(random));
    people();
    if (random.chance(0.3)) store.restart();
    if (random.chance(0.5)) {
      remove("imp");
      expect(people(), `seed ${seed}`).toEqual(before);
    } else {
      importPeople("imp 2", randomPeople(random));
      for (let told = random.below(8); told > 0; told--) tell(random);
      people();
      for (const name of random.chance(0.5) ? ["imp", "imp 2"] : ["imp 2", "imp"]) {
        remove(name);
        people();
      }
    }
  }
});
