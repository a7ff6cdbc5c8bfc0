import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert } from "../lib/assert";
import { refuseIfUnusable, refuseIfUnwritable, type Schema } from "./migrate";
import { refusedBySystem, StorageRefused, systemCodeOf } from "./refused";

/** A database of the data folder: one that joins the list is checked, labelled and backed up like the others. */
export interface DatabaseFile {
  readonly name: string;
  readonly schema: Schema;
  /** Makes it, or brings it up to date, first. It has a table `setting` with a name and a value. */
  open(file: string): Database;
  /** Tells whether every folder that was ever served has it; others came with later versions. */
  readonly isOriginal: boolean;
}

/** The database that says which ones an installation has. */
const controlName = "control.db";

/** The id is in every database, and drawn once: files with different ones are not of one server. */
const idSetting = "installation_id";
/** This setting of control.db lists the databases that carry the id, which none may lack from then on. */
const membersSetting = "installation_files";
/**
 * This setting of control.db says that some databases have yet to get the id; a start that was cut short goes on from
 * here.
 */
const joiningSetting = "installation_joining";

/** This file is in a folder whose backup is not finished. */
export const unfinishedBackup = "backup.part";

/** What a look at a database found. */
interface Found {
  readonly database: DatabaseFile;
  readonly file: string;
  readonly content: "missing" | "empty" | "some";
  readonly settings: ReadonlyMap<string, string>;
  readonly hasProjects: boolean;
}

/**
 * Makes sure that the databases of a folder belong together, before any of them is opened: one that is missing, empty
 * or of another installation is never replaced in silence, as its data would seem to be gone and anybody could set the
 * server up again. Throws StorageRefused, which says what to do. Makes the databases of a new folder, and gives those
 * of earlier versions their id.
 */
export function openInstallation(dataDir: string, databases: readonly DatabaseFile[]): void {
  mkdirSync(dataDir, { recursive: true });
  if (checkInstallation(dataDir, databases) !== "whole") label(dataDir, databases);
}

/** Looks at the databases of a folder, and changes nothing. `whole`: nothing is left to be made or labelled. */
export function checkInstallation(
  dataDir: string,
  databases: readonly DatabaseFile[],
): "new" | "whole" | "unlabelled" {
  refuseUnfinishedBackup(dataDir, databases);
  const found = databases.map((database) => look(dataDir, database));
  if (found.every(({ content }) => content !== "some")) return "new";
  const control = found.find(({ database }) => database.name === controlName);
  assert(control !== undefined, "control.db is among the databases");
  if (control.content !== "some") throw lost(control, found);
  const members = membersIn(control);
  for (const other of found) refuseIfUnfit(other, control, members, found);
  const isWhole =
    found.every(({ database }) => members.has(database.name)) &&
    !control.settings.has(joiningSetting);
  return isWhole ? "whole" : "unlabelled";
}

/** Refuses a folder for what its databases lack, `whole` or not. */
function refuseIfUnfit(
  one: Found,
  control: Found,
  members: ReadonlySet<string>,
  all: readonly Found[],
): void {
  const { database, content, settings } = one;
  const isMember = members.has(database.name);
  if (content !== "some") {
    // `setup` of earlier versions made control.db alone, which then had no project.
    const isAwaited = database.isOriginal ? !control.hasProjects : true;
    if (isMember || !isAwaited) throw lost(one, all);
    return;
  }
  const id = settings.get(idSetting);
  const installation = control.settings.get(idSetting);
  const mayLackId = installation === undefined || joiningIn(control).has(database.name);
  if (id === undefined ? isMember || !mayLackId : id !== installation) throw foreign(one, control);
}

/**
 * The id is first written to control.db, with the names of those that do not carry it yet, then to each of them, and
 * at last they are written down as members: wherever a crash or a power cut falls between, the next start goes on.
 */
function label(dataDir: string, databases: readonly DatabaseFile[]): void {
  const others = databases.filter(({ name }) => name !== controlName);
  const [controlFile] = databases.filter(({ name }) => name === controlName);
  const control = controlFile.open(join(dataDir, controlName));
  try {
    const id = control
      .transaction(() => {
        put(control, joiningSetting, others.map(({ name }) => name).join());
        return keepFirst(control, idSetting, randomBytes(16).toString("hex"));
      })
      .immediate();
    for (const { name, open } of others) {
      const database = open(join(dataDir, name));
      try {
        keepFirst(database, idSetting, id);
      } finally {
        database.close();
      }
    }
    control
      .transaction(() => {
        put(control, membersSetting, databases.map(({ name }) => name).join());
        control.query("delete from setting where name = ?").run(joiningSetting);
      })
      .immediate();
  } finally {
    control.close();
  }
}

/** A database that comes to the folder, to take the place of one there, gets the id of the others. */
export function labelAs(dataDir: string, db: Database): void {
  const control = join(dataDir, controlName);
  const id = existsSync(control) ? contentOf(control).settings.get(idSetting) : undefined;
  if (id !== undefined) put(db, idSetting, id);
}

const put = (db: Database, name: string, value: string): void => {
  db.query("insert or replace into setting (name, value) values (?, ?)").run(name, value);
};
/** Keeps a value unless there is one. Another process may do the same: both go on with the first. */
function keepFirst(db: Database, name: string, value: string): string {
  db.query("insert or ignore into setting (name, value) values (?, ?)").run(name, value);
  const row = db.query("select value from setting where name = ?").get(name);
  return (row as { value: string }).value;
}

function look(dataDir: string, database: DatabaseFile): Found {
  const file = join(dataDir, database.name);
  const found = { database, file, settings: new Map<string, string>(), hasProjects: false };
  if (!existsSync(file)) return { ...found, content: "missing" };
  refuseIfUnwritable(file);
  if (statSync(file).size === 0) return { ...found, content: "empty" };
  const sidecars = [`${file}-wal`, `${file}-shm`].filter((path) => !existsSync(path));
  try {
    return { ...found, ...contentOf(file) };
  } catch (error) {
    for (const path of sidecars) rmSync(path, { force: true });
    // Says that it is damaged, or of a newer version, where that is why.
    refuseIfUnusable(file, database.schema);
    const code = systemCodeOf(error);
    if (code !== null) throw refusedBySystem(file, code);
    throw new StorageRefused(
      `${file} cannot be read (${error instanceof Error ? error.message : "unknown"}). Restore it from a backup.`,
    );
  }
}

function contentOf(file: string): Pick<Found, "content" | "settings" | "hasProjects"> {
  const db = new Database(file, { readonly: true, strict: true });
  try {
    const tables = db.query("select name from sqlite_schema where type = 'table'").values();
    const has = (name: string): boolean => tables.some(([table]) => table === name);
    const settings = has("setting") ? db.query("select name, value from setting").values() : [];
    return {
      content: tables.length === 0 ? "empty" : "some",
      settings: new Map(settings.map(([name, value]) => [String(name), String(value)])),
      hasProjects: has("project") && db.query("select 1 from project").get() !== null,
    };
  } finally {
    db.close();
  }
}

const namesIn = (value: string | undefined): ReadonlySet<string> =>
  new Set(value?.split(",").filter(Boolean));
const membersIn = ({ settings }: Found): ReadonlySet<string> =>
  namesIn(settings.get(membersSetting));
const joiningIn = ({ settings }: Found): ReadonlySet<string> =>
  namesIn(settings.get(joiningSetting));

function refuseUnfinishedBackup(dataDir: string, databases: readonly DatabaseFile[]): void {
  const partial = databases.map(({ name }) => `${name}.part`);
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const part = names.find((name) => name === unfinishedBackup || partial.includes(name));
  if (part === undefined) return;
  throw new StorageRefused(
    `${resolve(dataDir)} is an incomplete backup: it still contains ${part}. Use another backup.`,
  );
}

function lost(one: Found, all: readonly Found[]): StorageRefused {
  const others = all.filter(({ content }) => content === "some").map(({ file }) => file);
  const have = others.length === 1 ? "has" : "have";
  return new StorageRefused(
    `${one.file} is ${one.content}, but ${others.join(" and ")} ${have} data. Put the missing file back, or ` +
      "restore all of them from one backup. To begin with an empty server, set DATA_DIR to a new folder.",
  );
}

const foreign = (one: Found, control: Found): StorageRefused =>
  new StorageRefused(
    `${one.file} and ${control.file} come from different installations. Put back the right file, or ` +
      "restore all of them from one backup.",
  );
