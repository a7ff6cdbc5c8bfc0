import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "acorn";
import type { SourceKind } from "../../src/domain/source";
import type { TestApp } from "../support/app/app";
import { openApp, sourceOf } from "./world";

let app: TestApp;
beforeAll(async () => {
  app = await openApp();
});
afterAll(() => app.close());

const bytesMax = 2_048;
const scripts: readonly (readonly [kind: SourceKind, path: string])[] = [
  ["plausible", "/js/script.js"],
  ["plausible", "/js/script.hash.outbound-links.js"],
  ["plausible", "/js/plausible.js"],
  ["umami", "/script.js"],
  ["goatcounter", "/count.js"],
];

for (const [kind, path] of scripts) {
  test(`${path} is served below the address of a source and at the root, small and ASCII`, async () => {
    const world = await sourceOf(app, kind);
    const answers = [await world.send("GET", path), await app.send("GET", path)];
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.headers.get("content-type")).toBe("application/javascript");
    const [text = "", atRoot] = texts;
    expect(atRoot).toBe(text);
    expect(Bun.gzipSync(text).length).toBeLessThanOrEqual(bytesMax);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(() => parse(text, { ecmaVersion: 2020, sourceType: "script" })).not.toThrow();
  });
}

test("another file beside them is none", async () => {
  const { send } = await sourceOf(app, "plausible");
  for (const path of ["/js/other.js", "/js/script.a/b.js", "/js/script..js"]) {
    expect([path, (await send("GET", path)).status]).toEqual([path, 404]);
  }
  expect((await app.send("GET", "/js/other.js")).status).toBe(404);
});
