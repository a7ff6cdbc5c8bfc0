import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore";

/** Work that goes on until it is told to end. */
class Works {
  readonly order: string[] = [];
  readonly #releases: (() => void)[] = [];
  constructor(private readonly semaphore: Semaphore) {}

  enter(key: string, name: string) {
    return this.semaphore.pass(key, async () => {
      this.order.push(name);
      await new Promise<void>((resolve) => this.#releases.push(resolve));
      return name;
    });
  }
  async endNext(): Promise<void> {
    this.#releases.shift()?.();
    await Bun.sleep(0);
  }
}

test("one at once, two waiting in order, and no more", async () => {
  const works = new Works(new Semaphore(1, 2));
  const first = works.enter("a", "first");
  const second = works.enter("a", "second");
  const third = works.enter("a", "third");
  expect(await works.enter("a", "fourth")).toBeNull();
  expect(works.order).toEqual(["first"]);
  await works.endNext();
  expect(await first).toEqual({ value: "first" });
  expect(works.order).toEqual(["first", "second"]);
  await works.endNext();
  await second;
  await works.endNext();
  await third;
  expect(works.order).toEqual(["first", "second", "third"]);
});

test("keys take turns, and the one with most makes room", async () => {
  const works = new Works(new Semaphore(1, 4));
  const flood = [1, 2, 3, 4, 5].map((number) => works.enter("flood", `flood ${number}`));
  const owner = works.enter("owner", "owner");
  // The newest of the flood was refused, to make room.
  expect(await flood[4]).toBeNull();
  const second = works.enter("owner", "owner again");
  expect(await flood[3]).toBeNull();
  // Two of each wait now: nobody has more than the owner would have.
  expect(await works.enter("owner", "owner once more")).toBeNull();
  for (let ended = 0; ended < 5; ended++) await works.endNext();
  await Promise.all([owner, second]);
  expect(works.order).toEqual(["flood 1", "flood 2", "owner", "flood 3", "owner again"]);
});

test("work that fails leaves its place to the next", async () => {
  const semaphore = new Semaphore(1, 1);
  const failing = semaphore.pass("a", () => Promise.reject(new Error("no")));
  const next = semaphore.pass("a", async () => 1);
  await expect(failing).rejects.toThrow("no");
  expect(await next).toEqual({ value: 1 });
  expect(await semaphore.pass("a", async () => 2)).toEqual({ value: 2 });
});
