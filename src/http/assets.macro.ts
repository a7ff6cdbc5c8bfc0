import { fileURLToPath } from "node:url";
import type { TrackerScripts } from "../../tracker/build";

/** In a process of its own, because a bundler at work cannot be asked to bundle. */
export function trackerScripts(): TrackerScripts {
  const builder = fileURLToPath(new URL("../../tracker/build.ts", import.meta.url));
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, builder]);
  if (!success) throw new Error(`The tracker does not build: ${stderr.toString()}`);
  return JSON.parse(stdout.toString());
}
