import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "bun";
import type { DashboardFiles } from "../features/app-pages/bundle.macro";
import { requireBudget } from "./budget";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** One script for the first view, one for each further page, and one style. */
export async function buildDashboard(): Promise<DashboardFiles> {
  const application = await build({
    entrypoints: [path("main.tsx"), path("style/main.css")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files: Record<string, string> = {};
  for (const output of application.outputs) files[basename(output.path)] = await output.text();
  const named = (extension: string): string =>
    Object.keys(files).find((name) => name.startsWith("main-") && name.endsWith(extension)) ?? "";
  return {
    files,
    script: named(".js"),
    style: named(".css"),
    pagesScript: await scriptOf("documents/main.ts"),
    pagesStyle: styleOf("documents/style.css"),
    docsScript: await scriptOf("docs-pages/main.ts"),
    docsStyle: styleOf("docs-pages/text.css", "docs-pages/frame.css"),
  };
}

/** A script for pages that the server writes. */
async function scriptOf(name: string): Promise<string> {
  const made = await build({
    entrypoints: [path(name)],
    target: "browser",
    format: "esm",
    minify: true,
  });
  return (await made.outputs[0]?.text()) ?? "";
}

const styleOf = (...names: readonly string[]): string =>
  ["style/tokens.css", ...names].map((one) => readFileSync(path(one), "utf8")).join("");

if (import.meta.main) process.stdout.write(JSON.stringify(requireBudget(await buildDashboard())));
