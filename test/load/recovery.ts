import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProject, type Project, setUpAccount, userAgent } from "../support/server/account";
import { smallDisk } from "../support/server/disk";
import {
  ask,
  removeFolder,
  runCommand,
  type Server,
  temporaryFolder,
} from "../support/server/server";
import { type Figures, median, thousands } from "./figures";

const section = "Trouble";
const rounds = 5;
const recoveryMsMax = 5_000;
const refusalMsMax = 2_000;

/**
 * Measures how soon events are taken again after a full disk has room, and how soon a start on a damaged file is
 * refused.
 */
export async function measureRecovery(figures: Figures): Promise<void> {
  const disk = smallDisk();
  const server = await disk.start();
  const project = await createProject(server.url, await setUpAccount(server.url), "full-disk");
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    disk.fill();
    await untilAnswered(server, project, 503);
    disk.free();
    const freedAtMs = performance.now();
    await untilAnswered(server, project, 202);
    tookMs.push(performance.now() - freedAtMs);
  }
  await server.stop();
  disk.remove();
  add(figures, `from room on a full disk to the next stored event, most of ${rounds}, ms`, {
    ms: Math.max(...tookMs),
    msMax: recoveryMsMax,
  });

  const refusedMs: number[] = [];
  for (let round = 0; round < rounds; round++) refusedMs.push(await refusal());
  add(figures, `a start on a damaged events.db: until refused, median of ${rounds}, ms`, {
    ms: median(refusedMs),
    msMax: refusalMsMax,
  });
}

const add = (figures: Figures, what: string, { ms, msMax }: { ms: number; msMax: number }): void =>
  figures.add(section, what, thousands(ms), thousands(msMax), ms < msMax);

async function untilAnswered(server: Server, { token }: Project, status: number): Promise<void> {
  for (;;) {
    const reply = await ask(
      ...([server.url, "POST", "/track/batch", { "User-Agent": userAgent }] as const),
      { token, events: Array.from({ length: 20 }, noise) },
    );
    if (reply.status === status) return;
    if (reply.status !== 202 && reply.status !== 503)
      throw new Error(`/track/batch: ${reply.body}`);
  }
}

/** What no free page of a full disk can hide. */
const noise = () => ({
  event: "filling",
  properties: {
    noise: Buffer.from(crypto.getRandomValues(new Uint8Array(700))).toString("base64"),
  },
});

async function refusal(): Promise<number> {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, "events.db"), "not a database\n".repeat(1_000));
  const { exitCode, tookMs } = await runCommand(["serve"], { dataDir, env: { PORT: "0" } });
  removeFolder(dataDir);
  if (exitCode !== 1) throw new Error(`a start on a damaged file ended with ${exitCode}`);
  return tookMs;
}
