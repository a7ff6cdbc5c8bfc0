import { expect, test } from "bun:test";
import { FairQueue } from "./queue";

function drained<Key, Item>(queue: FairQueue<Key, Item>): Item[] {
  const items: Item[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
}

test("keys take turns, and each key keeps its order", () => {
  const queue = new FairQueue<string, string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.push(item[0], item);
  expect(queue.size).toBe(6);
  expect(drained(queue)).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  expect(queue.size).toBe(0);
});

test("a key that was served waits for the others, also when it comes again", () => {
  const queue = new FairQueue<string, string>();
  queue.push("a", "a1");
  queue.push("b", "b1");
  expect(queue.take()).toBe("a1");
  queue.push("a", "a2");
  expect(drained(queue)).toEqual(["b1", "a2"]);
});

test("what was removed is not taken, and is removed once", () => {
  const queue = new FairQueue<string, string>();
  for (const item of ["a1", "a2", "b1"]) queue.push(item[0], item);
  expect(queue.remove("a", "a1")).toBe(true);
  expect(queue.remove("a", "a1")).toBe(false);
  expect(queue.remove("c", "c1")).toBe(false);
  expect(queue.size).toBe(2);
  expect(drained(queue)).toEqual(["a2", "b1"]);
  expect(queue.take()).toBeUndefined();
});

test("a key gets room at the cost of the one that has most, until they have equally many", () => {
  const queue = new FairQueue<string, string>();
  for (const item of ["a1", "b1", "b2", "c1", "c2", "c3"]) queue.push(item[0], item);
  expect(queue.displaceFor("c")).toBeUndefined();
  expect(queue.displaceFor("b")).toBeUndefined();
  expect(queue.displaceFor("a")).toBe("c3");
  expect(queue.displaceFor("a")).toBeUndefined();
  expect(queue.displaceFor("d")).toBe("b2");
  expect(queue.displaceFor("d")).toBe("c2");
  expect(queue.displaceFor("d")).toBeUndefined();
  expect(queue.size).toBe(3);
  expect(drained(queue)).toEqual(["a1", "b1", "c1"]);
});
