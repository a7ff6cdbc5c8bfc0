import { fileURLToPath } from "node:url";
import type { TrackerScripts } from "../../../tracker/build";

export const trackerScripts = (): TrackerScripts =>
  JSON.parse(written("The tracker", "../../../tracker/build.ts"));

export const recorderScript = (): string =>
  written("The recorder", "../../replay/recorder/build.ts");

export const playerScript = (): string => written("The player", "../../replay/player/build.ts");

/** Builds a script in a process of its own, because a running bundler cannot be asked to bundle. */
function written(what: string, path: string): string {
  const builder = fileURLToPath(new URL(path, import.meta.url));
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, builder]);
  if (!success) throw new Error(`${what} does not build: ${stderr.toString()}`);
  return stdout.toString();
}
