import { expect, test } from "bun:test";
import type { ErrorCode } from "../../../domain/errors";
import { Tally } from "./tally";

/** Sees some rows that are refused for this reason. */
function refuse(tally: Tally, count: number, code: ErrorCode = "INVALID_TIMESTAMP"): void {
  for (let row = 0; row < count; row++) {
    tally.see();
    tally.refuse(code, row + 2);
  }
}
const broken = expect.objectContaining({ code: "IMPORT_BROKEN", extras: { line: 2 } });

test("a file ends its check once 100,001 rows, all of them, were refused for one reason", () => {
  const tally = new Tally();
  refuse(tally, 100_000);
  expect(() => refuse(tally, 1)).toThrow(broken);
});

test("a file is read on where another row came before, or another reason", () => {
  const other = new Tally();
  other.see();
  refuse(other, 100_001);
  const mixed = new Tally();
  refuse(mixed, 1, "INVALID_BODY");
  refuse(mixed, 100_001);
  expect([other.fates.refused, mixed.fates.refused]).toEqual([100_001, 100_002]);
});

test("more than 1,000 refused rows are too many where they are more than 1 % of the file", () => {
  const tally = new Tally();
  refuse(tally, 1_000);
  tally.requireSense();
  refuse(tally, 1);
  expect(() => tally.requireSense()).toThrow(broken);
  for (let row = 0; row < 99_099; row++) tally.see();
  tally.requireSense();
});
