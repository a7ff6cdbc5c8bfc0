import { describe, expect, test } from "bun:test";
import { isAllowedOrigin } from "./allowed-origin";

const passes = (origin: string | null, allowed: string): boolean =>
  isAllowedOrigin(origin, allowed);

describe("a request with an Origin header", () => {
  test.each([
    ["https://example.com", "https://example.com"],
    ["https://EXAMPLE.com", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["https://example.com:8443", "https://example.com:8443"],
    ["https://www.example.com", "https://example.com"],
    ["https://example.com", "https://www.example.com"],
    ["https://b.example.org", "https://a.example.org,https://b.example.org"],
    ["https://a.example.com", "https://*.example.com"],
    ["https://a.b.c.example.com", "https://*.example.com"],
    ["https://www.example.com", "https://*.example.com"],
    ["http://localhost:8080", "http://localhost:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["app://desktop", "app://desktop"],
    ["https://anything.test", "*"],
    ["https://anything.test", "https://example.com,*"],
    ["null", "*"],
    ["what is this", "*"],
  ])("%s passes %s", (origin, allowed) => expect(passes(origin, allowed)).toBe(true));

  test.each([
    ["http://example.com", "https://example.com"],
    ["https://example.com:8443", "https://example.com"],
    ["https://example.com", "https://example.com:8443"],
    ["https://example.org", "https://example.com"],
    ["https://evil-example.com", "https://example.com"],
    ["https://a.example.com", "https://example.com"],
    ["https://www.a.example.com", "https://example.com"],
    ["https://wwwexample.com", "https://example.com"],
    ["https://example.com", "https://*.example.com"],
    ["https://evilexample.com", "https://*.example.com"],
    ["https://.example.com", "https://*.example.com"],
    ["https://evil.test\\.example.com", "https://*.example.com"],
    ["http://a.example.com", "https://*.example.com"],
    ["https://a.example.com:8443", "https://*.example.com"],
    ["https://*.example.com", "https://*.example.com"],
    ["https://example.com.evil.test", "https://example.com"],
    ["https://example.com/path", "https://example.com"],
    ["https://user@example.com", "https://example.com"],
    ["null", "https://example.com"],
    ["", "https://example.com"],
    ["*", "https://example.com"],
    ["https://", "https://example.com"],
  ])("%j is refused by %s", (origin, allowed) => expect(passes(origin, allowed)).toBe(false));

  test("a www counterpart keeps scheme and port", () => {
    expect(passes("https://www.example.com:8443", "https://example.com:8443")).toBe(true);
    expect(passes("https://www.example.com:8443", "https://example.com")).toBe(false);
    expect(passes("http://www.example.com", "https://example.com")).toBe(false);
  });
});

test("a request without one is a server's and passes", () => {
  expect(passes(null, "https://example.com")).toBe(true);
});
