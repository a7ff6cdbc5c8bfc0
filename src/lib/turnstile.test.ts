import { expect, test } from "bun:test";
import { Turnstile } from "./turnstile";

test("so many at once, so many waiting in order, and no more", async () => {
  const turnstile = new Turnstile(1, 2);
  const order: string[] = [];
  const releases: (() => void)[] = [];
  const enter = (name: string) =>
    turnstile.pass(async () => {
      order.push(name);
      await new Promise<void>((resolve) => releases.push(resolve));
      return name;
    });
  const first = enter("first");
  const second = enter("second");
  const third = enter("third");
  expect(await enter("fourth")).toBeNull();
  expect(order).toEqual(["first"]);
  releases[0]?.();
  expect(await first).toEqual({ value: "first" });
  await Bun.sleep(0);
  expect(order).toEqual(["first", "second"]);
  releases[1]?.();
  await second;
  await Bun.sleep(0);
  releases[2]?.();
  await third;
  expect(order).toEqual(["first", "second", "third"]);
});

test("work that fails leaves its place to the next", async () => {
  const turnstile = new Turnstile(1, 1);
  const failing = turnstile.pass(() => Promise.reject(new Error("no")));
  const next = turnstile.pass(async () => 1);
  await expect(failing).rejects.toThrow("no");
  expect(await next).toEqual({ value: 1 });
  expect(await turnstile.pass(async () => 2)).toEqual({ value: 2 });
});
