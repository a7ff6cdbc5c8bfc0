import { existsSync } from "node:fs";
import { posix } from "node:path";
import { pathFromRoot, type Source } from "./sources";

export interface Import {
  readonly from: string;
  /** `import type`: nothing of it is left in the program. */
  readonly isTypeOnly: boolean;
  /** A path from the root for our own files, else the name of a package. */
  readonly to: string;
}

/** Returns the imports of our own files. */
export function imports(sources: readonly Source[]): Import[] {
  return sources.flatMap((source) =>
    statements(source)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier, isTypeOnly }) => ({
        from: source.path,
        to: fileOf(source.path, specifier),
        isTypeOnly,
      })),
  );
}

/** Returns the imports of packages. */
export function packages(sources: readonly Source[]): Import[] {
  return sources.flatMap((source) =>
    specifiers(source)
      .filter((specifier) => !specifier.startsWith("."))
      .map((to) => ({ from: source.path, to, isTypeOnly: false })),
  );
}

function fileOf(from: string, specifier: string): string {
  const path = posix.join(posix.dirname(from), specifier);
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find(isFile) ?? path;
}

const isFile = (path: string): boolean => /\.[a-z]+$/.test(path) && existsSync(pathFromRoot(path));

export const specifiers = (source: Source): string[] =>
  statements(source).map(({ specifier }) => specifier);

/** Searches the text, but takes only places where the code, without comments and strings, has an import too. */
function statements({ text, code }: Source) {
  const statement = /\b(?:from|import)\s*\(?\s*(["'])([^"'\n]+)\1/g;
  return [...text.matchAll(statement)]
    .filter((match) => /^(from|import)/.test(code.slice(match.index)))
    .map((match) => ({
      specifier: match[2] ?? "",
      isTypeOnly: /\bimport\s+type\b[^;"']*$/.test(code.slice(0, match.index)),
    }));
}

export const shown = (wrong: readonly Import[]): string[] =>
  wrong.map(({ from, to }) => `${from} → ${to}`);
