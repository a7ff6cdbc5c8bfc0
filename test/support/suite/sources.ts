import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of this repository; paths count from its root and have forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** The text with comments and the insides of strings blanked out, line by line the same. */
  readonly code: string;
}

const root = join(import.meta.dir, "..", "..", "..");
/** These are paths from the root: a folder of sources may be called `data` too. */
const notOurs = new Set(["node_modules", "dist", "data", ".git"]);

export const pathFromRoot = (...parts: string[]): string => join(root, ...parts);
export const textOf = (path: string): string => readFileSync(pathFromRoot(path), "utf8");

/** Every file below a folder of the repository ("" for all of it), in a fixed order. */
export function filesIn(folder: string): string[] {
  return readdirSync(pathFromRoot(folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (notOurs.has(path) || entry.name === "node_modules") return [];
      return entry.isDirectory() ? filesIn(path) : [path];
    })
    .sort();
}

/** Several suites read all sources, in one process. */
const known = new Map<string, Source>();

export function sourcesIn(...folders: string[]): Source[] {
  return folders
    .flatMap(filesIn)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const source = known.get(path) ?? sourceAt(path);
      known.set(path, source);
      return source;
    });
}

function sourceAt(path: string): Source {
  const text = textOf(path);
  return { path, text, code: codeOf(text) };
}

/** Nothing of what these characters may begin: it is taken as it is, all at once. */
const plain = /[^/"'`{}]+/y;

/** A slash begins a regular expression after an operator, an opening bracket, or one of these keywords. */
const regexComesAfter = /(^|[(,=:[!&|?{};+\-*%<>~^]|\b(return|typeof|case|in|of|do|else|void))\s*$/;

/** Blanks out comments, strings and regular expressions, but keeps the code inside `${…}` of templates. */
export function codeOf(text: string): string {
  let code = "";
  let at = 0;
  /** The number of open braces of the current `${`, for every template around this place. */
  const templates: number[] = [];
  const blankTo = (end: number): void => {
    code += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  while (at < text.length) {
    const two = text.slice(at, at + 2);
    const one = text[at];
    const inTemplate = templates.at(-1) === 0;
    if (inTemplate) {
      const part = /\$\{|`/.exec(text.slice(at).replace(/\\[\s\S]/g, "  "));
      blankTo(part === null ? text.length : at + part.index);
      if (part?.[0] === "`") templates.pop();
      else templates[templates.length - 1] = 1;
      blankTo(at + (part?.[0].length ?? 0));
    } else if (two === "//") blankTo(endOf(text, at, /\n|$/));
    else if (two === "/*") blankTo(endOf(text, at + 2, /\*\//) + 2);
    else if (one === '"' || one === "'") blankTo(at + 1 + stringLength(text, at));
    else if (one === "`") {
      blankTo(at + 1);
      templates.push(0);
    } else if (one === "/" && regexComesAfter.test(code.slice(-40))) {
      blankTo(at + regexLength(text, at));
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && one === "{") templates[depth]++;
      if (depth >= 0 && one === "}") templates[depth]--;
      if (templates.at(-1) === 0) blankTo(at + 1);
      else {
        plain.lastIndex = at + 1;
        const end = plain.test(text) ? plain.lastIndex : at + 1;
        code += text.slice(at, end);
        at = end;
      }
    }
  }
  return code;
}

function endOf(text: string, from: number, what: RegExp): number {
  const found = what.exec(text.slice(from));
  return found === null ? text.length : from + found.index;
}

function stringLength(text: string, at: number): number {
  const quote = text[at] === '"' ? /^"(?:[^"\\\n]|\\[\s\S])*/ : /^'(?:[^'\\\n]|\\[\s\S])*/;
  return quote.exec(text.slice(at))?.[0].length ?? 1;
}

function regexLength(text: string, at: number): number {
  const literal = /^\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
  return literal.exec(text.slice(at))?.[0].length ?? 1;
}

/** Line numbers (from 1) where the pattern occurs, for messages that can be clicked. */
export function linesOf(text: string, pattern: RegExp): number[] {
  return text.split("\n").flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}
