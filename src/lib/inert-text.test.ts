import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/random/any-character";
import { inertText, storedText } from "./inert-text";

/** Texts with more of what matters here than chance brings. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("](", "<", "<a", "<!", "```", "````", "://", "http", "shop.example", "www."),
      fc.constantFrom("mailto:", "JavaScript:", "data:", "\\", "\\u{", "u{41}", "\u200b", "\ud83d"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("an inert text", () => {
  test.each([
    ["![x](https://evil.example/?q=1)", "![x]\\u{28}https:\\u{2F}/evil.example/?q=1)"],
    ["<script>alert(1)</script>", "\\u{3C}script>alert(1)\\u{3C}/script>"],
    ["a < b <3 <!-- x", "a < b <3 \\u{3C}!-- x"],
    ["```sh\nrm````", "\\u{60}\\u{60}\\u{60}sh\\u{A}rm\\u{60}\\u{60}\\u{60}\\u{60}"],
    ["`one` ``two``", "`one` ``two``"],
    ["WWW.evil.example", "WWW\\u{2E}evil.example"],
    [
      "mailto:a@b JavaScript:x data:text/html",
      "mailto\\u{3A}a@b JavaScript\\u{3A}x data\\u{3A}text/html",
    ],
    ["java\u200bscript:x", "java\\u{200B}script:x"],
    ["\\u{3C}a", "\\u{5C}u{3C}a"],
    ["/pricing?utm_source=x", "/pricing?utm_source=x"],
  ])("of %j is %j", (text, shown) => {
    expect(inertText(text)).toBe(shown);
    expect(storedText(shown)).toBe(text);
  });

  test("keeps addresses of the project's own host, and of no host that begins like it", () => {
    const own = "shop.example:8080";
    const inert = (text: string) => inertText(text, own);
    expect(inert("https://Shop.example:8080/a")).toBe("https://Shop.example:8080/a");
    for (const other of [
      "shop.example",
      "shop.example:80801",
      "shop.example:8080.evil",
      "x@shop.example:8080",
      "shop.example:8080\\@evil",
    ]) {
      expect([other, inert(`https://${other}/a`).includes("://")]).toEqual([other, false]);
    }
    expect(inert("https://shop.example:8080@evil.example")).toContain("\\u{2F}");
  });

  test("leads back whatever the text, so two texts stay two", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(storedText(inertText(text))).toBe(text);
        expect(storedText(inertText(text, "shop.example"))).toBe(text);
      }),
    );
  });

  test("has nothing active left", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(inertText(text)).not.toMatch(
          /\]\(|<[a-z/!]|```|:\/\/|www\.|(mailto|javascript|data):/i,
        );
      }),
    );
  });
});

test("what is no code point stays as it was written", () => {
  expect(storedText("\\u{110000} \\u{} \\u{1234567} \\u{41}")).toBe(
    "\\u{110000} \\u{} \\u{1234567} A",
  );
});
