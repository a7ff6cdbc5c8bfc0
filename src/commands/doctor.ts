import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError, readConfig } from "../config";
import { hostInUrl } from "../config-addresses";
import { readTlsPair, type TlsFiles } from "../config-tls";
import { describeDoubt, doubtOf } from "../domain/clock-doubt";
import { certificateDaysMin } from "../domain/server-condition";
import { clock, dayMs } from "../lib/clock";
import { lookAtClickHouse } from "../store/clickhouse/looked-at";
import { conditionsIn } from "../store/control/server-conditions";
import { freeBytesIn } from "../store/free-bytes";
import { checkInstallation, type DatabaseFile } from "../store/installation";
import { serverOn } from "../store/lock";
import { checkedAtStartBytesMax, refuseIfDamaged, refuseIfUnwritable } from "../store/migrate";
import { openToOthers } from "../store/private-files";
import { refuseIfUnreachable, StorageRefused } from "../store/refused";
import { checkRecordings } from "../store/replays/copies";
import { unusedLogBytes } from "../store/wal";
import { version } from "../version";
import { exitCodes } from "./command";
import { databaseFiles } from "./databases";
import { checkBackups } from "./doctor-backups";
import { knownTimeIn } from "./known-time";
import { notLookedAt, sentenceOfNotLookedAt } from "./not-looked-at";
import { sentenceFor } from "./sentence";

const progressEveryMs = 1_000;
const freeBytesWanted = 1024 * 1024 * 1024;
const megabyte = 1024 * 1024;

/** Makes one check, reports its outcome, and resolves with whether it passed. */
type Check = (name: string, look: () => string | Promise<string>) => Promise<boolean>;

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Says what is well and what is not, changing nothing. Returns 1 when something needs a hand. */
export async function doctor(print: (text: string) => void, isJson = false): Promise<number> {
  // A program that reads JSON gets all of it at the end, and no progress.
  const say = isJson ? () => undefined : print;
  const outcomes: Outcome[] = [];
  say(`Sightline ${version}, Bun ${Bun.version}, ${process.platform} ${process.arch}\n`);
  await makeChecks(async (name, look) => {
    const outcome = await outcomeOf(name, look);
    outcomes.push(outcome);
    say(`${outcome.ok ? "ok     " : "problem"}  ${name}: ${outcome.message}\n`);
    return outcome.ok;
  }, say);
  const problems = outcomes.filter(({ ok }) => !ok).map(({ name }) => name);
  const hasClickHouse = usableConfig()?.clickHouse != null;
  const found =
    problems.length === 0 ? "No problems found." : `Problems found: ${problems.join(", ")}.`;
  say(`${found} ${sentenceOfNotLookedAt(hasClickHouse)}\n`);
  if (isJson) {
    const { platform, arch } = process;
    const ok = problems.length === 0;
    const report = {
      ...{ version, bun: Bun.version, platform, arch, ok, checks: outcomes },
      not_looked_at: notLookedAt(hasClickHouse),
    };
    print(`${JSON.stringify(report)}\n`);
  }
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function outcomeOf(name: string, look: () => string | Promise<string>): Promise<Outcome> {
  try {
    return { name, ok: true, message: await look() };
  } catch (error) {
    const message = sentenceFor(error);
    if (message === null) throw error;
    return { name, ok: false, message };
  }
}

async function makeChecks(check: Check, say: (text: string) => void): Promise<void> {
  await check("configuration", checkConfiguration);
  const config = usableConfig();
  const tls = config?.tls;
  if (tls != null) await check("certificate", () => checkCertificate(tls));
  if (config !== null && config.clockOffsetMs !== 0) clock.shift(config.clockOffsetMs);
  if (config !== null) await checkData(config.dataDir, check, say);
  if (config?.backups) {
    const { backups, dataDir } = config;
    await check("backup", () => checkBackups(backups, dataDir));
  }
  if (config?.mail.isWanted) await check("mail", () => checkMail(config));
  if (config?.clickHouse) {
    const { server, others } = lookAtClickHouse(config.clickHouse);
    const answers = await check(server.name, server.look);
    for (const { name, look } of answers ? others : []) await check(name, look);
  }
}

function checkConfiguration(): string {
  const { publicUrl, host, port, billingLacks, retentionDays } = readConfig();
  if (billingLacks.length > 0) {
    throw new ConfigError(`payments are off, because ${billingLacks.join(", ")} is not set.`);
  }
  const stored =
    retentionDays === null
      ? "stores events for ever"
      : `stores events for ${retentionDays} days (RETENTION_DAYS changes that, and 0 is for ever)`;
  return `serves ${publicUrl}, listens on ${hostInUrl(host)}:${port}, ${stored}`;
}

/** Connects and logs in, and sends nothing. */
async function checkMail({ mail: { way, missing } }: Config): Promise<string> {
  if (way === null) {
    throw new ConfigError(`mail is off, because ${missing.join(", ")} is not set.`);
  }
  const { host, port, login } = way.smtp;
  const { greetMailServer } = await import("../services/mail/smtp");
  const outcome = await greetMailServer(way.smtp);
  if (outcome.isTaken)
    return `${host}:${port} accepts ${login === null ? "connections" : "the log-in"}`;
  throw new ConfigError(
    `${host}:${port} failed at ${outcome.stage}: ${outcome.response} Check the SMTP_ settings.`,
  );
}

function checkCertificate(files: TlsFiles): string {
  const { endsAtMs } = readTlsPair(files);
  const days = Math.floor((endsAtMs - clock.nowMs()) / dayMs);
  const ends = `the certificate ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}`;
  if (days >= certificateDaysMin) return `${ends}, in ${days} days`;
  const left = days < 0 ? "it has ended" : `${days} days are left`;
  throw new ConfigError(
    `${ends}: ${left}. Renew it; the server uses new files within a minute, without a restart.`,
  );
}

/** Returns null when the configuration is refused, as the other checks cannot be made then. */
function usableConfig(): Config | null {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return null;
  }
}

async function checkData(
  dataDir: string,
  check: Check,
  print: (text: string) => void,
): Promise<void> {
  await check("data folder", () => checkFolder(dataDir));
  if (!mayLookAt(dataDir)) return;
  await check("rights", () => checkRights(dataDir));
  await check("installation", () => installations[checkInstallation(dataDir, databaseFiles)]);
  await check("logs", () => checkLogs(dataDir));
  const whole: boolean[] = [];
  for (const { name, schema } of databaseFiles) {
    whole.push(await check(name, () => checkDatabase(join(dataDir, name), schema, print)));
  }
  // A damaged file cannot be asked.
  if (!whole.includes(false)) await check("clock", () => checkClock(dataDir));
  await check("recordings", () => checkRecordings(dataDir));
  await check("server", () => checkServer(dataDir));
  if (serverOn(dataDir) !== null) await check("conditions", () => checkConditions(dataDir));
}

const installations = {
  new: "no databases yet; serve creates them",
  whole: "all databases are present and belong together",
  unlabelled: "from an earlier version; the next start upgrades it",
} as const;

/** Tells whether there is a folder that this user may use. Every other check would fail for the same reason. */
function mayLookAt(dataDir: string): boolean {
  try {
    refuseIfUnreachable(dataDir);
    if (!existsSync(dataDir)) return false;
    for (const { name } of databaseFiles) refuseIfUnwritable(join(dataDir, name));
    return true;
  } catch (error) {
    if (error instanceof StorageRefused) return false;
    throw error;
  }
}

function checkFolder(dataDir: string): string {
  const path = resolve(dataDir);
  refuseIfUnreachable(path);
  for (const { name } of existsSync(dataDir) ? databaseFiles : []) {
    refuseIfUnwritable(join(path, name));
  }
  if (!existsSync(dataDir)) {
    throw new ConfigError(
      `${path} does not exist. Set DATA_DIR to the server's data folder, or start the server to create it.`,
    );
  }
  const freeBytes = freeBytesIn(dataDir);
  const free = `${Math.floor(freeBytes / megabyte)} MB free`;
  if (freeBytes < freeBytesWanted) {
    throw new ConfigError(
      `${path} has only ${free}. Free some space: the server refuses events when the disk is full.`,
    );
  }
  return `${path}, ${free}`;
}

function checkRights(dataDir: string): string {
  const open = openToOthers(dataDir);
  if (open.length === 0) return "only this user can access the data";
  throw new ConfigError(
    `other users of this machine can access ${open.join(", ")}. Remove their permissions with chmod go=.`,
  );
}

/** Reads all of the file, so that damage anywhere in what is stored is found. */
function checkDatabase(
  file: string,
  schema: DatabaseFile["schema"],
  print: (text: string) => void,
): string {
  if (!existsSync(file)) return "does not exist yet; serve creates it";
  refuseIfUnwritable(file);
  const { size: bytes } = statSync(file);
  const size = `${Math.ceil(bytes / megabyte)} MB`;
  if (bytes > checkedAtStartBytesMax) {
    print(`         ${file}: comparing ${size} of rows with indexes, about 1 s per 100 MB\n`);
  }
  let toldAtMs = performance.now();
  refuseIfDamaged(file, schema, (share) => {
    if (performance.now() - toldAtMs < progressEveryMs) return;
    toldAtMs = performance.now();
    print(`         ${file}: compared ${Math.floor(100 * share)}% of ${size} with checksums\n`);
  });
  return `${size}, all values intact`;
}

/** A power cut leaves some; nothing that was acknowledged is in them, unless the file was damaged since. */
function checkLogs(dataDir: string): string {
  const unused = databaseFiles
    .map(({ name }) => [name, unusedLogBytes(join(dataDir, name))] as const)
    .filter(([, bytes]) => bytes > 0);
  if (unused.length === 0 || serverOn(dataDir) !== null) return "whole";
  throw new StorageRefused(
    `${unused.map(([name, bytes]) => `${bytes} bytes at the end of ${name}-wal`).join(" and ")} do not ` +
      "belong to a complete commit. This is normal after a power cut; otherwise the file is damaged and " +
      "events are lost.",
  );
}

function checkClock(dataDir: string): string {
  const known = knownTimeIn(dataDir);
  const doubt = doubtOf(known, clock.nowMs());
  if (doubt !== null) {
    throw new ConfigError(
      `${describeDoubt(doubt)} Until then the server deletes nothing because of age, and stores only events ` +
        "that have a time of their own.",
    );
  }
  return known.usedAtMs.length === 0
    ? "no earlier use of the data folder to compare with"
    : "consistent with the last use of the data folder";
}

/** The conditions that the running server has noted. Without a server they would be of the past. */
function checkConditions(dataDir: string): string {
  const titles = conditionsIn(join(dataDir, "control.db"));
  if (titles.length === 0) return "the server needs nothing";
  throw new ConfigError(`${titles.join("; ")}. The page Administration shows what helps.`);
}

function checkServer(dataDir: string): string {
  const server = serverOn(dataDir);
  if (server === null) return "not running";
  return `running on this folder${server.url === null ? "" : `: ${server.url}`}`;
}
