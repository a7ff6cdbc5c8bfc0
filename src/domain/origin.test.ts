import { describe, expect, test } from "bun:test";
import { originsOf } from "./origin";

const allowed = (list: string): string => originsOf(list, "allowed_origins").allowed;

describe("an origin in its normal form", () => {
  test.each([
    ["example.com", "https://example.com"],
    [" Example.COM ", "https://example.com"],
    ["https://example.com/path?query#fragment", "https://example.com"],
    ["example.com/path", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["http://example.com:443", "http://example.com:443"],
    ["HTTPS://example.com:8443", "https://example.com:8443"],
    ["localhost:3000", "https://localhost:3000"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["*.example.com", "https://*.example.com"],
    ["http://*.Example.com:80", "http://*.example.com"],
    ["münchen.example", "https://xn--mnchen-3ya.example"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["*", "*"],
    ["example.com,*", "*"],
    ["a.example, b.example,https://a.example", "https://a.example,https://b.example"],
  ])("%s → %s", (given, normal) => expect(allowed(given)).toBe(normal));

  test("is its own normal form", () => {
    const once = allowed("A.example:443/x, *.B.example, http://c.example:8080");
    expect(allowed(once)).toBe(once);
  });
});

test.each([
  [""],
  [" "],
  [","],
  ["example.com,"],
  ["https://"],
  ["https:///path"],
  ["exa mple.com"],
  ["https://user@example.com"],
  ["https://user:secret@example.com"],
  ["https://example.com:99999"],
  ["foo.*.example.com"],
  ["*.*.example.com"],
  ["*example.com"],
  ["https://*"],
  ["example..com"],
  ["exa\u0000mple.com"],
  ["https://exam<script>ple.com"],
  [`${"a".repeat(64)}.example`],
  [`${"a.".repeat(127)}example`],
  ['https://example.com"onload="x'],
])("%j is refused, and the field is named", (given) => {
  expect(() => allowed(given)).toThrow(
    expect.objectContaining({ code: "MISSING_FIELDS", extras: { field: "allowed_origins" } }),
  );
});

test("20 origins fit, 21 do not; repeats do not count", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `s${n}.example`);
  expect(allowed(many(20).join(",")).split(",")).toHaveLength(20);
  expect(allowed([...many(20), "s0.example"].join(",")).split(",")).toHaveLength(20);
  expect(() => allowed(many(21).join(","))).toThrow("at most 20");
});

test("the primary one is the first that names one site", () => {
  const primary = (list: string) => originsOf(list, "allowed_origins").primary;
  expect(primary("*.example.com,https://b.example,https://c.example")).toBe("https://b.example");
  expect(primary("*,b.example")).toBe("https://b.example");
  expect(primary("*")).toBeNull();
  expect(primary("*.example.com")).toBeNull();
});
