import { afterAll, afterEach, beforeAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Network, startNetwork } from "./network";
import { startClickHouse, type TestClickHouse } from "./server-process";
import { readySightline, type Sightline, startSightline } from "./sightline";

/** What a file of tests has, which is gone when it has ended. */
export interface BesideClickHouse {
  /** A test that has killed it names the one that it started instead. */
  clickhouse: TestClickHouse;
  /** Before ClickHouse; it passes everything when a test begins. */
  readonly network: Network;
  readonly folder: string;
  newDatabase(): string;
  /** Servers and commands, which are killed when their test has ended, also when it failed. */
  started(...how: Parameters<typeof startSightline>): Sightline;
  ready(...how: Parameters<typeof startSightline>): Promise<Sightline>;
}

export function besideClickHouse(name: string): BesideClickHouse {
  let network: Network;
  let folder = "";
  let databases = 0;
  const running: Sightline[] = [];
  const noted = (sightline: Sightline): Sightline => {
    running.push(sightline);
    return sightline;
  };
  const beside = {
    clickhouse: null as unknown as TestClickHouse,
    get network() {
      return network;
    },
    get folder() {
      return folder;
    },
    newDatabase: () => `${name}_${databases++}`,
    started: (...how: Parameters<typeof startSightline>) => noted(startSightline(...how)),
    ready: async (...how: Parameters<typeof startSightline>) => noted(await readySightline(...how)),
  };
  beforeAll(async () => {
    beside.clickhouse = await startClickHouse();
    network = await startNetwork(beside.clickhouse.url);
    folder = mkdtempSync(join(tmpdir(), `sightline-clickhouse-${name}-`));
  });
  afterEach(() => {
    network.fate = () => "pass";
    for (const { child } of running.splice(0)) child.kill("SIGKILL");
  });
  afterAll(async () => {
    network.close();
    await beside.clickhouse.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return beside;
}

/** Returns the message with which work fails; empty when it does not. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
