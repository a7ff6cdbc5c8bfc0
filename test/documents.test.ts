import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import packageJson from "../package.json";
import { filesIn, pathFromRoot, textOf } from "./support/suite/sources";

const readme = textOf("README.md");

describe("the README's configuration table", () => {
  const rows = new Map(
    [...readme.matchAll(/^\| (`[A-Z][^|]*) \| ([^|]*) \| [^|]* \|$/gm)].flatMap(
      ([, names = "", value = ""]) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]): [string, string] => [name, value]),
    ),
  );
  const sources = textOf("src/config.ts") + textOf("src/config-clickhouse.ts");
  const read = new Set(
    [
      ...sources.matchAll(/(?:\b(?:text|choice|integer|isOn)\(\s*|environment\.)"?([A-Z][A-Z_]+)/g),
    ].map(([, name = ""]) => name),
  );

  test("names every variable that config.ts reads, and no other", () => {
    expect([...rows.keys()].sort()).toEqual([...read].sort());
  });

  test("names the defaults that config.ts has", () => {
    const defaults: Record<string, string> = {
      PORT: "`0.0.0.0`, `3000`",
      CACHE_MB: "an eighth of the memory, 256 at least",
      READERS: "the number of cores, 16 at most",
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

test("links within a document lead to one of its headings", () => {
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-");
  const documents = filesIn("").filter((path) => path.endsWith(".md"));
  const broken = documents.flatMap((path) => {
    const text = textOf(path);
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    return [...text.matchAll(/\]\(#([^)]+)\)/g)]
      .map(([, anchor = ""]) => anchor)
      .filter((anchor) => !anchors.includes(anchor))
      .map((anchor) => `${path}: #${anchor}`);
  });
  expect(broken).toEqual([]);
});

test("links inside the documents lead somewhere", () => {
  const files = filesIn("");
  const documents = files.filter((path) => path.endsWith(".md"));
  const broken = documents.flatMap((path) =>
    [...textOf(path).matchAll(/\]\((?!https?:|#|\/)([^)#]+)/g)]
      .map(([, target = ""]) => new URL(target, `file:///${path}`).pathname.slice(1))
      .filter((target) =>
        files.every((known) => known !== target && !known.startsWith(`${target}/`)),
      )
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});
