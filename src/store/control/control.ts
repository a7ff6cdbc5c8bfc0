import { Database, SQLiteError } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { Config } from "../../config";
import { EmailDigests } from "../../domain/email-digest";
import { ApiError } from "../../domain/errors";
import { log } from "../../lib/log";
import { DamageReport } from "../damage";
import { migrate, refuseIfUnusable, type Schema } from "../migrate";
import { migrationsOf } from "../migrations.macro" with { type: "macro" };
import { agentQueries } from "./agents";
import { contextQueries } from "./contexts";
import { credentialQueries } from "./credentials";
import { deletionQueries } from "./deletion";
import { demoQueries } from "./demo";
import { ProjectDirectory, type Recipient } from "./directory";
import { experimentQueries } from "./experiments";
import { lifecycleQueries } from "./lifecycle";
import { membershipQueries } from "./memberships";
import { portfolioQueries } from "./portfolios";
import { projectQueries } from "./projects";
import { readCountQueries } from "./read-counts";
import { replaySettingQueries } from "./replay-settings";
import { scanQueries } from "./scans";
import { settingQueries } from "./settings";
import { shareQueries } from "./shares";
import { viewQueries } from "./views";

export const schema: Schema = {
  migrations: migrationsOf("control"),
  withoutCopy: new Set(),
  checkContent: null,
};
const busyMs = 2_000;

export type ControlDatabase = BunSQLiteDatabase;

export type ControlOptions = Pick<Config, "dataDir" | "identitySecret">;

/** Opens control.db; makes it, or brings it up to date, first. Throws StorageRefused. */
export function openControl({ dataDir, identitySecret }: ControlOptions): Control {
  mkdirSync(dataDir, { recursive: true });
  return new Control(openControlFile(join(dataDir, "control.db")), identitySecret);
}

export function openControlFile(file: string): Database {
  refuseIfUnusable(file, schema);
  const client = new Database(file, { create: true, readwrite: true, strict: true });
  // `sightline setup` may write beside the server, for moments.
  client.run(`pragma busy_timeout = ${busyMs}`);
  client.run("pragma journal_mode = wal");
  client.run("pragma synchronous = full");
  migrate(client, file, schema);
  // Off while tables are rebuilt by a migration, on for everything else.
  client.run("pragma foreign_keys = on");
  return client;
}

/** Accounts, projects and all that hangs on them: one small file, read and written in the main thread. */
export class Control {
  readonly db: ControlDatabase;
  readonly credentials: ReturnType<typeof credentialQueries>;
  readonly agents: ReturnType<typeof agentQueries>;
  readonly projects: ReturnType<typeof projectQueries>;
  readonly experiments: ReturnType<typeof experimentQueries>;
  readonly readCounts: ReturnType<typeof readCountQueries>;
  readonly contexts: ReturnType<typeof contextQueries>;
  readonly portfolios: ReturnType<typeof portfolioQueries>;
  readonly memberships: ReturnType<typeof membershipQueries>;
  readonly deletion: ReturnType<typeof deletionQueries>;
  readonly lifecycle: ReturnType<typeof lifecycleQueries>;
  readonly replaySettings: ReturnType<typeof replaySettingQueries>;
  readonly demo: ReturnType<typeof demoQueries>;
  readonly scans: ReturnType<typeof scanQueries>;
  readonly shares: ReturnType<typeof shareQueries>;
  readonly views: ReturnType<typeof viewQueries>;
  /** What every key of this installation that protects an identity is derived from. */
  readonly identitySecret: string;
  readonly emailDigests: EmailDigests;
  readonly #client: Database;
  readonly #directory: ProjectDirectory;
  /** Of what requests met that read it. */
  readonly damage = new DamageReport("control.db");
  #revision = 0;

  constructor(client: Database, identitySecret: string | null) {
    this.#client = client;
    this.db = drizzle(client);
    this.credentials = credentialQueries(this.db);
    this.agents = agentQueries(this);
    this.projects = projectQueries(this.db);
    this.experiments = experimentQueries(this.db);
    this.readCounts = readCountQueries(this.db);
    this.contexts = contextQueries(this.db);
    this.portfolios = portfolioQueries(this.db);
    this.memberships = membershipQueries(this.db);
    this.deletion = deletionQueries(this);
    this.lifecycle = lifecycleQueries(this);
    this.replaySettings = replaySettingQueries(this);
    this.demo = demoQueries(this);
    this.scans = scanQueries(this);
    this.#directory = new ProjectDirectory(this.db, () => this.#revision);
    this.identitySecret = identitySecret ?? this.#madeOnce("identity_secret");
    this.shares = shareQueries(this);
    this.views = viewQueries(this);
    this.emailDigests = new EmailDigests(this.identitySecret);
  }

  /**
   * Everything in `work` or nothing, on the disk when it returns. What it reads cannot change before it writes, also
   * not through another process. Throws UNAVAILABLE when the disk is full or fails; reads go on meanwhile.
   */
  write<T>(work: () => T): T {
    const result = this.#transact(work);
    this.#revision += 1;
    return result;
  }

  /** For counts that may lose a moment: waits neither for the disk nor for another process. */
  writeSoon(work: () => void): void {
    this.#client.run("pragma synchronous = normal");
    this.#client.run("pragma busy_timeout = 0");
    try {
      this.#transact(work);
    } finally {
      this.#client.run("pragma synchronous = full");
      this.#client.run(`pragma busy_timeout = ${busyMs}`);
    }
  }

  /** Grows whenever something was changed: what was read with an older one may hold no more. */
  get revision(): number {
    return this.#revision;
  }

  /** While there is none, anybody who may set up makes the first. */
  hasAccounts(): boolean {
    return this.credentials.hasAccounts();
  }

  /** The live project that a token names: from memory, for the hot path. */
  projectByToken(token: string): Recipient | undefined {
    return this.#directory.byToken(token);
  }

  /** The tier whose rights an account has: from memory, for the hot path. */
  tierOf(accountId: string): "free" | "pro" {
    return this.#directory.tierOf(accountId);
  }

  close(): void {
    this.#client.close();
  }

  #transact<T>(work: () => T): T {
    try {
      return this.#client.transaction(work).immediate();
    } catch (error) {
      if (!isTrouble(error)) throw error;
      log("error", "control.db could not be written", { cause: error.code });
      throw new ApiError(
        "UNAVAILABLE",
        "The server cannot write to its disk now. Nothing was changed; try again in a moment.",
      );
    }
  }

  /** A secret of this installation, drawn when it is first wanted. */
  #madeOnce(name: string): string {
    const settings = settingQueries(this.db);
    const made = randomBytes(32).toString("hex");
    return settings.read(name) ?? this.write(() => settings.keepFirst(name, made));
  }
}

/** The machine's trouble, as opposed to a constraint or a mistake of ours. */
const isTrouble = (error: unknown): error is SQLiteError =>
  error instanceof SQLiteError &&
  /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOMEM)/.test(error.code ?? "");

/** Whether a write failed because it would have made something twice. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(error.code ?? "");
