import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { goldenOf, goldenPath } from "./golden";
import { kindsWithSamples } from "./samples";

for (const kind of kindsWithSamples) {
  test(`what clients of ${kind} send becomes the submissions of the golden file`, () => {
    const kept = JSON.parse(readFileSync(goldenPath(kind), "utf8"));
    expect(JSON.parse(goldenOf(kind))).toEqual(kept);
  });
}
