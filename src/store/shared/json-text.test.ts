import { describe, expect, test } from "bun:test";
import { DamagedBlob } from "../damage";
import { membersOf, stringEnd, valueEnd } from "./json-text";

const values: unknown[] = [
  0,
  -1.5e-7,
  1e21,
  true,
  false,
  null,
  "",
  "a,b}]",
  'quote " and \\ backslash',
  "ends in a backslash \\",
  '\\"',
  "line\nfeed \u2028 \0 \ud800 😀",
  [],
  {},
  [1, [2, "]"], { "}": "[" }],
  { a: { "b,": [null] }, '"': "\\" },
  JSON.parse('{"__proto__": {"__proto__": 1}}'),
];

describe("texts that JSON.stringify wrote", () => {
  test("a value ends where it ends, whatever is in it and behind it", () => {
    for (const value of values) {
      for (const behind of [",1", "}", "]", ""]) {
        const text = JSON.stringify(value);
        expect(valueEnd(`[${text}${behind}`, 1)).toBe(1 + text.length);
      }
    }
  });

  test("the members of an object are found in order", () => {
    const entries = values.map((value, i) => [`${i} "key"\\`, value] as const);
    const object = JSON.stringify(Object.fromEntries(entries));
    expect(membersOf(object)).toEqual(
      entries.map(([key, value]) => [JSON.stringify(key), JSON.stringify(value)]),
    );
    expect(membersOf("{}")).toEqual([]);
  });

  test("a string that is cut off is damage, not an endless search", () => {
    expect(() => stringEnd('"abc', 0)).toThrow(DamagedBlob);
  });
});
