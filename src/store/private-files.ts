import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { log } from "../lib/log";

/** Rights of the group and of everybody else. */
const othersBits = 0o077;
/** What this program writes into a data or backup folder. */
const ownName = /^(control|events|replays|lock)\.db|^(replays|imports)$|^server\.json$|\.part$/;
/** A disk's own. */
const namesOfDisks: ReadonlySet<string> = new Set(["lost+found"]);

/**
 * Makes everything that this process writes from now on its user's alone: folders 0700, files 0600, in every thread.
 */
export const makeFilesPrivate = (): void => void process.umask(othersBits);

/**
 * Takes the rights of others from a folder and from the files in it that are ours: a folder made by an earlier version,
 * or by somebody else with wider rights. A folder that also holds other things keeps its rights, as they may serve
 * those; `doctor` names it. Gives no right that was missing.
 */
export function takeRightsOfOthers(folder: string): void {
  for (const path of pathsOf(folder)) {
    if (path === folder && !isOursAlone(folder)) continue;
    const { mode } = statSync(path);
    if ((mode & othersBits) === 0) continue;
    try {
      chmodSync(path, mode & 0o777 & ~othersBits);
    } catch {
      log(
        "warn",
        "other users of this machine can read a file, and the server is not allowed to change its permissions",
      );
    }
  }
}

/** The folder and files of ours to which others have rights, with these. */
export const openToOthers = (folder: string): string[] =>
  pathsOf(folder).flatMap((path) => {
    const mode = statSync(path).mode & 0o777;
    return (mode & othersBits) === 0 ? [] : [`${path} (${mode.toString(8).padStart(4, "0")})`];
  });

function pathsOf(folder: string): string[] {
  const names = readdirSync(folder)
    .filter((name) => ownName.test(name))
    .sort();
  // A log can go between the list and the look at it.
  return [folder, ...names.map((name) => join(folder, name))].filter((path) => existsSync(path));
}

const isOursAlone = (folder: string): boolean =>
  resolve(folder) !== resolve(folder, "..") &&
  readdirSync(folder).every((name) => ownName.test(name) || namesOfDisks.has(name));
