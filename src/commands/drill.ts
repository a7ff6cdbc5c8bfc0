import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config";
import { ConfigError } from "../config-error";
import { Catalogue, PointDamaged } from "../store/backups/catalogue";
import { makeDrillFolder, removeLeftDrills } from "../store/backups/drill-folder";
import type { Manifest } from "../store/backups/manifest";
import { ObjectCodec, WrongKey } from "../store/backups/object-codec";
import { openTarget } from "../store/backups/open-target";
import { installationOf } from "../store/backups/statements";
import { TargetFailed } from "../store/backups/target";
import { questionsOf } from "../store/events/questions/questions";
import { openSnapshots } from "../store/events/read/snapshot";
import { freeBytesIn } from "../store/free-bytes";
import { StorageRefused } from "../store/refused";
import { exitCodes } from "./command";
import { compareReads } from "./drill-compare";
import { restoreTo } from "./restore-to";

/** The result of a drill. Times are in seconds, moments in ISO form. */
export interface DrillOutcome {
  readonly state: "ok" | "failed" | "skipped";
  readonly seconds: number;
  readonly error: string | null;
  /** The moment that was restored. */
  readonly restored_at: string | null;
  /** Reads that the restored folder and the running server answered alike. */
  readonly reads: number;
}

/** The databases need more than their size for a moment. */
const roomFactor = 1.2;
const cacheBytes = 32 * 1024 * 1024;

/** Restores the newest point into a temporary folder, compares it with the running server, and removes it. */
export async function drill(
  { backups, dataDir }: Pick<Config, "backups" | "dataDir">,
  print: (text: string) => void,
  isJson: boolean,
): Promise<number> {
  if (backups === null) {
    throw new ConfigError("There is no continuous backup to restore. Set BACKUP_URL.");
  }
  const begunAt = performance.now();
  const found = await attempt(backups, dataDir);
  const seconds = Math.round((performance.now() - begunAt) / 100) / 10;
  const outcome: DrillOutcome = { ...found, seconds };
  print(isJson ? `${JSON.stringify(outcome)}\n` : `${sentenceOf(outcome)}\n`);
  return outcome.state === "failed" ? exitCodes.failed : exitCodes.done;
}

type Attempt = Omit<DrillOutcome, "seconds">;
const none = { error: null, restored_at: null, reads: 0 };

async function attempt(
  { place, key, drillDir }: NonNullable<Config["backups"]>,
  dataDir: string,
): Promise<Attempt> {
  const catalogue = new Catalogue(openTarget(place), new ObjectCodec(key));
  const installation = installationOf(join(dataDir, "control.db"));
  try {
    const point = (await catalogue.points(`${installation}/`)).at(-1);
    if (point === undefined) return { ...none, state: "failed", error: "The target has no point." };
    const restored_at = new Date(point.atMs).toISOString();
    removeLeftDrills(drillDir, installation);
    mkdirSync(drillDir, { recursive: true });
    const missing = missingBytes(await catalogue.chain(point.name), drillDir);
    if (missing > 0) {
      const error = `${drillDir} needs ${Math.ceil(missing / 1e6)} MB more. Set BACKUP_DRILL_DIR to another disk.`;
      return { ...none, state: "skipped", error, restored_at };
    }
    let root = "";
    removeWhenStopped(() => root);
    root = makeDrillFolder(drillDir, installation);
    try {
      const { manifest } = await restoreTo(join(root, "data"), catalogue, point);
      const { reads, difference } = await compare(join(root, "data"), dataDir, manifest);
      const error = difference === null ? null : `The restored data differs: ${difference}.`;
      return { state: error === null ? "ok" : "failed", error, restored_at, reads };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  } catch (error) {
    return { ...none, state: "failed", error: reasonOf(error) };
  }
}

/** A server that stops ends its drill, and no copy of the data may be left then. */
function removeWhenStopped(rootOf: () => string): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      rmSync(rootOf(), { recursive: true, force: true });
      // The server sees that the drill was ended, and did not fail.
      process.kill(process.pid, "SIGKILL");
    });
  }
}

function missingBytes(chain: readonly Manifest[], folder: string): number {
  const newest = chain[chain.length - 1];
  const pages = newest.databases.reduce((sum, one) => sum + one.pages * one.pageBytes, 0);
  const recordings = chain.flatMap((one) => one.recordings.added);
  const needed = recordings.reduce((sum, one) => sum + one.bytes, pages) * roomFactor;
  return needed - freeBytesIn(folder);
}

async function compare(restoredDir: string, dataDir: string, { projects }: Manifest) {
  const [restored, running] = [restoredDir, dataDir].map((folder) =>
    openSnapshots(join(folder, "events.db"), cacheBytes, () => false),
  );
  try {
    return await restored.within((copy) =>
      running.within((own) => compareReads(projects, questionsOf(copy), questionsOf(own))),
    );
  } finally {
    restored.close();
    running.close();
  }
}

function reasonOf(error: unknown): string {
  const isOurs =
    error instanceof PointDamaged ||
    error instanceof WrongKey ||
    error instanceof TargetFailed ||
    error instanceof StorageRefused ||
    error instanceof ConfigError;
  if (isOurs) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
}

function sentenceOf({ state, error, restored_at, reads, seconds }: DrillOutcome): string {
  if (state === "ok") {
    return `Restored the state of ${restored_at} in ${seconds} s. ${reads} reads gave the same answers.`;
  }
  return `${state === "skipped" ? "The drill was skipped" : "The drill failed"}: ${error}`;
}
