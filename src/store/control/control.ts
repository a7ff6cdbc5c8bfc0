import type { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config";
import { EmailDigests } from "../../domain/email-digest";
import type { SourceKind } from "../../domain/source";
import { agentQueries } from "./agents";
import { alertQueries } from "./alerts";
import { archiveErasureQueries } from "./archive-erasures";
import { blockedIdQueries } from "./blocked-ids";
import { budgetQueries } from "./budgets";
import { contextQueries } from "./contexts";
import { credentialQueries } from "./credentials";
import { DataVersions } from "./data-versions";
import { ControlConnection, openControlFile } from "./database";
import { Days } from "./days";
import { deletionQueries } from "./deletion";
import { demoQueries } from "./demo";
import { ProjectDirectory, type Recipient } from "./directory";
import { erasureQueries } from "./erasures";
import { experimentQueries } from "./experiments";
import { goalQueries } from "./goals";
import { heartbeatQueries } from "./heartbeat";
import { importQueries } from "./imports";
import { lifecycleQueries } from "./lifecycle";
import { mailQueries } from "./mail";
import { membershipQueries } from "./memberships";
import { portfolioQueries } from "./portfolios";
import { projectQueries } from "./projects";
import { readCountQueries } from "./read-counts";
import { replaySettingQueries } from "./replay-settings";
import { reportQueries } from "./reports";
import { Retention } from "./retention";
import { scanQueries } from "./scans";
import { serverConditionQueries } from "./server-conditions";
import { settingQueries } from "./settings";
import { shareQueries } from "./shares";
import { type KnownSource, SourceDirectory } from "./source-directory";
import { sourceQueries } from "./sources";
import { subscriptionQueries } from "./subscriptions";
import { viewQueries } from "./views";
import { visitorKeyQueries } from "./visitor-keys";
import { deliveryQueries } from "./webhook-deliveries";
import { webhookQueries } from "./webhooks";

export type ControlOptions = Pick<Config, "dataDir" | "identitySecret">;

/** Opens control.db; makes it, or brings it up to date, first. Throws StorageRefused. */
export function openControl({ dataDir, identitySecret }: ControlOptions): Control {
  mkdirSync(dataDir, { recursive: true });
  return new Control(openControlFile(join(dataDir, "control.db")), identitySecret);
}

/** Accounts, projects and all that hangs on them: one small file, read and written in the main thread. */
export class Control extends ControlConnection {
  readonly credentials: ReturnType<typeof credentialQueries>;
  readonly agents: ReturnType<typeof agentQueries>;
  readonly projects: ReturnType<typeof projectQueries>;
  readonly experiments: ReturnType<typeof experimentQueries>;
  readonly goals: ReturnType<typeof goalQueries>;
  readonly readCounts: ReturnType<typeof readCountQueries>;
  readonly contexts: ReturnType<typeof contextQueries>;
  readonly portfolios: ReturnType<typeof portfolioQueries>;
  readonly memberships: ReturnType<typeof membershipQueries>;
  readonly days: Days;
  readonly retention: Retention;
  readonly deletion: ReturnType<typeof deletionQueries>;
  readonly heartbeat: ReturnType<typeof heartbeatQueries>;
  readonly lifecycle: ReturnType<typeof lifecycleQueries>;
  readonly replaySettings: ReturnType<typeof replaySettingQueries>;
  readonly demo: ReturnType<typeof demoQueries>;
  readonly scans: ReturnType<typeof scanQueries>;
  readonly shares: ReturnType<typeof shareQueries>;
  readonly views: ReturnType<typeof viewQueries>;
  readonly sources: ReturnType<typeof sourceQueries>;
  readonly imports: ReturnType<typeof importQueries>;
  readonly visitorKeys: ReturnType<typeof visitorKeyQueries>;
  readonly mail: ReturnType<typeof mailQueries>;
  readonly webhooks: ReturnType<typeof webhookQueries>;
  readonly subscriptions: ReturnType<typeof subscriptionQueries>;
  readonly alerts: ReturnType<typeof alertQueries>;
  readonly reports: ReturnType<typeof reportQueries>;
  readonly deliveries: ReturnType<typeof deliveryQueries>;
  readonly erasures: ReturnType<typeof erasureQueries>;
  readonly archiveErasures: ReturnType<typeof archiveErasureQueries>;
  readonly blockedIds: ReturnType<typeof blockedIdQueries>;
  readonly budgets: ReturnType<typeof budgetQueries>;
  readonly serverConditions: ReturnType<typeof serverConditionQueries>;
  /** The secret from which every key is derived that protects an identity in this installation. */
  readonly identitySecret: string;
  readonly emailDigests: EmailDigests;
  readonly dataVersions: DataVersions;
  readonly #directory: ProjectDirectory;
  readonly #sourceDirectory: SourceDirectory;

  constructor(client: Database, identitySecret: string | null) {
    super(client);
    this.credentials = credentialQueries(this.db);
    this.agents = agentQueries(this);
    this.projects = projectQueries(this.db);
    this.experiments = experimentQueries(this.db);
    this.goals = goalQueries(this);
    this.readCounts = readCountQueries(this.db);
    this.contexts = contextQueries(this.db);
    this.portfolios = portfolioQueries(this.db);
    this.memberships = membershipQueries(this.db);
    this.days = new Days(this);
    this.retention = new Retention(this);
    this.deletion = deletionQueries(this);
    this.heartbeat = heartbeatQueries(this);
    this.lifecycle = lifecycleQueries(this);
    this.replaySettings = replaySettingQueries(this);
    this.demo = demoQueries(this);
    this.scans = scanQueries(this);
    this.dataVersions = new DataVersions(this, this.memberships, this.projects);
    this.#directory = new ProjectDirectory(this);
    this.identitySecret = identitySecret ?? this.#madeOnce("identity_secret");
    this.shares = shareQueries(this);
    this.views = viewQueries(this);
    this.sources = sourceQueries(this);
    this.#sourceDirectory = new SourceDirectory(this);
    this.imports = importQueries(this);
    this.visitorKeys = visitorKeyQueries(this);
    this.mail = mailQueries(this);
    this.webhooks = webhookQueries(this);
    this.subscriptions = subscriptionQueries(this);
    this.alerts = alertQueries(this);
    this.reports = reportQueries(this);
    this.deliveries = deliveryQueries(this);
    this.erasures = erasureQueries(this);
    this.archiveErasures = archiveErasureQueries(this);
    this.blockedIds = blockedIdQueries(this);
    this.budgets = budgetQueries(this);
    this.serverConditions = serverConditionQueries(this);
    this.emailDigests = new EmailDigests(this.identitySecret);
  }

  /** Tells whether there is an account. While there is none, anybody who may set up makes the first. */
  hasAccounts(): boolean {
    return this.credentials.hasAccounts();
  }

  /** The live project that a token names: from memory, for the hot path. */
  projectByToken(token: string): Recipient | undefined {
    return this.#directory.byToken(token);
  }

  /** The source that an address names: from memory, for the hot path. */
  sourceById(id: string): KnownSource | undefined {
    return this.#sourceDirectory.byId(id);
  }

  /** The source that a key names at the root: from memory, for the hot path. */
  sourceByKey(kind: SourceKind, key: string): KnownSource | undefined {
    return this.#sourceDirectory.byKey(kind, key);
  }

  /** The tier whose rights an account has: from memory, for the hot path. */
  tierOf(accountId: string): "free" | "pro" {
    return this.#directory.tierOf(accountId);
  }

  /** A secret of this installation, drawn when it is first wanted. */
  #madeOnce(name: string): string {
    const settings = settingQueries(this.db);
    const made = randomBytes(32).toString("hex");
    return settings.read(name) ?? this.write(() => settings.keepFirst(name, made));
  }
}
