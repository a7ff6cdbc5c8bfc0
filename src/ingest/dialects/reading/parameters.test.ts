import { expect, test } from "bun:test";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { isRefusal } from "../../refusal";
import { readParameters } from "./parameters";

const pieces = [
  ...["a", "b", "é", "😀", "\ud83d", "\udc00", "=", "=", "&", "&", "?", "+", " ", "#", ";"],
  ...["%", "%2", "%20", "%26", "%3D", "%2B", "%C3%A9", "%C3", "%F0%9F%98%80", "%ED%A0%80", "%00"],
  ...["%EF%BB%BF", "\ufeff", "%ZZ", "%c3%a9", "__proto__", "%25"],
];

/** Whether all of a text is percent-encoding of UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

test("parameters are those of URLSearchParams, the first of equal ones, unless a % stands for no text", () => {
  const random = randomFrom(randomSeed());
  let refused = 0;
  const tries = cases(5_000, 100_000);
  for (let at = 0; at < tries; at++) {
    const text = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join("");
    const found = readParameters(text);
    if (isRefusal(found)) {
      refused++;
      expect([random.seed, text, isDecodable(text.toWellFormed())]).toEqual([
        random.seed,
        text,
        false,
      ]);
      continue;
    }
    const expected = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text))
      if (!expected.has(name)) expected.set(name, value);
    expect([random.seed, text, [...found]]).toEqual([random.seed, text, [...expected]]);
  }
  expect(refused).toBeWithin(1, tries);
});
