import { describe, expect, test } from "bun:test";
import { parse } from "acorn";
import { recorder } from "../http/pages/recorder-asset";
import { buildPlayer } from "./player/build";
import { cutOut } from "./recorder/library-cuts";

const player = await buildPlayer();
const gzipped = (text: string): number =>
  Bun.spawnSync(["gzip", "-9c"], { stdin: Buffer.from(text) }).stdout.length;

/** Every visitor of a recorded site loads it. */
const recorderBytesMax = 22_000;
const playerBytesMax = 80_000;

describe("the recorder", () => {
  test("keeps to its budget", () => {
    expect(gzipped(recorder)).toBeGreaterThan(10_000);
    expect(gzipped(recorder)).toBeLessThanOrEqual(recorderBytesMax);
  });

  test("is ASCII in the language of 2022, one expression that leaves no name behind", () => {
    expect(recorder).toMatch(/^[\x20-\x7e\n]*$/);
    const program = parse(recorder, { ecmaVersion: 2022, sourceType: "script" });
    expect(program.body.map(({ type }) => type)).toEqual(["ExpressionStatement"]);
  });

  test("needs nothing that a strict policy refuses, and no canvas", () => {
    for (const never of [/\beval\(/, /new Function\b/, /new Worker\b/, /toDataURL/, /getContext/]) {
      expect(recorder).not.toMatch(never);
    }
  });

  test("does not build when the library has changed where it is cut", () => {
    const cut = { from: "b", to: "d", instead: "-" };
    expect(cutOut("abcde", cut)).toBe("a-de");
    expect(() => cutOut("acde", cut)).toThrow("is another: b");
    expect(() => cutOut("abce", cut)).toThrow("is another: d");
  });
});

describe("the player", () => {
  test("keeps to its budget", () => {
    expect(gzipped(player)).toBeLessThanOrEqual(playerBytesMax);
  });
});

test("both carry the licences of what they contain", () => {
  for (const [script, holders] of [
    [recorder, ["SmartX"]],
    [player, ["SmartX", "Jason Miller", "Khourshid", "Hertzen", "Sitnik", "Raspopov"]],
  ] as const) {
    const notice = script.slice(0, script.indexOf("*/"));
    expect(notice).toStartWith("/*! rrweb (MIT)");
    expect(notice).toContain("The above\ncopyright notice and this permission notice");
    for (const holder of holders) expect(notice).toContain(holder);
  }
});
