import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/random/any-character";
import { hiddenPoints } from "../../test/support/random/hidden-points";
import { wireJson } from "./wire-json";

test("each code unit of what cannot be seen is an escape, and a parser reads the same", () => {
  for (const point of hiddenPoints) {
    const text = `a${String.fromCodePoint(point)}b`;
    const wire = wireJson(JSON.stringify(text));
    expect([point, wire]).toEqual([point, expect.stringMatching(/^[\x20-\x7e]*$/)]);
    expect(JSON.parse(wire)).toBe(text);
  }
});

test("the neighbours of what cannot be seen stand as they are", () => {
  const hidden = new Set(hiddenPoints);
  const around = hiddenPoints.flatMap((point) => [point - 1, point + 1]);
  for (const point of around.filter((one) => one >= 0x20 && !hidden.has(one))) {
    const json = JSON.stringify(String.fromCodePoint(point));
    expect([point, wireJson(json)]).toEqual([point, json]);
  }
});

test("JSON stays JSON: any value, white space between values, twice as once", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      const wire = wireJson(JSON.stringify(value, null, "\t"));
      expect(JSON.stringify(JSON.parse(wire))).toBe(JSON.stringify(value));
      expect(wireJson(wire)).toBe(wire);
    }),
  );
});
