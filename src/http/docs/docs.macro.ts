import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DocsPage } from "./page";
import { renderPage } from "./render";

/** Runs while the program is bundled (or, from its sources, when the documentation is first asked for). */
export function docsPages(): readonly DocsPage[] {
  const folder = fileURLToPath(new URL("../../docs", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".md"))
    .sort();
  const known = new Set(files);
  return files.map((file) => renderPage(file, readFileSync(join(folder, file), "utf8"), known));
}
