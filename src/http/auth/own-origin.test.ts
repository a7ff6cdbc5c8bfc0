import { describe, expect, test } from "bun:test";
import { addressOfPage, foreignPage, isForeignOrigin, isOwnOrigin } from "./own-origin";

const headers = (origin: string | null, host: string): Headers =>
  new Headers({ host, ...(origin === null ? {} : { origin }) });

const configOf = (publicUrl: string, publicUrlIsSet = true) => ({
  ...{ publicUrl, publicOrigin: publicUrl, basePath: "", publicUrlIsSet },
});

describe("below a path", () => {
  const config = {
    ...configOf("https://example.com/stats"),
    ...{ publicOrigin: "https://example.com", basePath: "/stats" },
  };
  test("the origin alone is ours, and addresses have the path", () => {
    const own = headers("https://example.com", "example.com");
    expect(isOwnOrigin(config, own)).toBe(true);
    expect(addressOfPage(config, own)).toBe("https://example.com/stats");
    expect(addressOfPage(config, headers(null, "example.com"))).toBe("https://example.com/stats");
    expect(isOwnOrigin(config, headers("https://example.com/stats", "example.com"))).toBe(false);
  });
});

describe("with PUBLIC_URL", () => {
  const config = configOf("https://stats.example.com");
  test.each([
    ["https://stats.example.com", "10.0.0.1:3000", true],
    ["http://stats.example.com", "stats.example.com", false],
    ["https://stats.example.com:8443", "stats.example.com:8443", false],
    ["https://evil.example", "evil.example", false],
    ["https://stats.example.com.evil.example", "stats.example.com", false],
    ["null", "stats.example.com", false],
    [null, "stats.example.com", false],
  ])("%j asked as %s: %p", (origin, host, isOwn) => {
    expect(isOwnOrigin(config, headers(origin, host))).toBe(isOwn);
  });
});

describe("while it is unset, the Host header decides too", () => {
  const config = configOf("http://localhost:3000", false);
  test.each([
    ["http://localhost:3000", "anything", true],
    ["http://192.0.2.1:3000", "192.0.2.1:3000", true],
    ["http://Stats.local:3000", "stats.local:3000", true],
    ["https://stats.example.com", "stats.example.com", true],
    ["https://stats.example.com", "stats.example.com:443", true],
    ["http://192.0.2.1:3001", "192.0.2.1:3000", false],
    ["https://evil.example", "192.0.2.1:3000", false],
    ["ftp://192.0.2.1", "192.0.2.1", false],
    ["null", "null", false],
    ["", "", false],
  ])("%j asked as %s: %p", (origin, host, isOwn) => {
    expect(isOwnOrigin(config, headers(origin, host))).toBe(isOwn);
  });
});

test("a program sends no Origin and is no foreign page", () => {
  const config = configOf("http://localhost:3000");
  expect(isForeignOrigin(config, headers(null, "localhost:3000"))).toBe(false);
  expect(isForeignOrigin(config, headers("null", "localhost:3000"))).toBe(true);
});

test("a refusal names PUBLIC_URL while it is not set", () => {
  const refusal = (publicUrlIsSet: boolean) =>
    foreignPage(configOf("http://localhost:3000", publicUrlIsSet), "Sign in from a page of");
  expect(refusal(true).message).toBe("Sign in from a page of http://localhost:3000.");
  expect(refusal(false).message).toMatch(
    /^Sign in from a page of http:..localhost:3000\. .+ PUBLIC_URL/,
  );
  expect(refusal(false).code).toBe("CSRF_FAILED");
});

test("the address of a page is its origin where that is ours and plain", () => {
  const config = configOf("http://localhost:3000", false);
  const address = (origin: string | null, host: string) =>
    addressOfPage(config, headers(origin, host));
  expect(address("https://a.example", "a.example")).toBe("https://a.example");
  expect(address("https://b.example", "a.example")).toBe(config.publicUrl);
  expect(address(null, "a.example")).toBe(config.publicUrl);
  expect(address("http://a'$(x)", "a'$(x)")).toBe(config.publicUrl);
});
