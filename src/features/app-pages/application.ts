import { ApiError } from "../../domain/errors";
import { StaticFile } from "../../http/edge/static-file";
import { escapeHtml } from "../../lib/escape-html";

export const types = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;
const typesByEnding: ReadonlyMap<string, string> = new Map(Object.entries(types));
const known = new Map<string, StaticFile>();

/** A script or style of the application. Its name says its content, so browsers keep it for good. */
export async function applicationFile(name: string): Promise<StaticFile> {
  const made = known.get(name);
  if (made !== undefined) return made;
  const { files } = (await import("./bundle")).bundle;
  const text = Object.hasOwn(files, name) ? files[name] : undefined;
  if (text === undefined)
    throw new ApiError(
      "NOT_FOUND",
      "This file does not exist, perhaps because the server was upgraded. Reload the page.",
    );
  const file = new StaticFile(async () => text, {
    "content-type": typesByEnding.get(name.split(".").at(-1) ?? "") ?? "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
  });
  known.set(name, file);
  return file;
}

/** The one document of the application; what it shows, its address says, and to whom it is shared if it is. */
export async function applicationDocument(shared?: object): Promise<string> {
  const { script, style } = (await import("./bundle")).bundle;
  const share = shared === undefined ? "" : ` data-share="${escapeHtml(JSON.stringify(shared))}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sightline</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app/assets/${style}">
<script type="module" src="/app/assets/${script}"></script>
</head>
<body>
<div id="app"${share}></div>
<noscript>Enable JavaScript to use this page.</noscript>
</body>
</html>
`;
}
