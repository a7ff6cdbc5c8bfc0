import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const prefixOf = (installation: string): string => `sightline-drill-${installation}-`;

/** Makes the folder of a drill, whose name has the id of this process. */
export function makeDrillFolder(drillDir: string, installation: string): string {
  mkdirSync(drillDir, { recursive: true });
  return mkdtempSync(join(drillDir, `${prefixOf(installation)}${process.pid}-`));
}

/** Removes the folders of drills that were killed: each has a whole copy of the data. */
export function removeLeftDrills(drillDir: string, installation: string): void {
  if (!existsSync(drillDir)) return;
  const prefix = prefixOf(installation);
  for (const name of readdirSync(drillDir)) {
    if (!name.startsWith(prefix)) continue;
    const [pid] = name.slice(prefix.length).split("-");
    if (!isRunning(Number(pid))) rmSync(join(drillDir, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
