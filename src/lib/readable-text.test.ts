import { expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../test/support/random/cases";
import { readableText } from "./readable-text";

test("letters beyond ASCII are readable, in either case of the digits", () => {
  expect(readableText("/%E1%83%A1%E1%83%90")).toBe("/სა");
  expect(readableText("/caf%c3%a9?q=%F0%9F%98%80#x")).toBe("/café?q=😀#x");
});

test("ASCII that is encoded stays encoded: it would change what the address means", () => {
  expect(readableText("/a%2Fb%20c%25E1%3C%00")).toBe("/a%2Fb%20c%25E1%3C%00");
});

test("a run that is no UTF-8 stays as it is", () => {
  for (const text of ["/%E1%83", "/%FF%FE", "/%ED%A0%80", "/%C0%AF", "/%E1%8", "%"]) {
    expect(readableText(text)).toBe(text);
  }
});

test("any path that a browser encodes is readable again", () => {
  const letters = fc.stringMatching(/^[\u00a1-\ud7ff]*$/);
  fc.assert(
    fc.property(letters, (text) => readableText(encodeURI(`/${text}`)) === `/${text}`),
    { numRuns: cases(200, 5_000) },
  );
});
