import { describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  everythingBytesMax,
  firstViewBytesMax,
  firstViewOf,
  requireBudget,
} from "../src/dashboard/budget";
import { buildDashboard } from "../src/dashboard/build";
import { randomFrom } from "./support/random/random";
import { pathFromRoot } from "./support/suite/sources";

const built = await buildDashboard();
const { files, script, style } = built;

/** Estimates are not trusted this close to the end. */
const farBytes = 8;
const texts = new Map<number, string>();
/** Text whose compressed size is that number of bytes; what is random cannot be made shorter than a bit a bit. */
function incompressible(bytes: number): string {
  const known = texts.get(bytes);
  if (known !== undefined) return known;
  const random = randomFrom(7);
  const sizeOf = (text: string): number => gzipSync(text, { level: 9 }).length;
  let text = "";
  for (let missing = bytes; missing > 0; missing = bytes - sizeOf(text)) {
    // A character takes 0.65 of a byte. The last bytes are taken one at a time.
    const chars = Math.max(1, Math.floor(1.4 * (missing - farBytes)));
    text += Array.from({ length: chars }, () => random.below(36).toString(36)).join("");
  }
  expect(sizeOf(text)).toBe(bytes);
  texts.set(bytes, text);
  return text;
}

/** An application of that much, in two scripts: one for the first view, one for later. */
const applicationOf = (firstViewBytes: number, laterBytes: number) => ({
  files: { "main.js": incompressible(firstViewBytes), "later.js": incompressible(laterBytes) },
  script: "main.js",
  style: "main.js",
});

describe("what a browser loads of the dashboard, compressed", () => {
  test("is within its budget, and the other pages come after the first view", () => {
    const first = firstViewOf(built);
    expect(first).toContain(script);
    expect(first).toContain(style);
    expect(first.length).toBeLessThan(Object.keys(files).length);
    expect(Object.keys(files).length).toBeGreaterThan(5);
    expect(requireBudget(built)).toBe(built);
  });

  test("has no side of a box once more for each language that is read from the right", () => {
    // The bundler writes `inset-inline-start` out like that; `left` stays as it is.
    expect(files[style]).not.toContain(":lang(");
  });

  test("has its CSS rules once, without copies for browsers in which its pages do not work", () => {
    expect(files[style]).toContain(":is(");
    expect(files[style]).toContain("light-dark(");
    expect(files[style]).not.toMatch(/:-(webkit|moz)-any\(|--buncss/);
  });

  test("is at most 140 kB in total", () => {
    expect(everythingBytesMax).toBe(140_000);
    const rest = everythingBytesMax - 50_000;
    requireBudget(applicationOf(50_000, rest));
    expect(() => requireBudget(applicationOf(50_000, rest + 1))).toThrow(
      "Over budget: the dashboard has 140001 bytes compressed, of at most 140000.",
    );
  });

  test("is at most 65 kB for the first view", () => {
    expect(firstViewBytesMax).toBe(65_000);
    requireBudget(applicationOf(firstViewBytesMax, 30_000));
    expect(() => requireBudget(applicationOf(firstViewBytesMax + 1, 30_000))).toThrow(
      "Over budget: its first view has 65001 bytes compressed, of at most 65000.",
    );
  });

  test("belongs to the first view where it is imported at once, also without a name", () => {
    const chained = {
      files: {
        "main.js": 'import{a}from"./part-1.js";import("./part-3.js")',
        "part-1.js": 'import"./part-2.js";export{a}from"./main.js"',
        "part-2.js": "",
        "part-3.js": "",
        "main.css": "",
      },
      script: "main.js",
      style: "main.css",
    };
    expect(firstViewOf(chained).sort()).toEqual(["main.css", "main.js", "part-1.js", "part-2.js"]);
  });

  test("fails the build when it is beyond its budget", () => {
    const folder = mkdtempSync(join(tmpdir(), "sightline-budget-"));
    cpSync(pathFromRoot("src/dashboard"), join(folder, "src/dashboard"), { recursive: true });
    // The server shows texts and tables of strangers, and tells what changed, with the same modules.
    cpSync(pathFromRoot("src/lib"), join(folder, "src/lib"), { recursive: true });
    cpSync(pathFromRoot("src/domain/changes"), join(folder, "src/domain/changes"), {
      recursive: true,
    });
    symlinkSync(pathFromRoot("node_modules"), join(folder, "node_modules"));
    const buildThere = () => {
      const builder = join(folder, "src/dashboard/build.ts");
      const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, builder]);
      return { exitCode, printed: stdout.length > 0, told: stderr.toString() };
    };
    try {
      expect(buildThere()).toEqual({ exitCode: 0, printed: true, told: "" });
      const rule = `.a { content: "${incompressible(firstViewBytesMax)}"; }`;
      appendFileSync(join(folder, "src/dashboard/style/base.css"), rule);
      const { told, ...ended } = buildThere();
      expect(ended).toEqual({ exitCode: 1, printed: false });
      expect(told).toContain("Over budget");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("has names that say their content, so that browsers may keep it for good", () => {
    const odd = Object.keys(files).filter((name) => !/-[a-z0-9]{8}\.(js|css)$/.test(name));
    expect(odd).toEqual([]);
  });
});
