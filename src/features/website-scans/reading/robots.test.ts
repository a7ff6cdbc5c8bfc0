import { describe, expect, test } from "bun:test";
import { cases } from "../../../../test/support/random/cases";
import { processorMs } from "../../../../test/support/suite/processor-time";
import { robotsOf } from "./robots";

const allows = (rules: string, path: string): boolean =>
  robotsOf(`User-agent: *\n${rules}`)(new URL(path, "https://example.com"));

describe("robots.txt", () => {
  test.each([
    ["Disallow: /a", "/a/b", false],
    ["Disallow: /a", "/b/a", true],
    ["Disallow: /a$", "/a", false],
    ["Disallow: /a$", "/ab", true],
    ["Disallow: /*.pdf$", "/x/y.pdf", false],
    ["Disallow: /*.pdf$", "/x/y.pdf?z", true],
    ["Disallow: /a*b*c", "/a-b-c-d", false],
    ["Disallow: /a*b*c", "/a-c-b", true],
    ["Disallow: /ab*ba$", "/aba", true],
    ["Disallow: *", "/a", false],
    ["Disallow: /\nAllow: /a", "/a", true],
    ["Disallow: /a\nAllow: /a", "/a", true],
    ["Allow: /a\nDisallow: /a/b", "/a/b", false],
    ["Disallow: /é", "/%c3%a9", false],
    ["Disallow: /%c3%a9", "/é", false],
    ["Disallow: /a?b=", "/a?b=1", false],
    ["Disallow:", "/a", true],
    ["Disallow /a", "/a", true],
  ])("%j for %s: %p", (rules, path, isAllowed) => {
    expect(allows(rules, path)).toBe(isAllowed);
  });

  test("is compared with many addresses in bounded time, however it is written", () => {
    const address = `/${"a".repeat(1_900)}`;
    const addresses = Array.from(
      { length: cases(25, 100) },
      (_, at) => new URL(`${address}${at}`, "https://e.test"),
    );
    const stars = `/${"*a".repeat(7)}b`;
    const long = `/*${"a".repeat(900)}b${"a".repeat(20)}`;
    const names = "User-agent: x\n".repeat(2_000);
    for (const text of [
      `User-agent: *\n${`Disallow: ${stars}\n`.repeat(4_990)}`,
      `User-agent: *\n${`Disallow: ${long}\n`.repeat(550)}`,
      `${names}User-agent: *\n${"Disallow: /x\n".repeat(2_900)}`,
      `User-agent: *\n${"Disallow: /*\n".repeat(4_990)}`,
      `User-agent: *\nDisallow: ${"/".repeat(500_000)}`,
    ]) {
      const startedMs = processorMs();
      const robots = robotsOf(text);
      for (const one of addresses) robots(one);
      expect(processorMs() - startedMs).toBeLessThan(40 * addresses.length);
    }
  });
});
