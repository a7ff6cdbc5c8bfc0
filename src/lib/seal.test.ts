import { expect, test } from "bun:test";
import fc from "fast-check";
import { Seal } from "./seal";

const seal = new Seal("secret", "tests");

test("what is sealed can be opened, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(seal.open(seal.close(text, "req_1"), "req_1")).toBe(text);
    }),
  );
});

test("it does not hold the text, and no two are alike", () => {
  const [one, other] = [seal.close("aae_1234", "req_1"), seal.close("aae_1234", "req_1")];
  expect(one).not.toBe(other);
  expect(Buffer.from(one, "base64").includes("aae_")).toBe(false);
});

test("another owner, purpose or secret opens nothing, nor does what was altered or is none", () => {
  const sealed = seal.close("aae_1234", "req_1");
  expect(seal.open(sealed, "req_2")).toBeNull();
  expect(new Seal("secret", "other").open(sealed, "req_1")).toBeNull();
  expect(new Seal("other", "tests").open(sealed, "req_1")).toBeNull();
  const bytes = Buffer.from(sealed, "base64");
  for (let at = 0; at < bytes.length; at++) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(seal.open(altered.toString("base64"), "req_1")).toBeNull();
  }
  for (const text of ["", "AAAA", "not base64 at all !"]) {
    expect(seal.open(text, "req_1")).toBeNull();
  }
});
