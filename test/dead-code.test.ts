import { describe, expect, test } from "bun:test";
import { posix } from "node:path";
import { type Source, sourcesIn } from "./support/suite/sources";

const files = sourcesIn("src", "test", "tracker");
const isTest = ({ path }: Source): boolean => /\.test\.ts$|^test\//.test(path);

const declaration =
  /^export (?:async )?(?:const enum|const|let|function\*?|class|abstract class|enum) ([A-Za-z_$][\w$]*)/gm;
const word = /[A-Za-z_$][\w$]*/g;

const byPath = new Map(files.map((file) => [file.path, file]));
function fileAt(from: Source, specifier: string): Source | undefined {
  const path = posix.join(posix.dirname(from.path), specifier);
  return [path, `${path}.ts`, `${path}.tsx`].map((one) => byPath.get(one)).find((one) => one);
}

/** The files that import something of a file, by its name; by `*` those that import all of it. */
const importers = new Map<Source, Map<string, Source[]>>();
function note(by: Source, specifier: string, names: readonly string[]): void {
  const file = fileAt(by, specifier);
  if (file === undefined) return;
  const known = importers.get(file) ?? new Map<string, Source[]>();
  importers.set(file, known);
  for (const name of names) known.set(name, [...(known.get(name) ?? []), by]);
}
for (const file of files) {
  const statement = /\b(?:import|export)\s+(?:type\s+)?([^;"']*?)\bfrom\s*["'](\.[^"']+)["']/g;
  for (const [, named = "", specifier = ""] of file.text.matchAll(statement)) {
    const names = [...named.matchAll(/(?:type\s+)?([\w$*]+)(?:\s+as\s+[\w$]+)?/g)];
    note(
      file,
      specifier,
      names.map(([, name = ""]) => name),
    );
  }
  for (const [, specifier = ""] of file.text.matchAll(/\bimport\(\s*["'](\.[^"']+)["']/g)) {
    note(file, specifier, ["*"]);
  }
}
const usesIn = ({ code }: Source, name: string): number =>
  [...code.matchAll(word)].filter(([one]) => one === name).length;

interface Exported {
  readonly name: string;
  readonly file: Source;
  readonly others: readonly Source[];
}
const exported: readonly Exported[] = files.flatMap((file) =>
  [...file.code.matchAll(declaration)].map(([, name = ""]) => ({
    name,
    file,
    others: [name, "*"].flatMap((one) => importers.get(file)?.get(one) ?? []),
  })),
);
const shown = (found: readonly Exported[]): string[] =>
  found.map(({ name, file }) => `${file.path}: ${name}`);

/**
 * What tests put in place of the surroundings, or write as a client of the thread would; a version by which a test
 * holds a table to its definition; and the codes to which tests hold every refusal.
 */
const forTests = new Set(["replaceLogWriter", "packGroup", "siteTableVersion", "codesOf"]);

describe("what is exported", () => {
  test("is used by another file", () => {
    expect(exported.length).toBeGreaterThan(1_000);
    expect(shown(exported.filter(({ others }) => others.length === 0))).toEqual([]);
  });

  test("is used by the product, not by its tests alone", () => {
    const dead = exported.filter(
      ({ name, file, others }) =>
        !isTest(file) && others.every(isTest) && usesIn(file, name) === 1 && !forTests.has(name),
    );
    expect(shown(dead)).toEqual([]);
  });

  test("is needed by several files where it is a limit: one that has a single owner stands with it", () => {
    const limits = exported.filter(({ file }) => file.path === "src/domain/limits.ts");
    expect(limits.length).toBeGreaterThan(40);
    const owned = limits.filter(({ others }) => others.filter((one) => !isTest(one)).length < 2);
    expect(shown(owned)).toEqual([]);
  });
});
