/** The files that browsers load, by their names, which contain a hash of the content. */
export interface DashboardFiles {
  readonly files: Readonly<Record<string, string>>;
  /** The names in the application's document. */
  readonly script: string;
  readonly style: string;
  /** The script of the pages that the server writes: set-up, log-in, account. */
  readonly pagesScript: string;
  readonly pagesStyle: string;
  /** The same for the pages of the documentation. */
  readonly docsScript: string;
  readonly docsStyle: string;
}

/** Runs at bundle time (under `bun run`, when it is first asked for), by a process of its own. */
export function dashboardFiles(): DashboardFiles {
  const builder = Bun.fileURLToPath(new URL("../../dashboard/build.ts", import.meta.url));
  const { stdout, success } = Bun.spawnSync([process.execPath, builder], {
    env: { PATH: "/usr/bin:/bin", BUN_BE_BUN: "1" },
    // The bundler does not print what a macro throws: the reason is told by the process itself.
    stderr: "inherit",
  });
  if (!success) throw new Error("The dashboard could not be built.");
  return JSON.parse(stdout.toString());
}
