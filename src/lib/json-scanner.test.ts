import { expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../test/support/random/cases";
import { JsonScanner } from "./json-scanner";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
function isWalkedOver(text: string): boolean {
  try {
    const scanner = new JsonScanner(text);
    scanner.skip();
    scanner.end();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
}

test("takes what JSON.parse takes, and nothing else", () => {
  const texts = [
    ...[
      "",
      " ",
      "null",
      "nul",
      "nullx",
      "true",
      "false",
      "falsetrue",
      "[]",
      "[,]",
      "[1,]",
      "[1 2]",
    ],
    ...[
      "{}",
      "{,}",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      "{a:1}",
      '{"a":1 "b":2}',
      '{"a":1}}',
      "[[]",
      "]",
    ],
    ...[
      "0",
      "-0",
      "00",
      "01",
      "-",
      "+1",
      "1.",
      ".5",
      "1.5",
      "1e5",
      "1E+5",
      "1e-5",
      "1e",
      "1e+",
      "0x1",
    ],
    ...['"', '"a', '"\\"', '"\\q"', '"\\u12"', '"\\u12fG"', '"\\u12Fa"', '"\n"', '"\u007f"', "'a'"],
    ...[
      '" "',
      "\t[\r\n1 ,\n2 ] ",
      "\u00a0[]",
      "\ufeff[]",
      "[1]\u2028",
      "NaN",
      "1,2",
      "/**/1",
      '"\ud800"',
    ],
  ];
  for (const text of texts) expect([text, isWalkedOver(text)]).toEqual([text, isJson(text)]);
});

test("agrees with JSON.parse on random texts, whole and spoiled", () => {
  const json = fc.oneof(
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
  );
  const piece = fc.constantFrom(...'[]{}:,"\\ue1.-+0 \n', "null", "\\u00e9", "1e9");
  const spoiled = fc.tuple(json, fc.nat(), fc.nat(3), piece).map(([text, at, length, other]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + other + text.slice(from + length);
  });
  fc.assert(
    fc.property(fc.oneof(json, spoiled), (text) => {
      expect(isWalkedOver(text)).toBe(isJson(text));
    }),
    { numRuns: cases(100, 800) },
  );
});

test("is not bounded by the stack", () => {
  const deep = 500_000;
  expect(isWalkedOver("[".repeat(deep) + "]".repeat(deep))).toBe(true);
  expect(isWalkedOver(`${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`)).toBe(true);
  expect(isWalkedOver("[".repeat(deep))).toBe(false);
});
