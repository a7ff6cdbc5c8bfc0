import { expect, test } from "bun:test";
import { badSelectors, goodSelectors } from "../../../test/support/app/selectors";
import { processorMs } from "../../../test/support/suite/processor-time";
import { selectorCharsMax } from "./limits";
import { isSelector } from "./selector";

// Chromium agrees: test/e2e/replay-selectors.test.ts.
test("takes what browsers find elements by", () => {
  expect(goodSelectors.filter((one) => !isSelector(one))).toEqual([]);
});

test("takes nothing that a browser refuses, or finds no element by", () => {
  expect(badSelectors.filter(isSelector)).toEqual([]);
});

test("nothing that fits is read for long", () => {
  const parts = ["\\111111", "\\1 ", ":is(", "[a='", "[a=a ", "a ", "-", ":nth-child(2n + ", ".a,"];
  const before = processorMs();
  for (const part of parts) {
    const text = part.repeat(selectorCharsMax / part.length);
    for (const end of ["", "!", " !", "]!"]) isSelector(`[${text}${end}`);
    for (const end of ["", "!", " !", ")!"]) isSelector(`.${text}${end}`);
  }
  expect(processorMs() - before).toBeLessThan(1_000);
});
