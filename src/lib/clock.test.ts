import { expect, test } from "bun:test";
import { clock } from "./clock";

test("replacements are undone in any order, each once: the newest that is left counts", () => {
  const undoFirst = clock.replace(() => 1);
  const undoSecond = clock.replace(() => 2);
  const undoThird = clock.replace(() => 3);
  expect(clock.nowMs()).toBe(3);
  undoFirst();
  expect(clock.nowMs()).toBe(3);
  undoThird();
  undoThird();
  expect(clock.nowMs()).toBe(2);
  undoSecond();
  expect(clock.nowMs()).toBeGreaterThan(3);
});
