import { describe, expect, test } from "bun:test";
import { type Source, sourcesIn } from "./support/sources";

const files = sourcesIn("src", "test", "tracker");
const isTest = ({ path }: Source): boolean => /\.test\.ts$|^test\//.test(path);

const declaration =
  /^export (?:async )?(?:const enum|const|let|function\*?|class|abstract class|enum) ([A-Za-z_$][\w$]*)/gm;
const word = /[A-Za-z_$][\w$]*/g;

/** The files in whose code a name stands, and how many times. A name of a type in another file counts too. */
const uses = new Map<string, Map<Source, number>>();
for (const file of files) {
  for (const [name] of file.code.matchAll(word)) {
    const places = uses.get(name) ?? new Map<Source, number>();
    places.set(file, (places.get(file) ?? 0) + 1);
    uses.set(name, places);
  }
}

interface Exported {
  readonly name: string;
  readonly file: Source;
  readonly others: readonly Source[];
}
const exported: readonly Exported[] = files.flatMap((file) =>
  [...file.code.matchAll(declaration)].map(([, name = ""]) => ({
    name,
    file,
    others: [...(uses.get(name)?.keys() ?? [])].filter((other) => other !== file),
  })),
);
const shown = (found: readonly Exported[]): string[] =>
  found.map(({ name, file }) => `${file.path}: ${name}`);

/**
 * What tests put in place of the surroundings, or write as a client of the thread would; and a version by which a test
 * holds a table to its definition.
 */
const forTests = new Set(["replaceLogWriter", "packGroup", "siteTableVersion"]);

describe("what is exported", () => {
  test("is used by another file", () => {
    expect(exported.length).toBeGreaterThan(1_000);
    expect(shown(exported.filter(({ others }) => others.length === 0))).toEqual([]);
  });

  test("is used by the product, not by its tests alone", () => {
    const dead = exported.filter(
      ({ name, file, others }) =>
        !isTest(file) &&
        others.every(isTest) &&
        uses.get(name)?.get(file) === 1 &&
        !forTests.has(name),
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
