import { expect, test } from "bun:test";
import { Rests } from "./rests";

test("rests are four times the work, told when there is some, five seconds at most", () => {
  let worked = 1_000;
  const rests = new Rests(() => worked);
  const told = [0, 1, 3, 2, 40, 0, 4, 4, 1_250, 1_251, 60_000, 5].map((piece) => {
    worked += piece;
    return rests.due();
  });
  expect(told).toEqual([0, 0, 0, 24, 160, 0, 0, 32, 5_000, 5_000, 5_000, 20]);
});
