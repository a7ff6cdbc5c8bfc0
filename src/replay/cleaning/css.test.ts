import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../../test/support/random/cases";
import { css, cssPart, cssParts } from "./css";
import { wordsOf } from "./values";

/**
 * What a browser would load by, found without regard to strings and comments. A letter counts however it is written;
 * any other escape stands for a sign that is part of a name.
 */
function loadsIn(text: string): string[] {
  let read = "";
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "\\") {
      read += text[at];
      continue;
    }
    const hex = /^[0-9a-f]{1,6}/i.exec(text.slice(at + 1, at + 7))?.[0];
    const sign = hex ? String.fromCodePoint(Number.parseInt(hex, 16) % 0x11_0000) : text[at + 1];
    read += sign !== undefined && /[a-z-]/i.test(sign) ? sign : "\ufffc";
    at += hex?.length ?? 1;
    if (hex && /[ \n\t\r\f]/.test(text[at + 1] ?? "")) at += 1;
  }
  const harmless = /^(?:\)|"#[\w.:-]+"\)|"data:(?:image|font|application)\/[^"'()\\\s]*"\))/;
  const calls = [...read.matchAll(/url\(/gi)].filter(
    ({ index }) => !harmless.test(read.slice(index + 4)),
  );
  return [
    ...calls.map(({ index }) => read.slice(index, index + 30)),
    ...(read.match(/@import|(?:image-set|image|src)\(/gi) ?? []),
  ];
}

const nasty = fc.constantFrom(
  ...wordsOf(`
    u r l ur rl url( URL( \\75 \\75rl( \\000075 \\72 \\6c ( ) ' " \\ \\\\ / /* */ @ @im port import
    @import \\40 \\69 image-set( -set( image src( sr c( \\2d \\- { } ; : a #a //evil
    data:image/png;base64,AA
  `),
  "data:image/svg+xml,<a>",
  "/* rr_split */",
  " ",
  "\n",
  "\u00e9",
  "\ud800",
  "\0",
);
const nastyText = fc.array(nasty, { maxLength: 14 }).map((parts) => parts.join(""));

describe("CSS that loads", () => {
  test("is emptied, whatever it is written like", () => {
    for (const text of [
      '@import "//evil"',
      "a{b:url(//evil)}",
      "a{b:u\\rl(//evil)}",
      "a{b:\\75 rl(//evil)}",
      "a{b:\\000075rl(//evil)}",
      "a{b:u\\72l(//evil)}",
      "@\\69mport '//evil'",
      "@im@import x;port '//evil'",
      "a{b:URL('//evil')}",
      'a{b:image-set("//evil" 1x)}',
      'a{b:image\\2d set("//evil" 1x)}',
      'a{b:image\\-set("//evil" 1x)}',
      "a{b:url(\n//evil\n)}",
      "a{b:url(//evil",
      'a{b:url("//evil',
      "a{b:url(#x\\29 //evil)}",
    ]) {
      expect([text, loadsIn(text).length > 0]).toEqual([text, true]);
      expect([text, loadsIn(css(text))]).toEqual([text, []]);
    }
  });

  test("cannot hide behind a quote that is read in two ways", () => {
    const hidden = `a{content:" url('data:image/svg+xml,x;} body{background:url(//evil)}') "}`;
    expect(css(hidden)).toBe(
      'a{content:" url("data:image/svg+xml,x;%7d%20body%7bbackground:url%28//evil%29%7d") "}',
    );
  });

  test("cannot be put together from what was taken away", () => {
    expect(loadsIn(css("a{b:ur\\6\\63 (//evil)}"))).toEqual([]);
    expect(loadsIn(css("a{b:\\7\\35 rl(//evil)}"))).toEqual([]);
    expect(
      loadsIn(cssParts("a{b:ur/* rr_split */l(//evil)}").replaceAll("/* rr_split */", "")),
    ).toEqual([]);
  });

  test("cannot be put together by an escape that takes in the space between two parts", () => {
    for (const half of ["\\75", "\\00075", "\\000075", "\\000055"]) {
      expect([half, loadsIn(`${half} rl(//evil)`).length]).toEqual([half, 1]);
      expect([half, loadsIn(cssPart(half) + cssPart("rl(//evil)"))]).toEqual([half, []]);
    }
  });

  test("does not load, alone or joined, and cleaning it once is enough", () => {
    fc.assert(
      fc.property(fc.array(nastyText, { maxLength: 5 }), (texts) => {
        for (const clean of [css, cssPart, cssParts]) {
          for (const text of texts) {
            const once = clean(text);
            expect(loadsIn(once)).toEqual([]);
            expect(clean(once)).toBe(once);
          }
        }
        expect(loadsIn(texts.map(cssPart).join(""))).toEqual([]);
        const joined = cssParts(texts.join("/* rr_split */")).replaceAll("/* rr_split */", "");
        expect(loadsIn(joined)).toEqual([]);
      }),
      { numRuns: cases(200, 1_500) },
    );
  });
});

describe("CSS that does not load", () => {
  test("stays as it was written", () => {
    for (const text of [
      '.x::before{content:"\\f101"}',
      ".sm\\:w-1\\/2{width:50%}",
      ".\\32xl{color:rgb(1 2 3)}",
      "@media (min-width:1px){a{width:calc(1px + var(--x))}}",
      '.icon{background:url("data:image/png;base64,AA==")}',
      'rect{fill:url("#gradient")}',
      "a:not(.b):is(c){src:local(x)}",
      'a{content:"C:\\75 sers"}',
    ]) {
      expect(css(text)).toBe(text);
    }
  });

  test("keeps pictures and fonts that it holds itself", () => {
    expect(css(`a{b:url("data:image/svg+xml,<svg fill='red'/>")}`)).toBe(
      'a{b:url("data:image/svg+xml,%3csvg%20fill=%27red%27/%3e")}',
    );
    expect(css("@font-face{src:url( 'data:font/woff2;base64,AA' )}")).toBe(
      '@font-face{src:url("data:font/woff2;base64,AA")}',
    );
  });
});
