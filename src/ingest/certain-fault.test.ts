import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../test/support/random/cases";
import { propertiesBytesMax, propertiesDepthMax } from "../domain/limits";
import { JsonScanner } from "../lib/json-scanner";
import { certainFault } from "./certain-fault";
import { isObject, judgeProperties } from "./properties";

function judged(text: string): string | null {
  const json: unknown = JSON.parse(text);
  return isObject(json) ? judgeProperties(json).fault : null;
}
function scanned(text: string): string | null {
  const scanner = new JsonScanner(text);
  const fault = certainFault(scanner);
  scanner.end();
  return fault;
}
const nested = (levels: number): string =>
  levels === 1 ? "{}" : `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

describe("what is certainly wrong with properties", () => {
  test("is told on both sides of each bound, as of parsed ones", () => {
    const around = [
      nested(propertiesDepthMax),
      nested(propertiesDepthMax + 1),
      `{"a":"${"x".repeat(propertiesBytesMax - 8)}"}`,
      `{"a":"${"x".repeat(propertiesBytesMax - 7)}"}`,
      `{"a":[${"1,".repeat(propertiesBytesMax / 2 - 5)}1]}`,
      `{"a":[${"1,".repeat(propertiesBytesMax / 2 - 3)}1]}`,
      `{${Array.from({ length: 800 }, (_, key) => `"${1000 + key}":1`)}}`,
      `{${Array.from({ length: 1100 }, (_, key) => `"${1000 + key}":1`)}}`,
    ];
    expect(around.map(scanned)).toEqual(around.map(judged));
    expect(new Set(around.map(scanned))).toEqual(new Set([null, "too deep", "too large"]));
  });

  test("is nothing where the last of a key's values is in order", () => {
    const large = `[${"{},".repeat(5_000)}{}]`;
    const deep = "[".repeat(2_000) + "]".repeat(2_000);
    const texts = [
      `{"a":${large},"a":1}`,
      `{"a":${deep},"a":1}`,
      `{"a":1,"\\u0061":${large}}`,
      `{"a":{"b":${large},"b":${deep},"b":1}}`,
      `{${'"same":1,'.repeat(5_000)}"same":2}`,
      `{"a": ${" ".repeat(20_000)} 1}`,
      `{"n":1.${"0".repeat(20_000)}}`,
      `{"s":"${"\\u0041".repeat(4_000)}"}`,
    ];
    expect(texts.map(scanned)).toEqual(texts.map(judged));
  });

  test("is what the judgement of the parsed ones says, for any", () => {
    const key = fc.constantFrom("a", "b", "7", "ü", "__proto__", "x".repeat(3_000), "\\u0061");
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("1", "null", '"s"', '"\\ud83d"', `"${"y".repeat(2_500)}"`, nested(64)),
        fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" , ")}]`),
        fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(objectText),
      ),
    }));
    const properties = fc.array(fc.tuple(key, value), { maxLength: 5 }).map(objectText);
    fc.assert(
      fc.property(properties, (text) => {
        const found = scanned(text);
        const expected = judged(text);
        // Where both are wrong, either may be named. Escapes count only when the text is measured.
        if (found !== null) expect(expected).not.toBeNull();
        if (expected === "too deep") expect(found).not.toBeNull();
        if (found === "too deep") expect(expected).toBe("too deep");
        if (!text.includes("\\") && !text.includes("ü"))
          expect(found === null).toBe(expected === null);
      }),
      { numRuns: cases(100, 800) },
    );
  });
});

const objectText = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`;
