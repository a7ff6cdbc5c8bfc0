import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random/random";
import { Bitmap } from "./bitmap";
import { Budget } from "./budget";
import { PairTable } from "./pair-table";
import { SparePlanes } from "./spare-planes";

const budget = new Budget(() => undefined);

test("a bitmap counts the same members as a Set", () => {
  const { below } = randomFrom(1);
  const bitmap = new Bitmap();
  const members = new Set<number>();
  for (let i = 0; i < 5_000; i++) {
    const member = below(100_000);
    bitmap.add(member);
    members.add(member);
  }
  expect(bitmap.count).toBe(members.size);
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

test("a count reuses a plane that fits, but not one that is far too large", () => {
  const [spare, own] = [new SparePlanes(), new Budget(() => undefined)];
  const plane = spare.take(100, own);
  plane.fill(9);
  spare.giveBack(plane, own);
  expect(own.bytes).toBe(0);
  expect(spare.take(49, own)).not.toBe(plane);
  expect(spare.take(101, own)).not.toBe(plane);
  expect(spare.take(50, own)).toBe(plane);
  expect([...new Set(plane)]).toEqual([0]);
  expect(own.bytes).toBe(4 * (49 + 101 + 100));
});
