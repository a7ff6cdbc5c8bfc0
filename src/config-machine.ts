import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join, posix } from "node:path";

/** The memory of the machine that the process may use. */
export interface Machine {
  readonly memoryBytes: number;
}

export const thisMachine = (): Machine => ({
  memoryBytes: Math.min(totalmem(), memoryLimit(textOf)),
});

/** Reads a text file; it returns null if the file cannot be read. */
type TextOf = (path: string) => string | null;

const groupsFile = "/proc/self/cgroup";
/** Linux shows control groups in this folder, and each version calls the file with the limit otherwise. */
const groupsFolder = "/sys/fs/cgroup";
const limitFile = "memory.max";
const limitFileOfOne = "memory.limit_in_bytes";

/**
 * The least memory that a control group of this process allows, which is how containers and services are bounded;
 * Infinity where there is no bound. A group lies within others, and the tightest counts. Within a container the path
 * may be that of the host, of which nothing but the container's own group is to be seen, at the root.
 */
export function memoryLimit(read: TextOf): number {
  const groups = (read(groupsFile) ?? "").split("\n").map((line) => line.split(":"));
  const files = groups.flatMap(([, controllers = "", path = "/"]) => {
    if (controllers === "") return upwards(path).map((one) => join(groupsFolder, one, limitFile));
    if (!controllers.split(",").includes("memory")) return [];
    return upwards(path).map((one) => join(groupsFolder, "memory", one, limitFileOfOne));
  });
  const limits = files.map((file) => Number.parseInt(read(file) ?? "", 10));
  return Math.min(Number.POSITIVE_INFINITY, ...limits.filter((bytes) => bytes > 0));
}

/** Returns a path and all folders above it, up to the root. */
function upwards(path: string): string[] {
  const paths = [path];
  for (let at = path; at !== posix.dirname(at) && at !== "."; ) {
    at = posix.dirname(at);
    paths.push(at);
  }
  return paths;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
