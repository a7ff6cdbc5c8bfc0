import { readFileSync } from "node:fs";

export interface Migration {
  readonly tag: string;
  /** Unix ms; drizzle orders migrations by it. */
  readonly when: number;
  readonly sql: string;
}

/** Runs while the program is bundled (or started from its sources), so that the executable carries its migrations. */
export function migrationsOf(folder: "events" | "control" | "replays"): Migration[] {
  const path = `${import.meta.dir}/../../drizzle/${folder}`;
  const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
    readFileSync(`${path}/meta/_journal.json`, "utf8"),
  );
  return journal.entries.map(({ tag, when }) => ({
    tag,
    when,
    sql: readFileSync(`${path}/${tag}.sql`, "utf8"),
  }));
}
