import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import packageJson from "../package.json";
import { secretVariables } from "../src/config-secrets";
import { errorStatus } from "../src/domain/errors";
import { filesIn, pathFromRoot, textOf } from "./support/suite/sources";

const readme = textOf("README.md");

describe("the table of settings", () => {
  const table = textOf("src/docs/operate/configuration.md");
  const rows = new Map(
    [...table.matchAll(/^\| (`[A-Z][^|]*) \| ([^|]*) \| [^|]* \|$/gm)].flatMap(
      ([, names = "", value = ""]) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]): [string, string] => [name, value]),
    ),
  );
  const sources = filesIn("src")
    .filter((path) => /^src\/config[\w-]*\.ts$/.test(path))
    .map(textOf)
    .join("");
  const read = new Set(
    [
      ...sources.matchAll(
        /(?:\b(?:text|choice|integer|isOn)\(\s*|environment\.)"?([A-Z][A-Z0-9_]+)/g,
      ),
    ].map(([, name = ""]) => name),
  );

  test("names every variable that config.ts reads, and no other", () => {
    expect([...rows.keys()].sort()).toEqual([...read].sort());
  });

  test("is followed by the list of those that can be in a file, which are all secrets", () => {
    const [, list = ""] = /^## Secrets in files\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(table) ?? [];
    const named = [...list.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !name.endsWith("_FILE")).sort()).toEqual(
      [...secretVariables].sort(),
    );
    const secret = /(SECRET|PASSWORD|TOKEN|_KEY)$/;
    const known: ReadonlySet<string> = new Set(secretVariables);
    expect([...read].filter((name) => secret.test(name) && !known.has(name))).toEqual([]);
  });

  test("names the defaults that config.ts has", () => {
    const defaults: Record<string, string> = {
      PORT: "`0.0.0.0`, `3000`",
      CACHE_MB: "an eighth of the memory, 256 at least",
      DURABILITY: "`full`",
      DATA_DIR: "`./data`",
      REGISTRATION: "`closed`",
      DEMO_ENABLED: "`true`",
      WEBSITE_SCANS: "`true`",
    };
    for (const [name, value] of Object.entries(defaults))
      expect([name, rows.get(name)]).toEqual([name, value]);
  });
});

describe("the map of src", () => {
  const [map = ""] = textOf("src/README.md").split("\n## ");
  const places = new Set(
    filesIn("src")
      .map((path) => path.slice("src/".length))
      .filter((path) => !/\.(test\.ts|json|md)$/.test(path))
      .map((path) => (path.includes("/") ? `${path.split("/", 1)[0]}/` : path)),
  );

  test("names every folder and file at the top of src", () => {
    expect([...places].filter((place) => !map.includes(`\`${place}\``))).toEqual([]);
  });

  test("names nothing that is not there", () => {
    const named = [...map.matchAll(/^\| `([^`]+)` \|/gm)].map(([, place = ""]) => place);
    const paths = filesIn("src");
    const isThere = (place: string): boolean =>
      paths.some((path) => path === `src/${place}` || path.startsWith(`src/${place}`));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((place) => !isThere(place))).toEqual([]);
  });
});

test("every direct dependency has a line that says what it is for", () => {
  const { dependencies, devDependencies } = packageJson;
  const lines = textOf("src/README.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const unexplained = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !lines.some((line) => line.includes(`\`${name}\``)),
  );
  expect(unexplained).toEqual([]);
});

test("the README begins with a picture that a page can load quickly", () => {
  const [, path = ""] = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(readme.slice(0, 600)) ?? [];
  const { size } = statSync(pathFromRoot(path));
  expect([path, size > 1_000, size < 200_000]).toEqual(["test/picture/sightline.png", true, true]);
});

/** The name by which code hosts, and the pages under `/docs`, link a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
const documents = filesIn("").filter((path) => path.endsWith(".md"));
/** Lines in blocks of code are no headings and no links. */
const proseOf = (path: string): string => textOf(path).replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** The links of a document, as paths from the root; those to addresses of servers left out. */
const linksOf = (path: string): readonly (readonly [target: string, anchor: string])[] =>
  [...proseOf(path).matchAll(/\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, target = "", anchor = ""]) => [
      target === "" ? path : new URL(target, `file:///${path}`).pathname.slice(1),
      anchor,
    ],
  );

test("links in the documents lead to files, and to headings that these have", () => {
  const files = filesIn("");
  const anchorsOf = new Map(
    documents.map((path) => {
      const headings = [...proseOf(path).matchAll(/^#+ (.*)$/gm)];
      return [path, new Set(headings.map(([, heading = ""]) => anchorOf(heading)))];
    }),
  );
  const isThere = (target: string): boolean =>
    files.some((known) => known === target || known.startsWith(`${target.replace(/\/$/, "")}/`));
  const broken = documents.flatMap((path) =>
    linksOf(path)
      .filter(
        ([target, anchor]) =>
          !isThere(target) || (anchor !== "" && !anchorsOf.get(target)?.has(anchor)),
      )
      .map(([target, anchor]) => `${path}: ${target}#${anchor}`),
  );
  expect(broken).toEqual([]);
});

test("the first page leads to every page of the documentation, by one or two links", () => {
  const ofUsers = documents.filter((path) => path.startsWith("src/docs/"));
  const index = linksOf("src/docs/index.md").map(([target]) => target);
  const reached = new Set([...index, ...index.flatMap(linksOf).map(([target]) => target)]);
  const lost = ofUsers.filter((path) => path !== "src/docs/index.md" && !reached.has(path));
  expect(lost).toEqual([]);
});

describe("figures", () => {
  const benchmarks = textOf("src/docs/benchmarks.md");
  const numbersIn = (text: string): string[] => text.match(/\d[\d,.]*\d|\d/g) ?? [];

  test("of the README are those of the page that each is linked to", () => {
    const [, why = ""] = /## Why Sightline\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const claims = [...why.matchAll(/\[([^\]]+)\]\((src\/docs\/benchmarks\/[^)#]+)/g)];
    expect(claims.length).toBeGreaterThan(4);
    const wrong = claims.filter(
      ([, claim = "", page = ""]) =>
        !numbersIn(claim).every((number) => numbersIn(textOf(page)).includes(number)),
    );
    expect(wrong.map(([, claim]) => claim)).toEqual([]);
    const others = [...why.matchAll(/(?<![\d,.])(\d[\d,.]*) ms/g)].map(([, number]) => number);
    expect(others.filter((number = "") => !numbersIn(benchmarks).includes(number))).toEqual([]);
  });

  test("of the table of benchmarks are those of the pages that its rows name", () => {
    const rows = [...benchmarks.matchAll(/^\| .+ \| ([^|]+) \| \[[^\]]+\]\(([^)#]+)[^)]*\) \|$/gm)];
    expect(rows.length).toBeGreaterThan(10);
    const wrong = rows.filter(([, measured = "", page = ""]) => {
      const there = numbersIn(textOf(`src/docs/${page}`));
      return !numbersIn(measured).every((number) => there.includes(number));
    });
    expect(wrong.map(([row]) => row)).toEqual([]);
  });

  test("of a page come with the date and the commit at which they were measured", () => {
    const pages = documents.filter((path) => path.startsWith("src/docs/benchmarks/"));
    const undated = pages.filter(
      (path) => !/20\d\d-\d\d-\d\d[\s\S]*\bat commit\b[ |]+[0-9a-f]{8}\b/.test(textOf(path)),
    );
    expect([pages.length > 3, undated]).toEqual([true, []]);
  });
});

test("sentences of the documentation begin with their subject, not with a clause as a noun", () => {
  const pages = documents.filter((path) => path.startsWith("src/docs/") || path === "README.md");
  const odd = pages.flatMap((path) =>
    proseOf(path)
      .split(/\n\n|\n(?=[-|#])|(?<=[.:!?]) (?=[A-Z])/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => /^(What|Who|Whoever|Of) [^?]*\.$/.test(sentence.replaceAll("\n", " ")))
      .map((sentence) => `${path}: ${sentence}`),
  );
  expect(odd).toEqual([]);
});

test("the README has at most 150 lines, and its two commands come first", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  const [, first = ""] = /```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(first).toMatch(/^npm start .*\nnpm test .*\n$/);
});

describe("the page of errors", () => {
  const page = textOf("src/docs/api/errors.md");
  const sections = [
    ...page.matchAll(/^## ([A-Z][A-Z_]+)\n\n`(\d+)`\. (\S[\s\S]*?)(?=^## |$(?![\s\S]))/gm),
  ];

  test("has a section for each code, with its status, and no other", () => {
    const described = sections.map(([, code = "", status]) => [code, Number(status)] as const);
    expect(described.sort()).toEqual(Object.entries(errorStatus).sort());
  });

  test("says of each code why it comes and, in a paragraph of its own, what to do", () => {
    const short = sections.filter(([, , , text = ""]) => text.trim().split("\n\n").length < 2);
    expect(short.map(([, code]) => code)).toEqual([]);
  });

  test("lists each code in its table", () => {
    const [, table = ""] = /## All codes\n\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const listed = [...table.matchAll(/\[`(\w+)`\]/g)].map(([, code]) => code);
    expect(listed.sort()).toEqual(Object.keys(errorStatus).sort());
  });
});
