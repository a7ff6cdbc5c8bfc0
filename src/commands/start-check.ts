import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config";
import { pendingTables } from "../store/clickhouse/looked-at";
import { checkInstallation, type DatabaseFile } from "../store/installation";
import { serverOn } from "../store/lock";
import { pendingMigrations, refuseIfUnusable } from "../store/migrate";
import { openToOthers } from "../store/private-files";
import { exitCodes } from "./command";
import { databaseFiles } from "./databases";
import { sentenceFor } from "./sentence";

const megabyte = 1024 * 1024;

/** One thing that a start would change. */
interface Change {
  readonly kind: "create" | "upgrade" | "label" | "rights";
  /** The file, the folder, or the database of ClickHouse. */
  readonly of: string;
  /** The migrations that would run, oldest first. */
  readonly migrations: readonly string[];
  /** The bytes of the copy that a start makes before it changes the tables of a file. */
  readonly copyBytes: number;
  readonly message: string;
}

/** Says what a start would change, without changing it. Returns 1 when the start would be refused. */
export async function checkStart(
  config: Config,
  print: (text: string) => void,
  isJson: boolean,
): Promise<number> {
  const { changes, refused } = await lookAtStart(config);
  const isRunning =
    refused === null && existsSync(config.dataDir) && serverOn(config.dataDir) !== null;
  if (isJson) {
    const told = changes.map(({ copyBytes: copy_bytes, ...change }) => ({ ...change, copy_bytes }));
    print(
      `${JSON.stringify({ ok: refused === null, refused, running: isRunning, changes: told })}\n`,
    );
  } else {
    const lines = changes.map(({ message }) => message);
    if (isRunning)
      lines.push("A server is running on this folder. Stop it before you start another.");
    if (refused !== null) lines.push(`The start would be refused: ${refused}`);
    else if (changes.length === 0) lines.push("A start would change nothing.");
    print(`${lines.join("\n")}\n`);
  }
  return refused === null ? exitCodes.done : exitCodes.failed;
}

async function lookAtStart(config: Config) {
  const changes: Change[] = [];
  try {
    changes.push(...changesOfFolder(config.dataDir));
    if (config.clickHouse !== null) {
      const { database } = config.clickHouse;
      const pending = await pendingTables(config.clickHouse);
      if (pending.length > 0) {
        const versions = pending.join(", ");
        const message = `${database} in ClickHouse: the start brings its tables to version ${versions}.`;
        changes.push({ kind: "upgrade", of: database, migrations: pending, copyBytes: 0, message });
      }
    }
    return { changes, refused: null };
  } catch (error) {
    const refused = sentenceFor(error);
    if (refused === null) throw error;
    return { changes, refused };
  }
}

function changesOfFolder(dataDir: string): readonly Change[] {
  const nothing = { migrations: [], copyBytes: 0 };
  const path = resolve(dataDir);
  if (checkInstallation(dataDir, databaseFiles) === "new") {
    return [
      {
        kind: "create",
        of: path,
        ...nothing,
        message: `${path}: the start creates the databases.`,
      },
    ];
  }
  const changes = databaseFiles.flatMap((database) => changeOf(dataDir, database));
  if (checkInstallation(dataDir, databaseFiles) === "unlabelled") {
    const message = `${path}: the start marks the databases as belonging together.`;
    changes.push({ kind: "label", of: path, ...nothing, message });
  }
  const open = openToOthers(dataDir);
  if (open.length > 0) {
    const message = `${path}: the start takes the rights of other users of this machine away.`;
    changes.push({ kind: "rights", of: path, ...nothing, message });
  }
  return changes;
}

function changeOf(dataDir: string, { name, schema }: DatabaseFile): Change[] {
  const file = join(dataDir, name);
  if (!existsSync(file)) {
    const message = `${name}: the start creates it.`;
    return [{ kind: "create", of: name, migrations: [], copyBytes: 0, message }];
  }
  refuseIfUnusable(file, schema);
  const migrations = pendingMigrations(file, schema);
  if (migrations.length === 0) return [];
  const copyBytes = statSync(file).size;
  const message =
    `${name}: the start copies it (${Math.ceil(copyBytes / megabyte)} MB) and changes its tables: ` +
    `${migrations.join(", ")}.`;
  return [{ kind: "upgrade", of: name, migrations, copyBytes, message }];
}
