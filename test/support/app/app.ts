import { Database } from "bun:sqlite";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app";
import { readConfig } from "../../../src/config";
import type { Deps } from "../../../src/http/deps";
import { peerReader } from "../../../src/http/edge/address";
import { Metrics } from "../../../src/http/edge/metrics";
import { Rates } from "../../../src/http/edge/rates";
import { type SocketPeer, webSocket } from "../../../src/http/edge/socket";
import { UnsentBytes } from "../../../src/http/edge/unsent-bytes";
import { clock } from "../../../src/lib/clock";
import { replaceLogWriter } from "../../../src/lib/log";
import { openDeps, type Threads } from "../../../src/open-deps";
import { type PasswordCost, Passwords } from "../../../src/services/passwords";
import { engineOfTests } from "../engine/engine-of-tests";
import { inThread as threads } from "../engine/in-thread";
import { migratedFolder } from "../engine/migrated";
import { callsWithKey } from "./calls-with-key";
import { outsideOf, type TestNetwork, unreachable } from "./outside";
import { TestRoom } from "./room";
import { agentOfVisitors, requestOf, sender } from "./sender";
import { uncollected } from "./uncollected";

/** Wednesday, 14 January 2026, noon: now, unless a test says otherwise. */
export const noonMs = Date.UTC(2026, 0, 14, 12);

export const visitorAgent = agentOfVisitors;

/** Streams and sockets are looked after so often; in `serve`, once a second. */
const liveLookMs = 5;

const usual = { RATE_LIMIT_RPM: "0", DURABILITY: "normal" };
/** Hashing takes a thousandth of the usual time. */
const cheapCost: PasswordCost = {
  memoryKib: 8,
  passes: 1,
  nobodysHash:
    "$argon2id$v=19$m=8,t=1,p=1$zxwerLpkHdB4vocqRzvSWrqHnC0GFgTS2ZUU4kIzTLY$" +
    "sHCo2h/cYt0gQOlj48oWSOXioxaTQduPGSRdvznLjsw",
};

/** Longer than a busy machine takes for what a test waits for. */
const idleTimeout = 120;

const setupToken = "token-of-the-tests";
const login = { email: "owner@example.com", password: "correct horse battery" };

export interface Call {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  /** The socket's other end; this machine when it is left out. */
  readonly from?: string | null;
  /** The client hangs up in the middle: as soon as somebody listens for it. */
  readonly hangsUp?: boolean;
}
export type Json = Readonly<Record<string, unknown>>;

export interface TestProject {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/**
 * A whole app on a folder of its own: real stores, whose threads run within the test's (in-thread.ts), a clock that
 * stands still, and its log in memory.
 */
export interface TestApp {
  readonly deps: Deps;
  readonly operations: App["operations"];
  readonly routes: App["routes"];
  readonly dataDir: string;
  readonly logged: readonly string[];
  /** The API key of the first account. */
  readonly key: string;
  /** The browser session of the first account, as a Cookie header. */
  readonly cookie: string;
  /** Moves the clock as time goes by: it stays trusted. */
  setTime(nowMs: number): void;
  /** Moves the clock as nobody should: it may be doubted then. */
  jumpTo(nowMs: number): void;
  setStopping(isStopping: boolean): void;
  readonly room: TestRoom;
  /** Any call. Its answer is checked against what the operation says of itself. */
  send(method: string, path: string, call?: Call): Promise<Response>;
  /** Any call whose answer is a stream: nothing of it is read. */
  open(path: string, call?: Call): Promise<Response>;
  /** Listens, for sockets and clients of others. Returns the server's origin. */
  listen(port?: number): string;
  /** What the server says to streams and sockets when it begins to stop. */
  hangUp(): void;
  /** With the API key; the answer must be a success. */
  get(path: string): Promise<Json>;
  post(path: string, body: unknown): Promise<Json>;
  makeProject(name: string): Promise<TestProject>;
  /** Sends events as a visitor's browser does. */
  track(project: TestProject, ...events: readonly Json[]): Promise<void>;
  close(): Promise<void>;
}

/** The first account, and control.db with it: all apps of the same settings begin with the same one. */
interface FirstAccount {
  readonly key: string;
  readonly cookie: string;
  readonly control: Uint8Array;
}
const accounts = new Map<string, FirstAccount>();

interface Preparation {
  /** Gets the data folder before it is opened. */
  readonly prepare?: (dataDir: string) => void;
  /** Starts the thread of backups, where it is to be one of its own. */
  readonly backups?: Threads["backups"];
}

export async function testApp(
  environment: Readonly<Record<string, string>> = {},
  network: TestNetwork = unreachable,
  passwordCost = cheapCost,
  { prepare, ...more }: Preparation = {},
): Promise<TestApp> {
  const settings = JSON.stringify([environment, passwordCost]);
  const known = accounts.get(settings);
  const dataDir = migratedFolder("sightline-app-");
  if (known !== undefined) writeFileSync(join(dataDir, "control.db"), known.control);
  prepare?.(dataDir);
  const passwords = new Passwords(passwordCost);
  const world = await openWorld(dataDir, environment, { network, passwords, ...more });
  const { key, cookie } = known ?? (await firstAccount(world));
  if (known === undefined) accounts.set(settings, { key, cookie, control: world.controlBytes() });
  return appOf(world, key, cookie);
}

/** A whole app on a data folder that is there, whose first account is that of another app. It removes the folder. */
export async function appOn(
  dataDir: string,
  { key, cookie }: Pick<TestApp, "key" | "cookie">,
): Promise<TestApp> {
  const passwords = new Passwords(cheapCost);
  return appOf(await openWorld(dataDir, {}, { network: unreachable, passwords }), key, cookie);
}

function appOf(world: World, key: string, cookie: string): TestApp {
  const app = uncollected(() => createApp(world.deps, liveLookMs));
  const send = sender(app, world.peers);
  return {
    ...world,
    operations: app.operations,
    routes: app.routes,
    ...callsWithKey(send, key),
    cookie,
    send,
    open: async (path, call) => app.handle(requestOf(world.peers, "GET", path, call)),
    listen: (port) => world.listen(app, port),
    hangUp: app.hangUp,
    close: async () => {
      await app.close();
      await world.close();
    },
  };
}

/** What the app is made of, and the strings that tests pull. */
async function openWorld(
  dataDir: string,
  environment: Readonly<Record<string, string>>,
  more: { readonly network: TestNetwork; readonly passwords: Passwords } & Preparation,
) {
  const logged: string[] = [];
  const restoreLog = replaceLogWriter((line) => logged.push(line));
  let nowMs = noonMs;
  const restoreClock = clock.replace(() => nowMs);
  let isStopping = false;
  const peers = new WeakMap<Request, string | null>();

  const engine = engineOfTests(environment);
  const config = readConfig({ DATA_DIR: dataDir, ...usual, ...engine.environment, ...environment });
  const readPeer = peerReader(config.trustedProxies);
  let listener: Bun.Server<SocketPeer> | null = null;
  const server: Deps["server"] = {
    upgrade: (request, peer, headers) =>
      listener?.upgrade(request, { data: peer, headers }) === true,
    publish: (topic, text) => void listener?.publish(topic, text),
    setIdle: (request, seconds) => listener?.timeout(request, seconds),
    inFlight: { requests: 0 },
    certificateEndsAtMs: () => null,
    setupToken,
    isStopping: () => isStopping,
    peerOf: (request: Request) => {
      const socket = peers.has(request)
        ? peers.get(request)
        : listener?.requestIP(request)?.address;
      return readPeer(socket ?? null, request.headers);
    },
  };
  const closing: (() => unknown)[] = [];
  const room = new TestRoom();
  const publicUrl = () => config.publicUrl;
  const surroundings = {
    ...{ server, network: outsideOf(more.network), passwords: more.passwords, publicUrl, onFatal },
    ...{ threads: { ...threads, backups: more.backups ?? threads.backups }, roomIn: room.read },
  };
  const deps = await openDeps(config, surroundings, closing);
  return {
    deps,
    dataDir,
    logged,
    peers,
    controlBytes: () => bytesOf(join(dataDir, "control.db")),
    setTime: (ms: number) => {
      nowMs = ms;
      deps.trustedTime.believe();
    },
    room,
    jumpTo: (ms: number) => {
      nowMs = ms;
    },
    setStopping: (value: boolean) => {
      isStopping = value;
    },
    listen: (app: App, port = 0): string => {
      listener ??= Bun.serve({ port, idleTimeout, fetch: app.handle, websocket: webSocket });
      return listener.url.origin;
    },
    close: async () => {
      await listener?.stop(true);
      for (const close of closing.reverse()) await close();
      await engine.close();
      restoreClock();
      restoreLog();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** With what is still in the log. */
function bytesOf(file: string): Uint8Array {
  const db = new Database(file, { readonly: true });
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

function onFatal(why: string): void {
  throw new Error(why);
}

/** Made by an app of its own, so that nothing of it is counted or logged in the one that is tested. */
async function firstAccount({ deps, peers, logged }: World) {
  const own = { rates: new Rates(), unsent: new UnsentBytes(), metrics: new Metrics() };
  const app = uncollected(() => createApp({ ...deps, ...own }, liveLookMs));
  try {
    return await setUp(sender(app, peers), deps.config.publicOrigin);
  } finally {
    await app.close();
    logged.length = 0;
  }
}
type World = Awaited<ReturnType<typeof openWorld>>;

/** The first account as a person makes it, and its key. */
async function setUp(
  send: TestApp["send"],
  origin: string,
): Promise<{ key: string; cookie: string }> {
  const body = { ...login, setup_token: setupToken };
  const made = await send("POST", "/auth/setup", { body });
  if (made.status !== 201) throw new Error(`POST /auth/setup: ${made.status} ${await made.text()}`);
  const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const headers = { cookie, origin };
  const answer = await send("POST", "/account/api-key", { headers });
  const { api_key: key } = (await answer.json()) as { api_key: string };
  return { key, cookie };
}
