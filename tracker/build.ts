import { fileURLToPath } from "node:url";
import { type BunPlugin, file } from "bun";

export interface TrackerScripts {
  /** What browsers get: /tracker.js. */
  readonly script: string;
  /** The same program before it was minified, with its comments: /tracker.src.js. */
  readonly source: string;
}

const notice = "/*! Sightline tracker, to be read at /tracker.src.js */\n";

/** Bundles the modules of this folder into one readable script, and minifies exactly that text. */
export async function buildTracker(): Promise<TrackerScripts> {
  const source = withPlainComments(
    await bundle({
      entrypoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
      format: "iife",
      plugins: [withKeptComments],
    }),
  );
  const minified = await bundle({
    entrypoints: ["/tracker.src.js"],
    files: { "/tracker.src.js": source },
    format: "esm", // The text has its function around it already.
    minify: true,
  });
  return { source: notice + source, script: notice + minified };
}

async function bundle(options: Bun.BuildConfig): Promise<string> {
  const { outputs } = await Bun.build({ ...options, target: "browser" });
  return `${(await outputs[0]?.text())?.trim()}\n`;
}

/** The bundler drops comments but those that begin with "!", so on the way in each gets one. */
const withKeptComments: BunPlugin = {
  name: "kept comments",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: (await file(path).text())
        .replace(/^( *)\/\*\* /gm, "$1/*! ")
        .replace(/^( *)\/\/ /gm, "$1//! "),
    }));
  },
};

const withPlainComments = (text: string): string =>
  text.replace(/^( *)\/\*! /gm, "$1/** ").replace(/^( *)\/\/! /gm, "$1// ");

if (import.meta.main) process.stdout.write(JSON.stringify(await buildTracker()));
