import { databaseFiles } from "./commands/databases";
import type { Config } from "./config";
import { makeFirstAccount } from "./features/accounts/first-account";
import type { Deps, Server } from "./http/deps";
import { Metrics } from "./http/edge/metrics";
import { Rates } from "./http/edge/rates";
import { UnsentBytes } from "./http/edge/unsent-bytes";
import { Alerts } from "./services/alerts/alerts";
import { Archive } from "./services/archive/archive";
import { ArchiveErasures } from "./services/archive/archive-erasures";
import { archivePlaceOf } from "./services/archive/place";
import { BackupDrill } from "./services/backup-drill";
import { BlockedSessions } from "./services/blocked-sessions";
import { openBudgets } from "./services/budgets/budgets";
import { Conditions } from "./services/conditions/conditions";
import { ServerLooks } from "./services/conditions/server-looks";
import { Demo } from "./services/demo";
import { Disk } from "./services/disk/disk";
import { Erasures } from "./services/erasures";
import { ExcludedCounts } from "./services/excluded-counts";
import { ExportPlaces } from "./services/export-places";
import { storedFrom } from "./services/imported-days";
import { Imports } from "./services/imports";
import { IngestDiagnostics } from "./services/ingest-diagnostics";
import { Mail } from "./services/mail/mail";
import type { MessageNetwork } from "./services/page-fetch/network";
import type { Passwords } from "./services/passwords";
import { Reports } from "./services/reports/reports";
import { SharePasswords } from "./services/share-passwords";
import { SourceCounts } from "./services/source-counts";
import { TrustedTime } from "./services/trusted-time";
import { openUsage } from "./services/usage";
import { tellOfWebhook } from "./services/webhooks/off";
import { Webhooks } from "./services/webhooks/webhooks";
import { BackgroundCheck } from "./store/background-check";
import { Backups } from "./store/backups/backups";
import { openClickHouseStore } from "./store/clickhouse/store";
import { type Control, openControl } from "./store/control/control";
import type { MaintenanceRests } from "./store/events/compact/maintenance";
import { openEventStore, type StartThread, startWorker } from "./store/events/store";
import { type DiskRoom, roomIn as roomOfSystem } from "./store/free-bytes";
import { Feed } from "./store/live/feed";
import type { ThreadWorker } from "./store/protocol/thread";
import { openReplayStore, startReplayWorkers } from "./store/replays/store";
import type { ThreadStarts } from "./store/replays/threads";
import { version } from "./version";
import { startNamedThread } from "./worker-url";

/** What a server is made with, which is all in which `serve` and the tests differ. */
export interface Surroundings {
  readonly server: Server;
  readonly network: MessageNetwork;
  readonly passwords: Passwords;
  readonly threads: Threads;
  /** Known when the server listens: its port may be any. */
  publicUrl(): string;
  /** A thread cannot be brought back: requests are refused, and the process should end. */
  onFatal(why: string): void;
  /** Tells whether the folder is still this server's alone; it is where this is absent. */
  ownsFolder?(): boolean;
  /** Reads the room on the disk of a folder; from the system where it is absent. */
  readonly roomIn?: (folder: string) => Promise<DiskRoom>;
}

/** The functions that start the threads of the stores, and the one that reads the pages of a scan. */
export interface Threads {
  readonly events: StartThread;
  readonly replays: ThreadStarts;
  readonly siteReader: () => ThreadWorker;
  readonly backups: () => ThreadWorker;
  /** How long the maintenance of events waits; as usual where it is absent. */
  readonly rests?: MaintenanceRests;
}

export const workerThreads: Threads = {
  events: startWorker,
  replays: startReplayWorkers,
  siteReader: () => startNamedThread("site-reader"),
  backups: () => startNamedThread("backups"),
};

/**
 * Opens the stores of a data folder, and what is built on them. What closes them, in the order of opening, is added to
 * `closing` as it comes to be, so that whatever fails here leaves nothing open.
 */
export async function openDeps(
  config: Config,
  { server, network, passwords, threads, publicUrl, onFatal, ownsFolder, ...more }: Surroundings,
  closing: (() => unknown)[],
): Promise<Deps> {
  const backups = openBackups(config, threads);
  if (backups !== null) closing.push(() => backups.close());
  await backups?.opened;
  const control = openControl(config);
  closing.push(() => control.close());
  await makeFirstAccount(config, control, passwords);
  const disk = await openDisk(config, control, more, closing);
  const isLive = (projectId: string) => control.projects.byId(projectId) !== undefined;
  const feed = new Feed(config.liveBytes, isLive);
  const copyLog = backups === null ? undefined : () => backups.copyLog("events.db");
  const told = { onStored: feed.add, onFatal, ownsFolder };
  const upkeep = { copyLog, mayCompact: () => disk.mayCompact(), rests: threads.rests };
  const store =
    config.clickHouse === null
      ? await openEventStore({ ...config, ...told, ...upkeep }, threads.events)
      : await openClickHouseStore({ ...config.clickHouse, ...told });
  closing.push(() => store.close());
  const trustedTime = new TrustedTime({ control, store, proDays: config.retentionDays });
  const recorded = {
    ...{ secret: control.identitySecret, limits: config.replayLimits, onFatal },
    isClockTrusted: () => trustedTime.isTrusted(),
  };
  const replays = await openReplayStore({ ...config, ...recorded }, threads.replays);
  closing.push(() => replays.close());
  const received = store.receivedEvents.bind(store);
  const usage = await openUsage({ control, publicUrl, received });
  closing.push(() => usage.close());
  const senders = { config, control, network, publicUrl };
  const onMailFailed = () => serverLooks.lookAtMail();
  const { mail, webhooks, conditions } = openMessages(senders, closing, onMailFailed);
  const budgets = await openBudgets({ control, store, replays, mail, webhooks });
  const storedFromMs = storedFrom({ control, trustedTime, config });
  const imports = new Imports({ control, store, dataDir: config.dataDir, storedFromMs });
  closing.push(() => imports.close());
  await imports.resume();
  const alerts = new Alerts({ control, store, mail, webhooks });
  const reports = new Reports({ control, store, mail, webhooks });
  const fileCheck = new BackgroundCheck(config.dataDir, databaseFiles);
  closing.push(() => fileCheck.close());
  const backupDrill = new BackupDrill({ control, config, backups });
  closing.push(() => backupDrill.close());
  const place = archivePlaceOf(config);
  const archive = new ArchiveErasures({ control, place });
  const erasures = new Erasures({
    ...{ control, store, replays, feed, backups, config, archive, webhooks },
  });
  const serverLooks = new ServerLooks({
    ...{ conditions, control, disk, store, replays, fileCheck, backups, backupDrill, server },
    erasures,
  });
  return {
    ...{ config, control, store, replays, feed, passwords, usage, network, server, fileCheck },
    ...{ webhooks, alerts, reports, mail, imports, backups, backupDrill },
    ...{ conditions, serverLooks, disk, budgets },
    startSiteReader: threads.siteReader,
    ...{ sharePasswords: new SharePasswords(passwords), exportPlaces: new ExportPlaces() },
    ...{ rates: new Rates(), unsent: new UnsentBytes(), metrics: new Metrics() },
    ...{ ingestDiagnostics: new IngestDiagnostics(), excludedCounts: new ExcludedCounts() },
    ...{ sourceCounts: new SourceCounts(), blockedSessions: new BlockedSessions(replays) },
    erasures,
    archive: new Archive({ control, store, disk, place }),
    demo: new Demo({ control, store, replays, config, trustedTime }),
    trustedTime,
  };
}

/** Looks at the disk before anything can be stored. */
async function openDisk(
  config: Config,
  control: Control,
  { roomIn = roomOfSystem }: Pick<Surroundings, "roomIn">,
  closing: (() => unknown)[],
): Promise<Disk> {
  const disk = new Disk({ ...config, control, reserveBytes: config.diskReserveBytes, roomIn });
  closing.push(() => disk.close());
  await disk.look();
  return disk;
}

/** Opens the queues of messages, and the conditions of the server that they tell of. */
function openMessages(
  parts: { readonly config: Config; readonly control: Control } & Pick<
    Surroundings,
    "network" | "publicUrl"
  >,
  closing: (() => unknown)[],
  onMailFailed: () => void,
) {
  const { config, control, network, publicUrl } = parts;
  const mail = new Mail({
    ...{ control, settings: config.mail, url: config.publicUrl, onFailed: onMailFailed },
  });
  closing.push(() => mail.close());
  const webhooks = new Webhooks({
    ...{ control, network, publicUrl, allowHosts: config.webhookAllowHosts },
    onOff: (row) => tellOfWebhook({ control, mail }, row),
  });
  closing.push(() => webhooks.close());
  const { alertEmail } = config.mail;
  const conditions = new Conditions({ control, mail, webhooks, alertEmail });
  return { mail, webhooks, conditions };
}

/** Follows the logs of the databases from before they are opened until after they are closed. */
function openBackups(config: Config, threads: Threads): Backups | null {
  const { backups, dataDir, clockOffsetMs } = config;
  if (backups === null) return null;
  return new Backups({ config: backups, dataDir, clockOffsetMs, version, start: threads.backups });
}
