import { describe, expect, test } from "bun:test";
import { kernel } from "../src/store/events/scan/kernel";
import { sourcesIn } from "./support/suite/sources";

/*
 * A kernel makes functions of a text (src/store/events/scan/kernel.ts). Here it is proved that this text is always that
 * of a function literal of the program, which uses nothing but its arguments.
 */

const product = sourcesIn("src").filter(({ path }) => !path.endsWith(".test.ts"));
const users = product.filter(
  ({ path, code }) => /\bkernel\(/.test(code) && !path.endsWith("/kernel.ts"),
);

const known = new Set([
  ...["Float64Array", "Infinity", "Int32Array", "Math", "Number"],
  ...["Uint16Array", "Uint32Array", "Uint8Array"],
  ...["break", "const", "continue", "else", "for", "if", "let", "new", "of", "return", "while"],
]);

/** The loops of a file, without their types. */
function loopsIn(text: string): string[] {
  const code = new Bun.Transpiler({ loader: "ts" }).transformSync(text);
  return [...code.matchAll(/\bkernel\((\([^)]*\) => \{\n.*?\n\})\)/gs)].map(
    ([, loop = ""]) => loop,
  );
}

/** The names that a loop uses and does not declare. */
function freeNames(loop: string): string[] {
  const parameters = /^\(([^)]*)\)/.exec(loop)?.[1] ?? "";
  const variables = [...loop.matchAll(/\b(?:let|const) ([^=;]+?)(?: =|;)/g)].map(
    ([, name]) => name,
  );
  const declared = new Set([...parameters.split(/,\s*/), ...variables]);
  const used = loop.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? [];
  return [...new Set(used)].filter((name) => !declared.has(name) && !known.has(name));
}

describe("kernels", () => {
  test("are function literals at the top of a file, and nothing else makes functions of texts", () => {
    expect(users.length).toBeGreaterThan(1);
    for (const { path, code, text } of users) {
      const calls = code.match(/\bkernel\(/g)?.length;
      const atTop = code.match(/^(?:export )?const \w+ = kernel\(\s*\(/gm)?.length;
      expect({ path, atTop, loops: loopsIn(text).length }).toEqual({
        path,
        atTop: calls,
        loops: calls ?? 0,
      });
    }
    const makers = product.filter(({ code }) => /\bnew Function\b|\beval\(/.test(code));
    expect(makers.map(({ path }) => path)).toEqual(["src/store/events/scan/kernel.ts"]);
  });

  test("use nothing but their arguments", () => {
    const others = users.flatMap(({ path, text }) =>
      loopsIn(text).flatMap((loop) => freeNames(loop).map((name) => `${path}: ${name}`)),
    );
    expect(others).toEqual([]);
    const [loop = ""] = loopsIn(
      "const f = kernel((a: Uint8Array) => {\n  let b = a[secret];\n  return b;\n});",
    );
    expect(freeNames(loop)).toEqual(["secret"]);
  });

  test("answer alike for every kind of array", () => {
    const sum = kernel((values: ArrayLike<number>, factor: number): number => {
      let all = 0;
      for (let i = 0; i < values.length; i++) all += values[i] * factor;
      return all;
    });
    const kinds = [Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array, Array];
    expect(kinds.map((kind) => sum(kind.of(1, 2, 3), 2))).toEqual(kinds.map(() => 12));
  });
});
