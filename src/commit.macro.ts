import { join } from "node:path";

/**
 * The commit that the sources are of; null where they are no checkout of their own. It runs while the program is
 * bundled (or started from its sources).
 */
export function commitOfSources(): string | null {
  const root = join(import.meta.dir, "..");
  try {
    const git = ["git", "-C", root, "rev-parse", "HEAD", "--show-prefix"];
    const { exitCode, stdout } = Bun.spawnSync(git, { stderr: "ignore" });
    const [hash, prefix] = stdout.toString().split("\n");
    return exitCode === 0 && prefix === "" ? hash : null;
  } catch {
    return null;
  }
}
