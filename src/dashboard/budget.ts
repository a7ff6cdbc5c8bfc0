import { gzipSync } from "node:zlib";
import type { DashboardFiles } from "../features/app-pages/bundle.macro";

/** The sizes that browsers may load of the application, compressed: with all of its pages, and before it shows one. */
export const everythingBytesMax = 140_000;
export const firstViewBytesMax = 65_000;

type Application = Pick<DashboardFiles, "files" | "script" | "style">;

/** A dashboard beyond its budget is not built. Returns what it was given. */
export function requireBudget<Built extends Application>(built: Built): Built {
  const everything = compressedBytes(built, Object.keys(built.files));
  const firstView = compressedBytes(built, firstViewOf(built));
  const told = [
    ...beyond("the dashboard has", everything, everythingBytesMax),
    ...beyond("its first view has", firstView, firstViewBytesMax),
  ];
  if (told.length > 0) throw new Error(`Over budget: ${told.join(", ")}.`);
  return built;
}

/** The script that the document names, what that imports at once, and the style. */
export function firstViewOf({ files, script, style }: Application): string[] {
  const known = new Set<string>([style]);
  const open = [script];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (known.has(name)) continue;
    known.add(name);
    // A module that is imported by a call is loaded later, and is not among these.
    const imports = (files[name] ?? "").matchAll(/\b(?:from|import)\s*"\.\/([\w.-]+)"/g);
    open.push(...[...imports].map(([, other = ""]) => other));
  }
  return [...known];
}

const compressedBytes = ({ files }: Application, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(files[name] ?? "", { level: 9 }).length, 0);

const beyond = (what: string, bytes: number, bytesMax: number): string[] =>
  bytes > bytesMax ? [`${what} ${bytes} bytes compressed, of at most ${bytesMax}`] : [];
