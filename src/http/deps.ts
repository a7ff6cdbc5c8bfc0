import type { Config } from "../config";
import type { Alerts } from "../services/alerts/alerts";
import type { Archive } from "../services/archive/archive";
import type { BackupDrill } from "../services/backup-drill";
import type { BlockedSessions } from "../services/blocked-sessions";
import type { Budgets } from "../services/budgets/budgets";
import type { Conditions } from "../services/conditions/conditions";
import type { ServerLooks } from "../services/conditions/server-looks";
import type { Demo } from "../services/demo";
import type { Disk } from "../services/disk/disk";
import type { Erasures } from "../services/erasures";
import type { ExcludedCounts } from "../services/excluded-counts";
import type { ExportPlaces } from "../services/export-places";
import type { Imports } from "../services/imports";
import type { IngestDiagnostics } from "../services/ingest-diagnostics";
import type { Mail } from "../services/mail/mail";
import type { Network } from "../services/page-fetch/network";
import type { Passwords } from "../services/passwords";
import type { Reports } from "../services/reports/reports";
import type { SharePasswords } from "../services/share-passwords";
import type { SourceCounts } from "../services/source-counts";
import type { TrustedTime } from "../services/trusted-time";
import type { Usage } from "../services/usage";
import type { Webhooks } from "../services/webhooks/webhooks";
import type { BackgroundCheck } from "../store/background-check";
import type { Backups } from "../store/backups/backups";
import type { Control } from "../store/control/control";
import type { Feed } from "../store/live/feed";
import type { EventStore } from "../store/port";
import type { ThreadWorker } from "../store/protocol/thread";
import type { ReplayStore } from "../store/replay-port";
import type { Peer } from "./edge/address";
import type { Metrics } from "./edge/metrics";
import type { Rates } from "./edge/rates";
import type { SocketPeer } from "./edge/socket";
import type { UnsentBytes } from "./edge/unsent-bytes";

/** The parts that routes are made of. `serve.ts` and the tests put it together; nothing else reaches a feature. */
export interface Deps {
  readonly config: Config;
  readonly store: EventStore;
  readonly replays: ReplayStore;
  readonly feed: Feed;
  readonly control: Control;
  readonly passwords: Passwords;
  readonly sharePasswords: SharePasswords;
  readonly usage: Usage;
  readonly rates: Rates;
  readonly unsent: UnsentBytes;
  readonly metrics: Metrics;
  readonly ingestDiagnostics: IngestDiagnostics;
  readonly excludedCounts: ExcludedCounts;
  readonly blockedSessions: BlockedSessions;
  readonly sourceCounts: SourceCounts;
  readonly imports: Imports;
  /** Writes old events to files before they are deleted. */
  readonly archive: Archive;
  readonly exportPlaces: ExportPlaces;
  readonly erasures: Erasures;
  readonly demo: Demo;
  readonly mail: Mail;
  readonly webhooks: Webhooks;
  readonly alerts: Alerts;
  readonly reports: Reports;
  readonly trustedTime: TrustedTime;
  readonly fileCheck: Pick<BackgroundCheck, "foundDamage">;
  /** The continuous backup; null where none is configured. */
  readonly backups: Backups | null;
  readonly backupDrill: BackupDrill;
  readonly conditions: Conditions;
  readonly disk: Disk;
  readonly budgets: Budgets;
  readonly serverLooks: ServerLooks;
  /** The way out to the internet: what this server asks of others. */
  readonly network: Network;
  /** Starts the thread that reads the pages of one scan. */
  readonly startSiteReader: () => ThreadWorker;
  readonly server: Server;
}

/** The facts that only the listening process knows. */
export interface Server {
  /** Tells who sent a request, as `peerReader` finds it from the socket's address. */
  peerOf(request: Request): Peer;
  /** Tells whether the server is stopping: requests already read are answered, later ones are refused. */
  isStopping(): boolean;
  /** Makes a WebSocket of a request, whose answer is sent then; false when its headers are no handshake. */
  upgrade(request: Request, peer: SocketPeer, headers: Headers): boolean;
  /** Sends a text to all sockets that subscribed to the topic. */
  publish(topic: string, text: string): void;
  /** Cuts the connection of a request when nothing moved on it for this many milliseconds; 0 is never. */
  setIdle(request: Request, seconds: number): void;
  /** The end of the certificate that new connections get; null without TLS. */
  certificateEndsAtMs(): number | null;
  /** Requests that are read and not answered yet; a stop waits for them. */
  readonly inFlight: { requests: number };
  /** Needed for the first account from elsewhere than this machine. */
  readonly setupToken: string;
}
