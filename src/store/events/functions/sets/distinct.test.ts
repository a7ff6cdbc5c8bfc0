import { expect, test } from "bun:test";
import { randomFrom } from "../../../../../test/support/random/random";
import { Budget } from "../budget";
import { Bitmap } from "./bitmap";
import { DistinctPerGroup, SparePlanes } from "./distinct";
import { PairTable } from "./pair-table";

const budget = new Budget(() => undefined);

test("a bitmap counts what a Set would", () => {
  const { below } = randomFrom(1);
  const bitmap = new Bitmap();
  const other = new Bitmap();
  const members = new Set<number>();
  const others = new Set<number>();
  for (let i = 0; i < 5_000; i++) {
    const member = below(100_000);
    bitmap.add(member);
    members.add(member);
    if (i % 3 === 0) {
      other.add(below(60_000));
      other.add(member);
      others.add(member);
    }
  }
  for (let member = 0; member < 60_000; member++) if (other.has(member)) others.add(member);
  expect(bitmap.count).toBe(members.size);
  expect(bitmap.countWithout(other)).toBe([...members].filter((one) => !others.has(one)).length);
  expect(bitmap.has(1_000_000_000)).toBe(false);
});

test("a pair is new once, whatever the size of its numbers", () => {
  const { below } = randomFrom(2);
  const table = new PairTable(budget);
  const seen = new Set<string>();
  for (let i = 0; i < 50_000; i++) {
    const group = below(2) * 33_000_000 + below(200);
    const member = 1 + below(2) * 268_000_000 + below(200);
    const key = `${group} ${member}`;
    expect(table.add(group, member)).toBe(!seen.has(key));
    seen.add(key);
    expect(table.has(group, member)).toBe(true);
  }
  let count = 0;
  table.forEach((group, member) => {
    count++;
    expect(seen.has(`${group} ${member}`)).toBe(true);
  });
  expect(count).toBe(seen.size);
});

// Bitmaps of this number of groups would not fit, so that the later ones are kept as pairs.
test.each([5, 20_000])("distinct members of %d groups, and those another set lacks", (groups) => {
  const { below } = randomFrom(groups);
  const distinct = new DistinctPerGroup(budget);
  const other = new DistinctPerGroup(budget);
  const sets = Array.from({ length: groups }, () => new Set<number>());
  const otherSets = Array.from({ length: groups }, () => new Set<number>());
  for (let i = 0; i < 60_000; i++) {
    const group = below(groups);
    const member = 1 + below(50);
    const [into, set] = below(2) === 0 ? [distinct, sets[group]] : [other, otherSets[group]];
    expect(into.add(group, member)).toBe(!set?.has(member));
    set?.add(member);
  }
  const without = distinct.countsWithout(other, groups);
  sets.forEach((set, group) => {
    if (distinct.count(group) !== set.size) throw new Error(`count of group ${group}`);
    const left = [...set].filter((member) => !otherSets[group]?.has(member)).length;
    if (without[group] !== left) throw new Error(`left of group ${group}`);
  });
});

test("a member is added to several groups at once as to one after the other", () => {
  const { below } = randomFrom(3);
  const atOnce = new DistinctPerGroup(budget);
  const inTurn = new DistinctPerGroup(budget);
  for (let i = 0; i < 20_000; i++) {
    const groups = below(2 ** 16) | (below(2 ** 16) << 16);
    const member = 1 + below(3_000);
    let gained = 0;
    for (let group = 0; group < 32; group++) {
      const bit = 1 << group;
      if ((groups & bit) !== 0 && inTurn.add(group, member)) gained |= bit;
    }
    expect(atOnce.addBits(groups, member)).toBe(gained);
  }
  for (let group = 0; group < 32; group++) expect(atOnce.count(group)).toBe(inTurn.count(group));
});

test("many members are added at once to several groups as to one after the other, in any turn", () => {
  const { below } = randomFrom(5);
  const atOnce = new DistinctPerGroup(budget, 100);
  const inTurn = new DistinctPerGroup(budget, 100);
  for (let round = 0; round < 6; round++) {
    const members = Uint32Array.from({ length: 500 }, () => below(3_000 * (round + 1)));
    const groups = Int32Array.from(members, () => below(2 ** 16) | (below(2 ** 16) << 16));
    atOnce.addEach(members, (place) => (place % 3 === 0 ? 0 : groups[place]));
    members.forEach((member, place) => {
      if (member > 0 && place % 3 > 0) inTurn.addBits(groups[place], member);
    });
    // Members that are counted meanwhile, or added in another way, count once.
    if (round % 2 === 0) expect(atOnce.isEmpty).toBe(false);
    for (const set of [atOnce, inTurn]) set.addBits(0b101, 7 + round);
    for (let group = 0; group < 32; group++) expect(atOnce.count(group)).toBe(inTurn.count(group));
  }
});

test("planes that are used again tell nothing of the counting before", () => {
  const spare = new SparePlanes();
  for (const size of [10, 10, 4, 5_000]) {
    const distinct = new DistinctPerGroup(budget, size, spare);
    for (const group of [3, 40, 200]) {
      for (const member of [7, 3]) {
        expect(distinct.has(group, member)).toBe(false);
        expect(distinct.add(group, member)).toBe(true);
        expect(distinct.add(group, member)).toBe(false);
      }
      expect(distinct.count(group)).toBe(2);
    }
    distinct.handBack();
  }
});

test("a plane is used again where it fits, and not where it is far too large", () => {
  const [spare, own] = [new SparePlanes(), new Budget(() => undefined)];
  const plane = spare.take(100, own);
  plane.fill(9);
  spare.keep(plane, own);
  expect(own.bytes).toBe(0);
  expect(spare.take(49, own)).not.toBe(plane);
  expect(spare.take(101, own)).not.toBe(plane);
  expect(spare.take(50, own)).toBe(plane);
  expect([...new Set(plane)]).toEqual([0]);
  expect(own.bytes).toBe(4 * (49 + 101 + 100));
});
