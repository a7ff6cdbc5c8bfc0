import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/random/any-character";
import { textOf } from "../../../domain/filter";
import { DamagedBlob } from "../../damage";
import { Texts } from "./texts";

const textsOf = (texts: Texts): (string | null)[] =>
  Array.from({ length: texts.length }, (_, index) => texts.text(index));

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom("", '"', "\\", "\0", "\ud800", "a,b", "[1]", "😀", "é", "\\u0041"),
  fc.jsonValue(),
);

test("values are as they compare, however they are read", () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 50 }), (values) => {
      // The text is as it is stored: what JSON cannot carry has become something else.
      const json = JSON.stringify(values);
      const stored: unknown[] = JSON.parse(json);
      const wanted = stored.map(textOf);
      expect(textsOf(Texts.of(stored))).toEqual(wanted);
      expect(textsOf(Texts.parse(Buffer.from(json)))).toEqual(wanted);
    }),
  );
});

test("a text that is no JSON list is damaged", () => {
  for (const json of ['["a""b"]', '["a', '[{"a":1]', '["\\"]']) {
    expect(() => Texts.parse(Buffer.from(json))).toThrow(DamagedBlob);
  }
});
