import { expect, test } from "bun:test";
import { Rests } from "./rests";

test("rests are four times the work, told when there is some", () => {
  let worked = 1_000;
  const rests = new Rests(() => worked);
  let rested = 0;
  for (const piece of [0, 1, 3, 2, 40, 0, 4, 4, 1_500]) {
    worked += piece;
    const due = rests.due();
    expect(due === 0 || due >= 20).toBe(true);
    rested += due;
  }
  expect(rested).toBe(4 * (worked - 1_000));
});
