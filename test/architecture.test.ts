import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { type Import, imports, packages, shown, specifiers } from "./support/suite/imports";
import { pathFromRoot, sourcesIn } from "./support/suite/sources";

/** The layers, lowest first. A file imports from its own layer's folder or from any layer below it. */
const layers: readonly (readonly [name: string, files: RegExp])[] = [
  ["lib", /^src\/lib\//],
  ["domain", /^src\/(domain|replay\/cleaning)\//],
  ["store", /^src\/store\//],
  ["reads", /^src\/reads\//],
  ["services", /^src\/services\//],
  ["http", /^src\/http\//],
  ["capabilities", /^src\/(features|ingest)\//],
  ["mcp", /^src\/mcp\//],
  ["application", /^src\/(app|jobs)\.ts$/],
  [
    "entries",
    /^src\/(main|serve|listener|certificate|open-deps|build)\.ts$|^src\/(workers|commands|release)\//,
  ],
];
/** These import nothing of ours and may be imported from anywhere in src. */
const open = /^src\/(config(-[a-z]+)?|worker-url|version|commit\.macro)\.ts$/;
const layerNamed = (wanted: string): number => layers.findIndex(([name]) => name === wanted);

/** What runs in a browser: it and the server know each other by the API alone. */
const inBrowser = /^src\/(dashboard|replay)\/(?!cleaning\/)/;
/** Modules that show texts of strangers or say what changed. Code in browsers takes nothing else of lib and domain. */
const showing =
  /^src\/(lib\/(visible-text|readable-text|inert-text|csv)|domain\/changes\/sentences)\.ts$/;
/** The one part of the server's code that the player takes too; it takes nothing itself. */
const cleaning = /^src\/replay\/cleaning\//;

/** Modules in which features describe their answers: the dashboard takes these types, and no more than types. */
const described = /^src\/features\/[^/]+\/(schema|bundle\.macro)\.ts$/;

const layerOf = (path: string): number => layers.findIndex(([, files]) => files.test(path));
const isTest = (path: string): boolean => path.endsWith(".test.ts");
const product = sourcesIn("src").filter((source) => !isTest(source.path));

describe("the direction of imports", () => {
  test("every file of src has its place in a layer", () => {
    const lost = product
      .map(({ path }) => path)
      .filter((path) => layerOf(path) < 0 && !open.test(path) && !inBrowser.test(path));
    expect(lost).toEqual([]);
  });

  test("imports point down or stay within the folder, never up or sideways", () => {
    const wrong = imports(product).filter((one) => !mayImport(one));
    expect(shown(wrong)).toEqual([]);
  });

  test("no file needs what needs it in turn: there is no circle of imports, of types neither", () => {
    const all = imports(product);
    expect(all.length).toBeGreaterThan(2_000);
    expect(shown(circular(all))).toEqual([]);
  });

  test("the dashboard takes the types of the features' schemas, never their code", () => {
    const from = "src/dashboard/data/answers.ts";
    const schema = { from, to: "src/features/query/schema.ts" };
    expect(mayImport({ ...schema, isTypeOnly: true })).toBe(true);
    expect(mayImport({ ...schema, isTypeOnly: false })).toBe(false);
    expect(mayImport({ from, to: "src/features/query/read.ts", isTypeOnly: true })).toBe(false);
  });

  test("a read sees only domain, lib, shared reads, what lies beside the store's port, and descriptions", () => {
    const reads = product.filter(
      ({ path, code }) =>
        /^src\/features\/.*\/read\.ts$/.test(path) ||
        (path.startsWith("src/features/") && /\bprojectRead\(/.test(code)) ||
        describing.test(path),
    );
    expect(reads.length).toBeGreaterThan(20);
    const wrong = reads
      .flatMap(({ path }) => seenBy(path))
      .filter(({ from, to }) => !mayReadSee(from, to));
    expect(shown(wrong)).toEqual([]);
  });

  test("nothing outside of the store contains SQL", () => {
    const statement =
      /\b(select\s[\s\S]{1,300}?\bfrom\s+\w|insert\s+(or\s+\w+\s+)?into\s+\w|delete\s+from\s+\w|update\s+\w+\s+set\s)/;
    const outside = product.filter(({ path }) => !/^src\/(store|dashboard)\//.test(path));
    const wrong = outside.filter(({ text }) => statement.test(withoutComments(text)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
    const inStore = product.filter(({ path }) => path.startsWith("src/store/"));
    expect(inStore.some(({ text }) => statement.test(text))).toBe(true);
  });

  test("only serve, app and the other entries import an engine", () => {
    const wrong = imports(product).filter(
      ({ from, to }) =>
        /^src\/store\/(events|clickhouse)\//.test(to) &&
        !/^src\/store\/(events|clickhouse)\//.test(from) &&
        from !== "src/app.ts" &&
        layerOf(from) !== layerNamed("entries"),
    );
    expect(shown(wrong)).toEqual([]);
  });

  test("`open-deps.ts` alone opens the stores of requests, for the server and for the tests", () => {
    const opening = /^src\/store\/(events|clickhouse|replays)\/store\.ts$/;
    const openers = imports(product).filter(
      ({ from, to }) => opening.test(to) && !from.startsWith("src/store/"),
    );
    expect(new Set(openers.map(({ from }) => from))).toEqual(new Set(["src/open-deps.ts"]));
    const users = [...product, ...sourcesIn("test/support")].filter(({ code }) =>
      /\bopenDeps\(/.test(code),
    );
    expect(users.map(({ path }) => path)).toEqual([
      ...["src/open-deps.ts", "src/serve.ts", "test/support/app/app.ts"],
    ]);
  });

  test("the stores do not know each other; what several need lies beside them, in protocol/ or shared/", () => {
    const part = (path: string): string => path.split("/").slice(0, 3).join("/");
    const wrong = imports(product).filter(
      ({ from, to }) =>
        layerOf(from) === layerNamed("store") &&
        layerOf(to) === layerNamed("store") &&
        part(from) !== part(to) &&
        /^src\/store\/(?!(protocol|shared)\/)[^/]+\//.test(to),
    );
    expect(shown(wrong)).toEqual([]);
  });

  test("the folders of the engine's read side point down", () => {
    const order = [
      ...["segment", "sets", "scan", "session", "filter", "aggregate", "changes", "pattern"],
      ...["functions", "questions", "read"],
    ];
    const place = (path: string): number =>
      order.indexOf(/^src\/store\/events\/([^/]+)\//.exec(path)?.[1] ?? "");
    const within = imports(product).filter(({ from, to }) => place(from) >= 0 && place(to) >= 0);
    expect(new Set(within.map(({ from }) => place(from))).size).toBe(order.length);
    expect(shown(within.filter(({ from, to }) => place(to) > place(from)))).toEqual([]);
  });

  test("libraries of the edge stay at the edge, and the database stays in the store", () => {
    const allowed: readonly (readonly [library: RegExp, folders: RegExp])[] = [
      [/^(elysia|@elysiajs\/.*)$/, /^src\/(http\/|app\.ts)/],
      [/^bun:sqlite$/, /^src\/(store|commands)\//],
      [/^drizzle-orm/, /^src\/store\/control\//],
      [
        /^(node:(fs|net|http|child_process|worker_threads).*)$/,
        /^src\/(?!domain\/|features\/.*read\.ts)/,
      ],
    ];
    const wrong = packages(product).filter(({ from, to }) =>
      allowed.some(([library, folders]) => library.test(to) && !folders.test(from)),
    );
    expect(shown(wrong)).toEqual([]);
  });

  test("features and ingestion mount nothing: what they answer are values in a list", () => {
    const router = /\b(mount|mountOperation|mountPage|new Elysia)\b/;
    const hands = product.filter(({ path }) => /^src\/(features|ingest)\//.test(path));
    expect(hands.filter(({ code }) => router.test(code)).map(({ path }) => path)).toEqual([]);
    // Besides operations there are pages, and files of pages: these features have some.
    const withPages = hands.filter(({ text }) => /http\/pages\/page"/.test(text));
    expect(withPages.map(({ path }) => path).sort()).toEqual([
      "src/features/agent-texts/routes.ts",
      "src/features/app-pages/routes.ts",
      "src/features/docs/routes.ts",
      "src/features/service/reference.ts",
    ]);
  });

  test("src uses nothing of the tests, and the tracker nothing of src", () => {
    const wrong = [
      ...imports(product).filter(({ to }) => to.startsWith("test/") || isTest(to)),
      ...(existsSync(pathFromRoot("tracker")) ? imports(sourcesIn("tracker")) : []).filter(
        ({ from, to }) => !isTest(from) && !to.startsWith("tracker/"),
      ),
    ];
    expect(shown(wrong)).toEqual([]);
  });

  test("this test sees every import that Bun's own parser sees", () => {
    const missed = product.flatMap((source) => {
      const parser = new Bun.Transpiler({ loader: source.path.endsWith("x") ? "tsx" : "ts" });
      const ours = new Set([...specifiers(source), ...byTheCompiler]);
      return parser
        .scanImports(source.text)
        .filter(({ path }) => !ours.has(path))
        .map(({ path }) => `${source.path}: ${path}`);
    });
    expect(missed).toEqual([]);
  });
});

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");

/** JSX becomes calls into a module that no file names. */
const byTheCompiler = ["react", "react/jsx-dev-runtime"];

/** Returns the imports whose file is needed by what it imports. */
function circular(among: readonly Import[]): Import[] {
  const from = Map.groupBy(imports(product), (one) => one.from);
  const reachedBy = (path: string, done = new Set<string>()): Set<string> => {
    if (done.has(path)) return done;
    done.add(path);
    for (const { to } of from.get(path) ?? []) reachedBy(to, done);
    return done;
  };
  return among.filter((one) => reachedBy(one.to).has(one.from));
}

function mayImport({ from, to, isTypeOnly }: Import): boolean {
  if (open.test(to) || /^(drizzle\/|package\.json$)/.test(to)) return true;
  if (open.test(from)) return layerOf(to) === 0;
  if (/^src\/dashboard\//.test(from) && isTypeOnly && described.test(to)) return true;
  if (inBrowser.test(from) && showing.test(to)) return true;
  if (inBrowser.test(from) || inBrowser.test(to)) {
    return browserPart(from) === browserPart(to) || (inBrowser.test(from) && cleaning.test(to));
  }
  if (cleaning.test(from)) return cleaning.test(to);
  // The tracker and what else runs in a browser come in as text, by macros of the edge.
  if (!to.startsWith("src/")) return layerOf(from) === layerNamed("http");
  const [here, there] = [layerOf(from), layerOf(to)];
  if (there < here) return true;
  if (there > here) return false;
  if (/^src\/features\/(index|reads|exports)\.ts$/.test(from)) return true;
  return capability(from) === capability(to);
}

const browserPart = (path: string): string => inBrowser.exec(path)?.[1] ?? "";

/** Features and ingestion share a layer, but each is a folder that knows no other. */
function capability(path: string): string {
  const [, top, second, third] = path.split("/");
  if (top === "features") return third === undefined ? "the lists" : `${top}/${second}`;
  return layerOf(path) === layerNamed("capabilities") ? (top ?? "") : "";
}

/** The part of `http/` that describes reads. Reader threads load it, so it takes nothing of the others but types. */
const describing = /^src\/http\/operation\/(facts|project-read|table)\.ts$/;

const mayReadSee = (from: string, to: string): boolean =>
  layerOf(to) === 0 ||
  layerOf(to) === 1 ||
  describing.test(to) ||
  /^src\/(reads\/|store\/[^/]+\.ts$)/.test(to) ||
  posix.dirname(from) === posix.dirname(to);

/** The imports of a file and of what it takes from its own folder. */
function seenBy(path: string, done: Set<string> = new Set()): Import[] {
  if (done.has(path)) return [];
  done.add(path);
  const own = imports(product.filter((source) => source.path === path)).filter(
    ({ isTypeOnly }) => !(isTypeOnly && describing.test(path)),
  );
  const near = own.filter(({ to }) => posix.dirname(to) === posix.dirname(path));
  return [...own, ...near.flatMap(({ to }) => seenBy(to, done))];
}
