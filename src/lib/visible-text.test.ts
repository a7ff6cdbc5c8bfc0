import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/random/any-character";
import { visibleJson, visibleText } from "./visible-text";

const unvisible = (text: string): string =>
  text.replace(/\\u\{([0-9A-F]+)\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
/** Texts with more of what matters here than chance brings. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        "\\",
        "\\u{",
        "u{41}",
        "\u200b",
        "\u202e",
        "❤",
        "\ufe0f",
        "\u200d",
        "🔥",
        "👩🏽",
      ),
      fc.constantFrom("\ud83d", "\udd25", "\n", "\u{e0041}", "\u3164"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

/** The list a second time, as numbers. */
const hidden: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  ...([0xad, 0x34f, 0x61c, 0x3164, 0xfeff, 0xffa0] as const).map((one) => [one, one] as const),
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xd800, 0xdfff],
];
const isHidden = (point: number) => hidden.some(([from, to]) => point >= from && point <= to);

describe("a visible text", () => {
  test("has each code point that nobody sees as its number, and no other", () => {
    for (let point = 0; point <= 0x10ffff; point++) {
      const text = String.fromCodePoint(point);
      const shown = isHidden(point) ? `\\u{${point.toString(16).toUpperCase()}}` : text;
      if (visibleText(text) !== shown) throw new Error(`U+${point.toString(16)}`);
    }
  });
  test("shows a picture of several code points as one", () => {
    for (const picture of ["❤️", "👩🏽‍💻", "❤️‍🔥", "👨‍👩‍👧", "🏳️‍🌈"]) {
      expect(visibleText(`a${picture}b`)).toBe(`a${picture}b`);
    }
    expect(visibleText("a\u200db, 1\ufe0f, 🔥\u200d")).toBe("a\\u{200D}b, 1\\u{FE0F}, 🔥\\u{200D}");
  });
  test("tells an escape from a text that looks like one", () => {
    expect(visibleText("\\u{200B}")).toBe("\\u{5C}u{200B}");
    expect(visibleText("\\\\u{ \\u0041")).toBe("\\\\u{5C}u{ \\u0041");
  });
  test("leads back, whatever the text", () => {
    fc.assert(fc.property(texts, (text) => unvisible(visibleText(text)) === text));
  });
});

describe("visible JSON", () => {
  test("is the same value to any parser, and hides nothing", () => {
    expect(visibleJson({ "a\u200b": "\u{e0041}\n" })).toBe('{"a\\u200b":"\\udb40\\udc41\\n"}');
    fc.assert(
      fc.property(texts, (text) => {
        const json = visibleJson({ [text]: [text] });
        expect(JSON.parse(json)).toEqual({ [text]: [text] });
        expect(visibleText(json).replaceAll("\\u{5C}u{", "\\u{")).toBe(json);
        expect(JSON.parse(unvisible(visibleText(json)))).toEqual({ [text]: [text] });
      }),
    );
  });
});
