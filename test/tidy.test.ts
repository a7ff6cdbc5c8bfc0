import { describe, expect, test } from "bun:test";
import { codeOf, filesIn, linesOf, type Source, sourcesIn, textOf } from "./support/suite/sources";

const sources = sourcesIn("src", "test", "tracker", "drizzle");
const ours = sources.filter(({ path }) => !path.startsWith("drizzle/"));
const isTest = ({ path }: Source): boolean => /\.test\.ts$|^test\//.test(path);
const product = ours.filter((source) => !isTest(source) && source.path.startsWith("src/"));

/** `path:line` of every line of the code that matches. */
const found = (among: readonly Source[], pattern: RegExp, of: "code" | "text" = "code"): string[] =>
  among.flatMap((source) => linesOf(source[of], pattern).map((line) => `${source.path}:${line}`));

describe("what a reader meets", () => {
  test("no file is longer than 300 lines", () => {
    const styles = filesIn("src").filter((path) => path.endsWith(".css"));
    expect(styles.length).toBeGreaterThan(5);
    const written = [...ours, ...styles.map((path) => ({ path, text: textOf(path) }))];
    const long = written.filter(({ text }) => text.trimEnd().split("\n").length > 300);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test("no line is longer than 120 columns; the formatter keeps code within 100", () => {
    expect(found(ours, /^.{121}/, "text")).toEqual([]);
  });

  test("comments name files that exist", () => {
    const files = filesIn("");
    const isThere = (name: string): boolean =>
      files.some((path) => path === name || path.endsWith(`/${name}`));
    const name = /(?<![\w/.@*-])(?:[\w-]+\/)*[\w.-]+\.(?:tsx?|md|sql|sh)\b(?!\/)/g;
    const lost = ours.flatMap(({ path, text }) =>
      (text.match(/^\s*(?:\*|\/\*|\/\/).*$/gm) ?? [])
        .flatMap((line) => line.match(name) ?? [])
        .filter((named) => !isThere(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(lost).toEqual([]);
  });

  test("names are exported, never defaults; only a tool's config file may", () => {
    const others = ours.filter(({ path }) => !path.endsWith(".config.ts"));
    expect(found(others, /\bexport\s+default\b/)).toEqual([]);
  });

  test("nothing is left for later", () => {
    expect(found(ours, later, "text")).toEqual([]);
    expect(found(documents(), later, "text")).toEqual([]);
  });

  test("sentences say numbers and times in standard words", () => {
    const odd = /\b(ane[w]|so (man[y]|muc[h]|lon[g])|could els[e]|for wh[o] (?!do))\b/i;
    expect(found(ours, odd, "text")).toEqual([]);
    // What a migration once said stays as it was run.
    const open = documents().filter(({ path }) => !path.startsWith("drizzle/"));
    expect(found(open, odd, "text")).toEqual([]);
  });

  test("no comment begins with `Of`, whose subject would be the name that it stands on", () => {
    const others = ours.filter(({ path }) => !path.startsWith("test/"));
    const begins = /\/\*\*?\s+(\* )?Of |(?<!^[ \t]*\/\/.*\n)^[ \t]*\/\/ Of /m;
    expect(begins.test("/**\n * Of it.\n */")).toBe(true);
    expect(begins.test("// A half\n// Of it.")).toBe(false);
    expect(others.filter(({ text }) => begins.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("messages have a subject that acts: none begins with a clause or a genitive, or has a listed word", () => {
    const written = product.filter(({ path }) => !path.startsWith("src/store/events/"));
    const starts = /["`](What|Who|Whoever|Whose|Of) [a-z]+ [a-z]+ [^"`?]*["`]/;
    expect(starts.test('"Of a share the size is not told."')).toBe(true);
    expect(starts.test('"What do visitors do after they see the prices?"')).toBe(false);
    expect(found(written, starts, "text")).toEqual([]);
    expect(found(written, listedInMessages, "text")).toEqual([]);
  });

  test("no comment or text has the words of a translated sentence", () => {
    const others = ours.filter(({ path }) => !path.startsWith("src/store/events/"));
    expect(listed.test("Memory that is " + "let go" + " of")).toBe(true);
    expect(found(others, listed, "text")).toEqual([]);
  });

  test("only tests ask for a number of cases: `test:thorough` runs the files that do", () => {
    const asking = ours.filter(({ code }) => /\bcases\(/.test(code)).map(({ path }) => path);
    expect(asking.length).toBeGreaterThan(20);
    expect(asking.filter((path) => !path.endsWith(".test.ts"))).toEqual([]);
  });

  test("the table of long test files names files that exist, the longest first", () => {
    const { files }: { files: Record<string, number> } = JSON.parse(textOf("test/timings.json"));
    const paths = new Set(ours.map(({ path }) => path));
    expect(Object.keys(files).length).toBeGreaterThan(20);
    expect(Object.keys(files).filter((path) => !paths.has(path))).toEqual([]);
    const times = Object.values(files);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test("files are kebab-case", () => {
    const odd = ours.map(({ path }) => path).filter((path) => !kebab.test(path));
    expect(odd).toEqual([]);
  });
});

describe("one name, one thing", () => {
  /** A layer, or the folder of one engine or feature: what is imported from within has one meaning for each name. */
  const areaOf = (path: string): string =>
    /^src\/(store|features)\/[^/]+\//.exec(path)?.[0] ?? path.split("/").slice(0, 2).join("/");

  test("within an area no two files export a type of the same name", () => {
    const homes = new Map<string, string[]>();
    for (const { path, code } of product) {
      for (const [, name] of code.matchAll(
        /^export (?:abstract )?(?:class|interface|type) (\w+)/gm,
      )) {
        const key = `${areaOf(path)}: ${name}`;
        homes.set(key, [...(homes.get(key) ?? []), path]);
      }
    }
    expect(homes.size).toBeGreaterThan(500);
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  test("a type of the product is not named `Asked` or `Memory`, which fit everything", () => {
    expect(found(product, /\b(class|interface|type) (Asked|Memory)\b/)).toEqual([]);
  });

  test("only tests have a file name of tests", () => {
    const odd = product.map(({ path }) => path).filter((path) => /-tests?\.tsx?$/.test(path));
    expect(odd).toEqual([]);
  });
});

describe("what a type or a catch may hide", () => {
  test("a catch is followed by a decision", () => {
    const empty =
      /\bcatch\s*(\([^)]*\)\s*)?\{\s*\}|\.catch\(\s*(\([^)]*\)|\w+)\s*=>\s*\{\s*\}\s*\)/;
    expect(ours.filter(({ code }) => empty.test(code)).map(({ path }) => path)).toEqual([]);
  });

  test("no value is of type any", () => {
    expect(found(ours, /(?<![.\w$])any\b(?!\s*[(:=])/)).toEqual([]);
  });

  test("outside the store, the schema helper and tests a type is never asserted, but `as const`", () => {
    const strict = product.filter(({ path }) => !/^src\/(store\/|lib\/schema\.ts)/.test(path));
    const asserted = strict.flatMap((source) => {
      const code = source.code
        .replace(/\b(import|export)\b[^;]*?\}?\s*from\b/g, blank)
        .replace(/\bimport \* as/g, blank);
      return linesOf(code, /(?<=[\w)\]}>"'`] )as (?!const\b)(?=[\w({["'`])/).map(
        (line) => `${source.path}:${line}`,
      );
    });
    expect(asserted).toEqual([]);
  });

  test("the compiler and the linter are not switched off in passing", () => {
    const off = new RegExp(`@ts-(ignore|nocheck)|${"biome"}-ignore-all`);
    expect(found(ours, off, "text")).toEqual([]);
  });

  test("every test runs", () => {
    const skipped = /\b(test|it|describe)\.(skip|only|todo|failing|if|skipIf|todoIf)\b/;
    expect(found(ours, skipped)).toEqual([]);
  });
});

describe("what depends on the machine", () => {
  test("tests wait in pages by support/browser/until-in-page.ts, which policies of pages do not stop", () => {
    expect(found(ours, /\.waitForFunction\(/)).toEqual([]);
  });

  test("only lib/clock.ts reads the time, and that of the dashboard there", () => {
    const others = ours.filter(({ path }) => /^src\/(?!(dashboard\/)?lib\/clock\.ts)/.test(path));
    expect(found(others, /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)/)).toEqual([]);
  });

  test("only config.ts and the build read the environment", () => {
    const others = product.filter(({ path }) => !/^src\/(config|build)\.ts$/.test(path));
    expect(found(others, /\b(process|Bun|import\.meta)\.env\b/)).toEqual([]);
  });

  test("no file names a path of the machine it was written on", () => {
    const everything = [...ours, ...documents()];
    expect(found(everything, machinePath, "text")).toEqual([]);
  });

  test("no file names a package registry", () => {
    const named = filesIn("").filter((path) => !binary.test(path) && registry.test(textOf(path)));
    expect(named).toEqual([]);
  });
});

describe("what this test relies on", () => {
  test("comments, strings and regular expressions are blanked out, code in templates is not", () => {
    const text =
      'a("any"); // any\nconst b = `any $' +
      "{c.map((d) => `$" +
      '{d} any`)} any`; e = /["any/]/g;';
    const code = codeOf(text);
    expect(code.replace(/ +/g, " ")).toBe("a( ); \nconst b = c.map((d) => d ) ; e = ;");
    expect(code.length).toBe(text.length);
  });
});

// Put together from parts, so that this file does not find itself.
const later = new RegExp(
  `\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|")})\\b`,
);
const listed = new RegExp(
  `\\b(${["let go" + " of", "nobody" + " knows", "comes? again" + " with", "may be" + " left empty"].join("|")})\\b`,
  "i",
);
/** In texts between quotation marks, not in comments: `…` of a comment has no space before it ends. */
const listedInMessages = new RegExp(
  `"[^"]*\\b(${["There is no " + "such", "(is|are) (told|asked)", "takes? [\\w ]* away"].join("|")})\\b[^"]*"`,
);
const machinePath = new RegExp(
  `(?<![\\w.])/(${["wo" + "rk", "tm" + "p", "fa" + "rm", "ro" + "ot", "Us" + "ers"].join("|")})/`,
);
const registry = new RegExp(["registry", "(npmjs|yarnpkg)", "(org|com)"].join("\\."));
const binary = /\.(png|jpe?g|gif|ico|woff2?|mmdb|db|gz|zst)$/;
const kebab = /^([a-z0-9.-]+\/)*[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.tsx?$/;
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

function documents(): Source[] {
  return filesIn("")
    .filter((path) => /\.(md|sh|json|toml|sql)$|(^|\/)(Dockerfile|run)$/.test(path))
    .map((path) => ({ path, text: textOf(path), code: "" }));
}
