import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, readConfig } from "../config";
import { checkInstallation, type DatabaseFile } from "../store/installation";
import { serverOn } from "../store/lock";
import { newestIn, refuseIfNewer, refuseIfUnwritable, StorageRefused } from "../store/migrate";
import { openToOthers } from "../store/private-files";
import { version } from "../version";
import { databaseFiles } from "./databases";

const freeBytesWanted = 1024 * 1024 * 1024;
const megabyte = 1024 * 1024;

/** Says what is well and what is not, changing nothing. Returns 1 when something needs a hand. */
export function doctor(print: (text: string) => void): number {
  print(`Sightline ${version}, Bun ${Bun.version}, ${process.platform} ${process.arch}\n`);
  const problems: string[] = [];
  const check = (name: string, look: () => string): void => {
    try {
      print(`ok       ${name}: ${look()}\n`);
    } catch (error) {
      if (!(error instanceof ConfigError) && !(error instanceof StorageRefused)) throw error;
      problems.push(name);
      print(`problem  ${name}: ${error.message}\n`);
    }
  };

  check("configuration", () => {
    const { publicUrl, host, port, billingLacks } = readConfig();
    if (billingLacks.length > 0) {
      throw new ConfigError(
        `payments also need ${billingLacks.join(", ")}; until then they are off.`,
      );
    }
    return `serves ${publicUrl}, listens on ${host}:${port}`;
  });
  const dataDir = dataFolder();
  if (dataDir !== null) checkData(dataDir, check);
  print(problems.length === 0 ? "All is well.\n" : `Look at: ${problems.join(", ")}.\n`);
  return problems.length === 0 ? 0 : 1;
}

/** Null when the configuration is refused: then there is no telling. */
function dataFolder(): string | null {
  try {
    return readConfig().dataDir;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return null;
  }
}

function checkData(dataDir: string, check: (name: string, look: () => string) => void): void {
  check("data folder", () => checkFolder(dataDir));
  if (!existsSync(dataDir)) return;
  check("rights", () => checkRights(dataDir));
  check("installation", () => installations[checkInstallation(dataDir, databaseFiles)]);
  for (const { name, migrations } of databaseFiles) {
    check(name, () => checkDatabase(join(dataDir, name), migrations));
  }
  check("server", () => checkServer(dataDir));
}

const installations = {
  new: "nothing yet; serve makes it",
  whole: "every database is there, and they belong together",
  unlabelled: "of an earlier version; the next start brings it up to date",
} as const;

function checkFolder(dataDir: string): string {
  const path = resolve(dataDir);
  if (!existsSync(dataDir)) {
    throw new ConfigError(
      `${path} does not exist. Set DATA_DIR to the folder of the server, or start the server, which makes it.`,
    );
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new ConfigError(`${path} cannot be written by this user.`);
  }
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  const free = `${Math.floor(freeBytes / megabyte)} MB free`;
  if (freeBytes < freeBytesWanted) {
    throw new ConfigError(`${path} has only ${free}. Events are refused when the disk is full.`);
  }
  return `${path}, ${free}`;
}

function checkRights(dataDir: string): string {
  const open = openToOthers(dataDir);
  if (open.length === 0) return "nobody but this user can reach the data";
  throw new ConfigError(
    `other users of this machine have rights to ${open.join(", ")}. Take them with chmod go=.`,
  );
}

/** Reads every page, so that damage anywhere in the file is found. */
function checkDatabase(file: string, migrations: DatabaseFile["migrations"]): string {
  if (!existsSync(file)) return "not there yet; serve makes it";
  refuseIfUnwritable(file);
  const size = `${Math.ceil(statSync(file).size / megabyte)} MB`;
  const db = openReadonly(file);
  try {
    refuseIfNewer(file, newestIn(db), migrations);
    const answer = db.query<{ quick_check: string }, []>("pragma quick_check(1)").get();
    if (answer?.quick_check !== "ok") throw damaged(file, answer?.quick_check ?? "no answer");
    return size;
  } catch (error) {
    if (error instanceof StorageRefused) throw error;
    throw damaged(file, String(error));
  } finally {
    db.close();
  }
}

function openReadonly(file: string): Database {
  try {
    return new Database(file, { readonly: true, strict: true });
  } catch (error) {
    throw damaged(file, String(error));
  }
}

const damaged = (file: string, why: string): StorageRefused =>
  new StorageRefused(`${file} is damaged (${why}). Restore it from a backup.`);

function checkServer(dataDir: string): string {
  const server = serverOn(dataDir);
  if (server === null) return "not running";
  return `running on this folder${server.url === null ? "" : `: ${server.url}`}`;
}
