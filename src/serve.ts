import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Certificate } from "./certificate";
import { exitCodes } from "./commands/command";
import { databaseFiles } from "./commands/databases";
import { lockAsStandby } from "./commands/standby";
import { type Config, listeningOn, localUrlOf } from "./config";
import { readTlsPair } from "./config-tls";
import { isLoopback } from "./domain/oauth";
import type { Deps, Server } from "./http/deps";
import { peerReader } from "./http/edge/address";
import type { SocketPeer } from "./http/edge/socket";
import { startJobs } from "./jobs";
import { clock, dayMs, secondMs } from "./lib/clock";
import { endAtOnce } from "./lib/end-at-once";
import { describeFault } from "./lib/fault";
import { log } from "./lib/log";
import { Listener } from "./listener";
import { openDeps, workerThreads } from "./open-deps";
import { internet } from "./services/page-fetch/network";
import { Passwords } from "./services/passwords";
import { openInstallation } from "./store/installation";
import { type FolderLock, folderLost, lockFolder } from "./store/lock";
import { unusedLogBytes } from "./store/wal";
import { version } from "./version";

/** The longest read, its wait included, and its answer. */
const answerMsMax = 12 * secondMs;
/** After this time the connections that remain are those that do not take their answers, and are closed. */
const hangUpMsMax = 3 * secondMs;
/** After a fault that cannot be mended: for the last answers. */
const faultMsMax = 3 * secondMs;
/** A stop takes less than 20 s, even if the disk hangs: what is left after the answers is for closing files. */
const stopMsMax = 19 * secondMs;
const lookAtLockEveryMs = secondMs / 2;
/** In this time the last line of the log leaves. */
const lineMs = 50;
const pollMs = 5;
const setupTokenBytes = 24;

/** Opens what the server is made of, answers until a signal comes, and closes all of it in reverse. */
export async function serve(config: Config, isStandby = false): Promise<number> {
  if (config.clockOffsetMs !== 0) clock.shift(config.clockOffsetMs);
  const life = new Life(config);
  const closing: (() => unknown)[] = [];
  try {
    const lock = isStandby
      ? await lockAsStandby(config, life.stopping)
      : lockFolder(config.dataDir);
    if (lock === null) return await life.ended;
    closing.push(() => lock.release());
    closing.push(watch(lock, life));
    // Modules of routes are evaluated while the store's thread opens its file.
    const [opened, { createApp }] = await Promise.all([
      open(config, life, lock, closing),
      import("./app"),
    ]);
    // The app is there before the first request is read: that is in a later turn of the event loop.
    const pair = config.tls === null ? null : readTlsPair(config.tls);
    const listener = new Listener(config, (request) => app.handle(request), pair);
    life.listener = listener;
    life.config = listeningOn(config, listener.port);
    if (config.tls !== null && pair !== null) {
      const watched = Certificate.watch(config.tls, pair, (next) => listener.useCertificate(next));
      life.certificate = watched.certificate;
      closing.push(watched.close);
    }
    const deps = { ...opened, config: life.config };
    const app = createApp(deps);
    closing.push(() => app.close());
    closing.push(startJobs(deps));
    lock.tellAddress(deps.config.publicUrl, localUrlOf(deps.config));
    announce(deps);

    const exitCode = await life.ended;
    app.hangUp();
    await drain(deps, listener);
    return exitCode;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** What routes can know about the process, and whether it is ending. */
class Life implements Server {
  readonly ended: Promise<number>;
  readonly inFlight = { requests: 0 };
  readonly setupToken: string;
  listener: Listener | null = null;
  certificate: Certificate | null = null;
  readonly #readPeer: ReturnType<typeof peerReader>;
  readonly #stopping = new AbortController();
  readonly #end: (exitCode: number) => void;

  constructor(public config: Config) {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#end = resolve;
    this.#readPeer = peerReader(config.trustedProxies);
    this.setupToken = config.setupToken ?? randomBytes(setupTokenBytes).toString("hex");
    process.once("SIGTERM", () => this.stop(0));
    process.once("SIGINT", () => this.stop(0));
    // One piece of work has failed that nobody waited for; the others go on.
    process.on("unhandledRejection", (fault) => {
      log("error", "a background task failed", describeFault(fault));
    });
    process.once("uncaughtException", (fault) => {
      log(
        "error",
        "the server stops: an error occurred outside of any request",
        describeFault(fault),
      );
      this.stop(1);
    });
  }

  stop(exitCode: number): void {
    if (!this.isStopping()) endWithin(exitCode === 0 ? stopMsMax : faultMsMax);
    this.#stopping.abort();
    this.#end(exitCode);
  }
  fail(why: string): void {
    log("error", "the server stops, as it can no longer store events safely", { why });
    this.stop(1);
  }
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }
  isStopping = (): boolean => this.stopping.aborted;
  peerOf = (request: Request) =>
    this.#readPeer(this.listener?.addressOf(request) ?? null, request.headers);
  upgrade = (request: Request, peer: SocketPeer, headers: Headers): boolean =>
    this.listener?.upgrade(request, peer, headers) === true;
  publish = (topic: string, text: string): void => {
    this.listener?.publish(topic, text);
  };
  setIdle = (request: Request, seconds: number): void => {
    this.listener?.setIdle(request, seconds);
  };
  certificateEndsAtMs = (): number | null => this.certificate?.endsAtMs ?? null;
}

/** Commits look at the lock too, and none is made from then on. Returns what ends it. */
function watch(lock: FolderLock, life: Life): () => void {
  const timer = setInterval(() => {
    if (lock.isWhole()) return;
    clearInterval(timer);
    life.fail(folderLost);
  }, lookAtLockEveryMs);
  return () => clearInterval(timer);
}

/** The process ends even if something hangs, a start included: nothing that was acknowledged is in memory only. */
function endWithin(ms: number): void {
  setTimeout(() => {
    log("error", "the server exits before everything is closed, because something hangs", {
      afterMs: ms,
    });
    setTimeout(() => endAtOnce(exitCodes.failed), lineMs);
  }, ms).unref();
}

async function open(
  config: Config,
  life: Life,
  lock: FolderLock,
  closing: (() => unknown)[],
): Promise<Deps> {
  warnOfUnusedLog(config.dataDir, "control.db");
  openInstallation(config.dataDir, databaseFiles);
  const surroundings = {
    ...{ server: life, network: internet, passwords: new Passwords(), threads: workerThreads },
    publicUrl: () => life.config.publicUrl,
    onFatal: (why: string) => life.fail(why),
    ownsFolder: lock.isWhole,
  };
  return openDeps(config, surroundings, closing);
}

/** Warns of a log that an interrupted write or damage left; the database opens without it and would not say so. */
function warnOfUnusedLog(dataDir: string, name: string): void {
  const bytes = unusedLogBytes(join(dataDir, name));
  if (bytes === 0) return;
  log("warn", `unused bytes after the last whole commit in the log of ${name}`, { bytes });
}

/** Prints the address for the person at the terminal; everything after this goes to the log. */
function announce({ config, control, server }: Deps): void {
  const { billingLacks, clockOffsetMs, mail, port, publicUrl } = config;
  const lines = [`Sightline ${version} answers on port ${port}: ${publicUrl}`];
  if (!control.hasAccounts()) {
    // The operator knows a token of the environment, and it stays out of logs.
    const isOfEnvironment = config.setupToken !== null;
    const address = isOfEnvironment ? "/setup" : `/setup?token=${server.setupToken}`;
    const token = isOfEnvironment ? ", with the token that SETUP_TOKEN has" : "";
    lines.push(`Create the first account: ${publicUrl}${address}${token}`);
  }
  if (clockOffsetMs !== 0) {
    const days = (-clockOffsetMs / dayMs).toFixed(1);
    lines.push(
      `WARNING: CLOCK_OFFSET_MS is set, so the server's clock is ${days} days behind. Use it for ` +
        "measurements only.",
    );
  }
  if (billingLacks.length > 0) {
    lines.push(`WARNING: payments are off, because ${billingLacks.join(", ")} is not set.`);
  }
  if (mail.isWanted && mail.way === null) {
    lines.push(`WARNING: mail is off, because ${mail.missing.join(", ")} is not set.`);
  }
  if ((server.certificateEndsAtMs() ?? Number.POSITIVE_INFINITY) <= clock.nowMs()) {
    lines.push("WARNING: the certificate in TLS_CERT_FILE has ended, so browsers refuse it.");
  }
  if (isReadableOnTheWay(publicUrl)) {
    lines.push(
      "WARNING: PUBLIC_URL uses http, so others on the network can read passwords and tokens. Put an https " +
        "proxy in front of this server.",
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Loopback over http stays within this machine. */
function isReadableOnTheWay(publicUrl: string): boolean {
  const url = new URL(publicUrl);
  return url.protocol === "http:" && !isLoopback(url);
}

/** Waits for the answers to what was read, refusing what comes meanwhile; then hangs up. */
async function drain({ server }: Deps, listener: Listener): Promise<void> {
  const deadlineMs = performance.now() + answerMsMax;
  while (server.inFlight.requests > 0 && performance.now() < deadlineMs) await Bun.sleep(pollMs);
  await Promise.race([listener.stop(), Bun.sleep(hangUpMsMax)]);
  await listener.stop(true);
}
