import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathFromRoot } from "../suite/sources";
import { Connection, type Reply, requestText } from "./connection";

/** The executable as `npm run build` makes it. The e2e and load suites run nothing else. */
export const executable = pathFromRoot("dist", "sightline");

/** What first-run set-up needs under an address that is not this machine's. */
export const setupToken = "token-of-the-tests";

export interface Server {
  readonly url: string;
  readonly process: Bun.Subprocess;
  /** What the process has printed so far, both streams. */
  output(): string;
  /** SIGTERM; resolves with the exit code, when all that it printed is in `output`. */
  stop(): Promise<number>;
  /** SIGKILL; resolves when the process is gone, and all that it printed is in `output`. */
  kill(): Promise<void>;
}

export interface StartOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that the executable is given to, `strace -f` for example. */
  readonly wrapper?: readonly string[];
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "sightline-e2e-"));

/**
 * Removes a folder. Children of a killed process may still write for a moment: a folder that is not empty then is tried
 * again.
 */
export function removeFolder(path: string): void {
  for (let triesLeft = 50; ; triesLeft--) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
    Bun.sleepSync(100);
  }
}

/** Starts `serve` and waits until it is ready. Throws with its output when it ends, or is not ready in a minute. */
export async function startServer(options: StartOptions): Promise<Server> {
  const server = launch(options);
  const deadline = performance.now() + 60_000;
  while (!(await isReady(server.url))) {
    if (server.process.exitCode !== null || performance.now() > deadline) {
      server.process.kill("SIGKILL");
      throw new Error(`The server did not become ready. It printed:\n${server.output()}`);
    }
    await Bun.sleep(2);
  }
  return server;
}

/** Starts `serve` and does not wait for it. */
export function launch({ dataDir, env = {}, wrapper = [] }: StartOptions): Server {
  if (!existsSync(executable))
    throw new Error("There is no executable: run `npm run build` first.");
  const port = Number(env.PORT ?? freePort());
  const child = Bun.spawn([...wrapper, executable, "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      DATA_DIR: dataDir,
      HOST: "127.0.0.1",
      PORT: String(port),
      RATE_LIMIT_RPM: "0",
      SETUP_TOKEN: setupToken,
      ...env,
    },
    cwd: tmpdir(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed: string[] = [];
  const ended = Promise.all([collect(child.stdout, printed), collect(child.stderr, printed)]);
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    output: () => printed.join(""),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      return child.exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
      await child.exited;
    },
  };
}

/** Runs a sub-command to its end. */
export async function runCommand(
  parameters: readonly string[],
  { dataDir, env = {}, wrapper = [], input = "" }: StartOptions & { readonly input?: string },
): Promise<{ readonly exitCode: number; readonly output: string; readonly tookMs: number }> {
  const started = performance.now();
  const child = Bun.spawn([...wrapper, executable, ...parameters], {
    env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir, HOST: "127.0.0.1", ...env },
    cwd: tmpdir(),
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed: string[] = [];
  await Promise.all([collect(child.stdout, printed), collect(child.stderr, printed)]);
  const exitCode = await child.exited;
  return { exitCode, output: printed.join(""), tookMs: performance.now() - started };
}

/** Returns the settings of a server whose clock begins at noon of yesterday, so that no date ends during a test. */
export function atNoon(): { readonly CLOCK_OFFSET_MS: string } {
  const [nowMs, dayMs] = [Date.now(), 86_400_000];
  return { CLOCK_OFFSET_MS: String(-(nowMs % dayMs) - dayMs / 2) };
}

/** Confirms the clock that the environment gives, for a folder that was last used days away from it. */
export async function acceptClock({ dataDir, env = {} }: StartOptions): Promise<void> {
  const { exitCode, output } = await runCommand(["clock", "--accept"], { dataDir, env });
  if (exitCode !== 0) throw new Error(`sightline clock --accept ended with ${exitCode}: ${output}`);
}

async function collect(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) into.push(decoder.decode(bytes, { stream: true }));
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { keepalive: false })).ok;
  } catch {
    return false;
  }
}

/**
 * The ports are below those that the system gives to outgoing connections. Suites that run side by side take theirs
 * from parts of their own, so that none takes a port that another was given and does not listen on yet.
 */
const ports = { first: 10_000, ofPart: 2_750, parts: 8 };
const given = new Set<number>();

/** A port that nobody listens on, and that nobody else is given. */
export function freePort(): number {
  const part = Number(process.env.BUN_TEST_WORKER_ID ?? 0) % ports.parts;
  const first = ports.first + part * ports.ofPart;
  for (;;) {
    const port = first + Math.floor(Math.random() * ports.ofPart);
    if (given.has(port) || !isFree(port)) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

/** One request on a connection of its own. */
export async function ask(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = undefined,
): Promise<Reply> {
  const connection = await Connection.open(url);
  try {
    const text = body === undefined ? "" : JSON.stringify(body);
    return await connection.send(
      requestText(method, path, { Connection: "close", ...headers }, text),
    );
  } finally {
    connection.close();
  }
}
