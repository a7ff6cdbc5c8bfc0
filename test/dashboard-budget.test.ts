import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { buildDashboard } from "../src/dashboard/build";

const kilobyte = 1_000;
const everythingBytesMax = 100 * kilobyte;
const firstViewBytesMax = 60 * kilobyte;

const { files, script, style } = await buildDashboard();
const sizeOf = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(files[name] ?? "", { level: 9 }).length, 0);

/** A script and what it imports at once; what it imports later, by a call, is not among them. */
function atOnce(name: string, known: Set<string> = new Set()): Set<string> {
  known.add(name);
  for (const [, other = ""] of (files[name] ?? "").matchAll(/\bfrom\s*"\.\/([\w.-]+)"/g)) {
    if (!known.has(other)) atOnce(other, known);
  }
  return known;
}

describe("what a browser loads of the dashboard, compressed", () => {
  test("all of it is at most 100 kB", () => {
    expect(Object.keys(files).length).toBeGreaterThan(5);
    expect(sizeOf(Object.keys(files))).toBeLessThan(everythingBytesMax);
  });

  test("the first view is at most 60 kB, and the other pages come later", () => {
    const first = [...atOnce(script), style];
    expect(first.length).toBeLessThan(Object.keys(files).length);
    expect(sizeOf(first)).toBeGreaterThan(10 * kilobyte);
    expect(sizeOf(first)).toBeLessThan(firstViewBytesMax);
  });

  test("every name says its content, so that browsers may keep it for good", () => {
    const odd = Object.keys(files).filter((name) => !/-[a-z0-9]{8}\.(js|css)$/.test(name));
    expect(odd).toEqual([]);
  });
});
