import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/random/any-character";
import { cases } from "../../test/support/random/cases";
import { ObjectText, parseKeepingTexts } from "./object-text";

const kept = (text: string): unknown => parseKeepingTexts(text, "kept");
/** Returns a value as JSON.parse would have it, with kept texts parsed. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function textOf(value: unknown): string | null {
  const { kept: found } = value as { kept: unknown };
  return found instanceof ObjectText ? found.text : null;
}

describe("objects that are written as JSON.stringify writes them stay text", () => {
  test.each([
    "{}",
    '{"a":1}',
    '{"a":-1,"b":"","c":[],"d":{},"e":[{"a":[null]}],"f":true,"g":false}',
    '{"a":1.5,"b":0,"c":1e+21,"d":1e-7,"e":123456789012345,"f":9007199254740991}',
    '{"a":"\\"\\\\\\b\\f\\n\\r\\t / é 😀"}',
    '{"__proto__":{"a":1},"constructor":2}',
    '{"a":{"a":{"a":1},"b":2},"b":{"a":3}}',
    '{"}":"{","\\u007f":"]"}'.replace("\\u007f", "\u007f"),
  ])("%s", (text) => {
    const read = kept(`{"x":[1,"a"],"kept":${text}}`);
    expect(textOf(read)).toBe(text);
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(plain(read)).toEqual({ x: [1, "a"], kept: JSON.parse(text) });
  });

  test("at any place", () => {
    const read = kept('{"list":[{"kept":{"a":1}},{"kept":{"kept":{}}},{"kept":2}]}') as {
      list: unknown[];
    };
    expect(read.list.map(textOf)).toEqual(['{"a":1}', '{"kept":{}}', null]);
  });
});

test("spaces in between are left out", () => {
  const value = { x: [1, " a , b "], kept: { a: [true, null, "\n {"], " b ": { c: -1.5 } } };
  for (const space of [1, 2, "\t"]) {
    const text = ` ${JSON.stringify(value, null, space)}\r\n`;
    expect(textOf(kept(text))).toBe(JSON.stringify(value.kept));
    expect(plain(kept(text))).toEqual(value);
  }
  expect(textOf(kept('{"kept": {"a": 1, "b": [1, 2]}}'))).toBe('{"a":1,"b":[1,2]}');
});

describe("anything else is read as JSON.parse reads it", () => {
  test.each([
    '{"a":1,"a":2}',
    '{"b":1,"1":2}',
    '{"a":-0}',
    '{"a":1.0}',
    '{"a":1E5}',
    '{"a":12345678901234567890}',
    '{"a":"\\u0041"}',
    '{"a":"\\/"}',
    '{"\\n":1}',
    `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  ])("%s", (text) => {
    expectRead(text);
  });
  test("an object of 5,000 keys", () => {
    expectRead(`{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`)}}`);
  });
  const expectRead = (text: string): void => {
    const read = kept(`{"kept":${text}}`);
    expect(textOf(read)).toBeNull();
    expect(read).toEqual({ kept: JSON.parse(text) });
  };

  test.each([
    ...["", "{", "[", '"', '{"kept":{', '{"kept":{"a":}}', '{"kept":{"a"}}', '{"kept":{"a":1,}}'],
    ...[
      '{"kept":{"a":Infinity}}',
      '{"kept":{"a":-Infinity}}',
      '{"kept":{"a":+1}}',
      "[1,]",
      "nul",
      "[1 2]",
    ],
    ...["[tr ue]", "[- 1]", '["a" "b"]', "{} {}", '{"kept":{"a":1 2}}', '{"kept": {"a" 1}}', " "],
    ...['{"kept":{"a":01}}', '{"kept":{"a":1.}}', '{"kept":{"a":.5}}', '{"kept":{"a":-}}', "{}{}"],
    ...['{"kept":{"a":"\n"}}', '{"kept":{"a":"\\x"}}', '{"kept":{a:1}}', '{"kept":{"a":tru}}'],
  ])("or refused as it refuses: %s", (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => kept(text)).toThrow(SyntaxError);
  });

  test("a key __proto__ is a key like any other", () => {
    const read = kept('{"__proto__":{"kept":1},"kept":{}}');
    expect(Object.keys(read as object)).toEqual(["__proto__", "kept"]);
  });
});

test("agrees with JSON.parse on any value, spoiled ones included", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("kept", "a", "1", '"', "\\", "\n", "__proto__", "é😀"),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -0, 1e21, 1e-7, 0.1),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      text,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 5 }),
    ),
  }));
  const spoil = fc.option(fc.tuple(fc.nat(200), fc.constantFrom(...' "\\{}[]:,-0e.1n\n')));
  fc.assert(
    fc.property(tree, fc.nat(2), spoil, (value, space, spoiled) => {
      let written = JSON.stringify({ kept: value }, null, space);
      if (spoiled !== null) {
        const [at, character] = spoiled;
        written = (written.slice(0, at) + character + written.slice(at + 1)).toWellFormed();
      }
      const wanted = outcome(() => JSON.parse(written));
      const got = outcome(() => kept(written));
      expect(got === "refused" ? got : JSON.stringify(got)).toBe(
        wanted === "refused" ? wanted : JSON.stringify(wanted),
      );
      if (got !== "refused") expectTextsAreWrittenSo(got);
    }),
    { numRuns: cases(100, 800) },
  );
});

function outcome(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return "refused";
  }
}

function expectTextsAreWrittenSo(value: unknown): void {
  if (value instanceof ObjectText) expect(JSON.stringify(value.parse())).toBe(value.text);
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) expectTextsAreWrittenSo(part);
  }
}
