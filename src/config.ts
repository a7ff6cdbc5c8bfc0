/*
 * No .env, no bunfig.toml at run time.
 * Decision: the executable and `npm start` obey the environment only.
 * Because: a file in the folder where a server happens to be started should not change it, or run code in it.
 * Cost: a supervisor or shell has to set the variables.
 * Revisit: if self-hosters ask for a file: then one named by a flag.
 */

import type { BlockList } from "node:net";
import {
  type AllowedHost,
  allowedHostsOf,
  headerNameOf,
  hostInUrl,
  hostsOf,
  originIn,
  originsOf,
  proxiesOf,
  publicUrlOf,
  redirectOriginsOf,
} from "./config-addresses";
import {
  type BackupConfig,
  type BackupPlace,
  backupKeyOf,
  backupPlaceOf,
  backupsOf,
  dataDirDefault,
} from "./config-backups";
import { type ClickHousePlace, clickHouseOf } from "./config-clickhouse";
import { diskReserveOf } from "./config-disk";
import { ConfigError } from "./config-error";
import { type Machine, thisMachine } from "./config-machine";
import { type MailSettings, mailOf } from "./config-mail";
import { type OidcSettings, oidcOf } from "./config-oidc";
import { type ReplaySettings, replaysOf } from "./config-replays";
import { type Environment, identitySecretOf, withSecretFiles } from "./config-secrets";
import { type TlsFiles, tlsFilesOf } from "./config-tls";

export { ConfigError };

/** Configuration as it is used; src/docs/operate/configuration.md says what each variable means. */
export interface Config extends ReplaySettings {
  /** The address of the server, without a slash at its end. */
  readonly publicUrl: string;
  /** The origin in `publicUrl`, as browsers name it in the Origin header. */
  readonly publicOrigin: string;
  /** The path in `publicUrl`, `/stats`; empty at the root of the origin. */
  readonly basePath: string;
  /** Tells whether PUBLIC_URL was given; if not, the Host header decides what is our own origin. */
  readonly publicUrlIsSet: boolean;
  readonly host: string;
  readonly port: number;
  /** The files of the certificate and the key; null where a proxy in front speaks TLS, or nobody does. */
  readonly tls: TlsFiles | null;
  readonly dataDir: string;
  /** Tells whether DATA_DIR was given: every command then makes the folder, else only `serve`. */
  readonly dataDirIsSet: boolean;
  readonly cacheBytes: number;
  /** The number of threads that share a large read. */
  /** The bytes of the last minutes' events, of all projects, from which live reads are answered. */
  readonly liveBytes: number;
  readonly durability: "full" | "normal";
  /** The ClickHouse that keeps events, or null when DATA_DIR keeps them. */
  readonly clickHouse: ClickHousePlace | null;
  /** The days for which Pro stores events; null is for ever. */
  readonly retentionDays: number | null;
  /** The folder of archives; null for the place of backups. */
  readonly archiveDir: string | null;
  /** Continuous backups, or null when there are none. */
  readonly backups: BackupConfig | null;
  /** The free bytes that ingestion leaves; null where the size of the file system decides. */
  readonly diskReserveBytes: number | null;
  readonly identitySecret: string | null;
  readonly setupToken: string | null;
  readonly adminEmail: string | null;
  readonly adminPassword: string | null;
  readonly registration: "closed" | "open";
  readonly defaultTier: "free" | "pro";
  readonly trustedProxies: BlockList;
  readonly geoipDb: string | null;
  readonly countryHeader: string | null;
  readonly ingestRpm: number;
  /** Overrides every plan's requests per minute; 0 = no limit, null = the plan's. */
  readonly rateLimitRpm: number | null;
  readonly metricsToken: string | null;
  readonly billing: {
    readonly secretKey: string;
    readonly priceId: string;
    readonly webhookSecret: string;
    readonly apiBase: string | null;
  } | null;
  /** Variables without which the payments that others of them speak of are off. */
  readonly billingLacks: readonly string[];
  readonly mail: MailSettings;
  /** Single sign-on, or null where it is off. */
  readonly oidc: OidcSettings | null;
  /** The days that entries of the audit log are kept; 0 keeps them for ever. */
  readonly auditDays: number;
  readonly demoEnabled: boolean;
  /** The origins to which a browser may be sent with a sign-in code, besides the person's own machine. */
  readonly agentCallbackOrigins: readonly string[];
  /** The origins of pages that may use MCP, besides our own and those of this machine. */
  readonly mcpOrigins: readonly string[];
  /** Tells whether clients may show a document at an https address of theirs in place of registering. */
  readonly oauthClientDocuments: boolean;
  /** Origins of clients to which a browser may be sent with a code; null for every https origin. */
  readonly oauthRedirectOrigins: readonly string[] | null;
  readonly websiteScans: boolean;
  /** Names of hosts that scans may read although they lead to private addresses, in lower case. */
  readonly scanAllowHosts: readonly string[];
  readonly webhookAllowHosts: readonly AllowedHost[];
  /** For measurements only: shifts the clock into the past. At most 0, and only on a loopback HOST. */
  readonly clockOffsetMs: number;
}

const cacheMbMin = 256;
const cacheShare = 1 / 8;
const cacheMbOf = ({ memoryBytes }: Machine): number =>
  Math.max(cacheMbMin, Math.floor((memoryBytes * cacheShare) / (1024 * 1024)));

/** Reads the environment. Throws ConfigError with a message that names the variable and what it takes. */
export function readConfig(
  variables: Environment = process.env,
  machine: Machine = thisMachine(),
): Config {
  const environment = withSecretFiles(variables);
  const text = (name: string): string | null => environment[name]?.trim() || null;
  const choice = <const T extends string>(name: string, allowed: readonly T[], otherwise: T): T => {
    const value = text(name);
    if (value === null) return otherwise;
    const found = allowed.find((one) => one === value.toLowerCase());
    if (found === undefined) throw new ConfigError(`${name} must be one of ${allowed.join(", ")}.`);
    return found;
  };
  const integer = (name: string, min: number, max: number, otherwise: number): number => {
    const value = text(name);
    if (value === null) return otherwise;
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };

  const isOn = (name: string): boolean =>
    /^(true|1)$/.test(choice(name, ["true", "false", "1", "0"], "true"));

  const host = text("HOST") ?? "0.0.0.0";
  const port = integer("PORT", 0, 65_535, 3_000);
  const tls = tlsFilesOf(text);
  const billing = billingOf(text);
  return Object.freeze({
    ...publicUrlOf(text("PUBLIC_URL"), ownUrl(tls, port)),
    ...{ tls, host, port },
    dataDir: text("DATA_DIR") ?? dataDirDefault,
    dataDirIsSet: text("DATA_DIR") !== null,
    cacheBytes: integer("CACHE_MB", 0, 1_048_576, cacheMbOf(machine)) * 1024 * 1024,
    liveBytes: integer("LIVE_MB", 1, 1_048_576, 64) * 1024 * 1024,
    ...{ mail: mailOf({ text, choice, integer }), oidc: oidcOf({ text, choice }) },
    clickHouse: accepted(clickHouseOf(text)),
    backups: accepted(backupsOf({ text, choice, integer })),
    ...{ archiveDir: text("ARCHIVE_DIR"), retentionDays: retentionOf(integer) },
    diskReserveBytes: diskReserveOf({ text, integer }),
    durability: choice("DURABILITY", ["full", "normal"], "full"),
    identitySecret: identitySecretOf(text("IDENTITY_SECRET")),
    setupToken: text("SETUP_TOKEN"),
    adminEmail: text("ADMIN_EMAIL"),
    adminPassword: environment.ADMIN_PASSWORD || null,
    registration: choice("REGISTRATION", ["closed", "open"], "closed"),
    defaultTier: choice("DEFAULT_TIER", ["free", "pro"], billing === null ? "pro" : "free"),
    trustedProxies: proxiesOf(text("TRUSTED_PROXIES")),
    geoipDb: text("GEOIP_DB"),
    countryHeader: headerNameOf(text("COUNTRY_HEADER")),
    ingestRpm: integer("INGEST_RPM", 0, 1_000_000_000, 0),
    rateLimitRpm: text("RATE_LIMIT_RPM") === null ? null : integer("RATE_LIMIT_RPM", 0, 1e9, 0),
    metricsToken: text("METRICS_TOKEN"),
    billing,
    billingLacks: billingLacks(text),
    agentCallbackOrigins: originsOf("AGENT_CALLBACK_ORIGINS", text("AGENT_CALLBACK_ORIGINS")),
    mcpOrigins: originsOf("MCP_ORIGINS", text("MCP_ORIGINS")),
    oauthClientDocuments: isOn("OAUTH_CLIENT_DOCUMENTS"),
    oauthRedirectOrigins: redirectOriginsOf(text("OAUTH_REDIRECT_ORIGINS")),
    auditDays: integer("AUDIT_DAYS", 0, 36_500, 400),
    demoEnabled: isOn("DEMO_ENABLED"),
    websiteScans: isOn("WEBSITE_SCANS"),
    ...allowedHosts(text),
    ...replaysOf(text, integer),
    clockOffsetMs: offsetOf(integer("CLOCK_OFFSET_MS", -3_650 * 86_400_000, 0, 0), host),
  });
}

/** Days; null is for ever, which is 0 in the environment. */
const retentionOf = (
  integer: (name: string, min: number, max: number, otherwise: number) => number,
): number | null => integer("RETENTION_DAYS", 0, 36_500, 365) || null;

const allowedHosts = (
  text: (name: string) => string | null,
): Pick<Config, "scanAllowHosts" | "webhookAllowHosts"> => ({
  scanAllowHosts: hostsOf(text("SCAN_ALLOW_HOSTS")),
  webhookAllowHosts: allowedHostsOf("WEBHOOK_ALLOW_HOSTS", text("WEBHOOK_ALLOW_HOSTS")),
});

/** The settings of commands that call a server. */
export interface ClientConfig {
  /** The address of a server on this machine. */
  readonly url: string;
  /** The API key; null when none is set. */
  readonly apiKey: string | null;
  /** The key with which archives were encrypted; null when they were not. */
  readonly backupKey: string | null;
}

export function readClientConfig(variables: Environment = process.env): ClientConfig {
  const environment = withSecretFiles(variables);
  return {
    url: `http://localhost:${readConfig(variables).port}`,
    apiKey: environment.SIGHTLINE_API_KEY?.trim() || null,
    backupKey: backupKeyOf((name) => environment[name]?.trim() || null),
  };
}

/** The settings of a restore, which needs no data folder. */
export interface RestoreConfig {
  readonly place: BackupPlace;
  /** The key with which the backup was encrypted; null when it was not. */
  readonly key: string | null;
}

/** The source is an address such as BACKUP_URL takes. */
export function readRestoreConfig(
  source: string,
  variables: Environment = process.env,
): RestoreConfig {
  const environment = withSecretFiles(variables);
  const text = (name: string): string | null => environment[name]?.trim() || null;
  return { place: accepted(backupPlaceOf(source, text, "The source")), key: backupKeyOf(text) };
}

/** The secret of the environment; null where the one of the data folder holds. */
export const readIdentitySecret = (variables: Environment = process.env): string | null =>
  identitySecretOf(withSecretFiles(variables).IDENTITY_SECRET?.trim() || null);

/** Returns what variables say, unless that is a sentence about what is wrong with them. */
function accepted<Place>(place: Place | string): Place {
  if (typeof place === "string") throw new ConfigError(place);
  return place;
}

/** Digests of addresses are only as hard to reverse as the secret is to guess. */
/** Returns the configuration of a server that listens: with PORT=0 only then it is known where. */
export const listeningOn = (config: Config, port: number): Config =>
  Object.freeze({
    ...config,
    port,
    ...publicUrlOf(config.publicUrlIsSet ? config.publicUrl : null, ownUrl(config.tls, port)),
  });

/** The address at which this machine reaches the server. */
export const localUrlOf = ({ host, port, tls }: Pick<Config, "host" | "port" | "tls">): string =>
  `${schemeOf(tls)}://${hostInUrl(anyHosts[host] ?? host)}:${port}`;

const schemeOf = (tls: TlsFiles | null): string => (tls === null ? "http" : "https");
const ownUrl = (tls: TlsFiles | null, port: number): string =>
  `${schemeOf(tls)}://localhost:${port}`;

/** Hosts that stand for every address of the machine, and its own address of the same family. */
const anyHosts: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function billingOf(text: (name: string) => string | null): Config["billing"] {
  const secretKey = text("STRIPE_SECRET_KEY");
  const priceId = text("STRIPE_PRICE_ID");
  const webhookSecret = text("STRIPE_WEBHOOK_SECRET");
  if (secretKey === null || priceId === null || webhookSecret === null) return null;
  const apiBase = originIn(text("STRIPE_API_BASE"), "STRIPE_API_BASE", "https://api.stripe.com");
  return { secretKey, priceId, webhookSecret, apiBase };
}

function billingLacks(text: (name: string) => string | null): readonly string[] {
  const names = ["STRIPE_SECRET_KEY", "STRIPE_PRICE_ID", "STRIPE_WEBHOOK_SECRET"];
  const lacking = names.filter((name) => text(name) === null);
  return lacking.length === names.length ? [] : lacking;
}

function offsetOf(offsetMs: number, host: string): number {
  const isLoopback = /^(localhost|127(\.\d+){3}|::1)$/.test(host);
  if (offsetMs !== 0 && !isLoopback) {
    throw new ConfigError("CLOCK_OFFSET_MS is for measurements. Unset it, or set HOST=127.0.0.1.");
  }
  return offsetMs;
}
