import { describe, expect, test } from "bun:test";
import { emailOf, newPasswordOf } from "./identity";

describe("an email address", () => {
  test.each([
    [" Me@Example.COM ", "me@example.com"],
    ["first.last+tag@sub.example.co.uk", "first.last+tag@sub.example.co.uk"],
    ["admin@localhost", "admin@localhost"],
    ["o'neil@example.com", "o'neil@example.com"],
    ["jürgen@münchen.example", "jürgen@münchen.example"],
  ])("%j → %s", (given, normal) => expect(emailOf(given)).toBe(normal));

  test.each([
    [""],
    ["me"],
    ["@example.com"],
    ["me@"],
    ["me@@example.com"],
    ["me@exa mple.com"],
    ["me @example.com"],
    ["me@example..com"],
    ["me@-example.com"],
    ["me@example.com\u0000"],
    ["me\ud800@example.com"],
    ["<me@example.com>"],
    ["a@b.example,c@d.example"],
    [`${"a".repeat(65)}@example.com`],
  ])("%j is refused", (given) => expect(() => emailOf(given)).toThrow("must be an email address"));

  test("254 characters fit, 255 do not", () => {
    const local = "a".repeat(64);
    const exact = `${local}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
    expect(exact).toHaveLength(254);
    expect(emailOf(exact)).toBe(exact);
    expect(() => emailOf(`${exact}d`)).toThrow();
  });
});

describe("a new password", () => {
  test.each([[10], [200]])("may have %d characters", (length) => {
    expect(newPasswordOf("x".repeat(length))).toHaveLength(length);
  });
  test.each([[9], [201]])("may not have %d", (length) => {
    expect(() => newPasswordOf("x".repeat(length))).toThrow("10 to 200");
  });
  test("characters are code points, not units of them", () => {
    expect(newPasswordOf("𝒳".repeat(200))).toHaveLength(400);
    expect(() => newPasswordOf("𝒳".repeat(9))).toThrow();
  });
  test("is taken as it is, spaces included", () => {
    expect(newPasswordOf("  ten chars  ")).toBe("  ten chars  ");
  });
});
