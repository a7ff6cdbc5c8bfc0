import { expect, test } from "bun:test";
import { UnsentBytes } from "./unsent-bytes";

/** Opens something of a holder with the given number of bytes, and notes when it is dropped. */
function opener(unsent: UnsentBytes, dropped: string[]) {
  return (holder: string, name: string, bytes: number) => {
    const one = unsent.open(holder, () => dropped.push(name));
    one.set(bytes);
    return one;
  };
}

test("beyond a holder's bound the one that moved longest ago is dropped", () => {
  const dropped: string[] = [];
  const unsent = new UnsentBytes(100, 1_000);
  const open = opener(unsent, dropped);
  const first = open("a", "first", 40);
  open("a", "second", 40);
  open("b", "other", 90);
  first.set(30);
  open("a", "third", 40);
  expect(dropped).toEqual(["second"]);
  expect(unsent.bytes).toBe(30 + 90 + 40);
});

test("one that is larger than the bound by itself may go out, alone", () => {
  const dropped: string[] = [];
  const unsent = new UnsentBytes(100, 1_000);
  const open = opener(unsent, dropped);
  open("a", "small", 10);
  const large = open("a", "large", 500);
  expect([dropped, unsent.bytes]).toEqual([["small"], 500]);
  large.close();
  large.close();
  large.set(7);
  expect(unsent.bytes).toBe(0);
});

test("beyond the bound of all the holder with most pays, even with its only one", () => {
  const dropped: string[] = [];
  const unsent = new UnsentBytes(100, 250);
  const open = opener(unsent, dropped);
  for (const holder of ["a", "b", "c", "d"]) open(holder, holder, holder === "b" ? 90 : 60);
  expect([dropped, unsent.bytes]).toEqual([["b"], 180]);
  open("e", "huge", 400);
  expect([dropped, unsent.bytes]).toEqual([["b", "huge"], 180]);
});
