import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TrackerScripts } from "../../../tracker/build";

/**
 * Names a new folder of one run of the tests (test/run.ts): its processes share the scripts that the first of them
 * builds there. Without it each process that starts from the sources builds its own.
 */
const sharedFolder = process.env.SHARED_SCRIPTS;
const lookMs = 10;

export const trackerScripts = (): TrackerScripts =>
  JSON.parse(script("tracker", "../../../tracker/build.ts"));

export const recorderScript = (): string => script("recorder", "../../replay/recorder/build.ts");

export const playerScript = (): string => script("player", "../../replay/player/build.ts");

function script(name: string, path: string): string {
  if (sharedFolder === undefined) return written(name, path);
  const file = join(sharedFolder, name);
  const isFirst = mkdirSync(`${file}.begun`, { recursive: true }) !== undefined;
  if (isFirst) {
    let text = "";
    try {
      text = written(name, path);
    } finally {
      writeFileSync(`${file}.part`, text);
      renameSync(`${file}.part`, file);
    }
    return text;
  }
  while (!existsSync(file)) Bun.sleepSync(lookMs);
  // What did not build is tried again, so that each process says why.
  return readFileSync(file, "utf8") || written(name, path);
}

/** By a process of its own, because a bundler at work cannot be asked to bundle. */
function written(name: string, path: string): string {
  const builder = fileURLToPath(new URL(path, import.meta.url));
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, builder]);
  if (!success) throw new Error(`The ${name} does not build: ${stderr.toString()}`);
  return stdout.toString();
}
