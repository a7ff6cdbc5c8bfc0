/** Runs at bundle time (under `bun run`, at start): the pages' script as one text. */
export function pagesScript(): string {
  const entry = Bun.fileURLToPath(new URL("../../dashboard/main.ts", import.meta.url));
  const built = Bun.spawnSync(
    [process.execPath, "build", entry, "--minify", "--target=browser", "--format=esm"],
    { env: { PATH: "/usr/bin:/bin", BUN_BE_BUN: "1" } },
  );
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return built.stdout.toString();
}

export function pagesStyle(): Promise<string> {
  return Bun.file(Bun.fileURLToPath(new URL("../../dashboard/style.css", import.meta.url))).text();
}
