import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathFromRoot } from "./sources";

/** The scripts that take seconds to build: the module of the product that exports each, and its builder. */
export const scripts = {
  tracker: { module: "src/http/pages/assets.ts", builder: "tracker/build.ts", isJson: true },
  recorder: {
    module: "src/http/pages/recorder-asset.ts",
    builder: "src/replay/recorder/build.ts",
    isJson: false,
  },
} as const;
export const scriptNames = Object.keys(scripts) as (keyof typeof scripts)[];

/** The scripts of one run of the tests are in its folder for temporary files. */
export const builtScriptsIn = (folder: string): string => join(folder, "built-scripts");

/** Builds all scripts into the folder, each in a process of its own. One that does not build is an empty file. */
export async function buildScripts(folder: string): Promise<void> {
  await Promise.all(
    scriptNames.map(async (name) => {
      const builder = pathFromRoot(scripts[name].builder);
      const child = Bun.spawn([process.execPath, builder], { stdout: "pipe", stderr: "inherit" });
      const text = await new Response(child.stdout).text();
      const file = join(folder, name);
      writeFileSync(`${file}.part`, (await child.exited) === 0 ? text : "");
      renameSync(`${file}.part`, file);
    }),
  );
}
