import { join, resolve } from "node:path";
import { readRestoreConfig } from "../config";
import { ConfigError } from "../config-error";
import { Catalogue, PointDamaged } from "../store/backups/catalogue";
import type { PointName } from "../store/backups/manifest";
import { ObjectCodec, WrongKey } from "../store/backups/object-codec";
import { openTarget } from "../store/backups/open-target";
import { readBack } from "../store/backups/pruning";
import type { RestoreProgress } from "../store/backups/restore";
import { projectNamesIn } from "../store/backups/statements";
import { TargetFailed } from "../store/backups/target";
import { noteRestored } from "../store/control/audit-restored";
import { exitCodes } from "./command";
import { type RestoreRequest, restoreRequestOf } from "./restore-request";
import { type Restored, restoreTo } from "./restore-to";

type Print = (text: string) => void;

/** An object of the backup is damaged or missing. */
const damagedCode = 2;
const progressEveryMs = 1_000;

/** Writes a state of a backup into a new folder, on which a server can start; or lists or checks what there is. */
export async function restore(parameters: readonly string[], print: Print): Promise<number> {
  const request = restoreRequestOf(parameters);
  const { place, key } = readRestoreConfig(request.source);
  const catalogue = new Catalogue(openTarget(place), new ObjectCodec(key));
  try {
    const points = pointsOf(await catalogue.points(), request.line);
    if (request.what === "list") return list(points, request, print);
    const point = pointAt(points, request.atMs);
    return request.what === "check"
      ? await check(catalogue, point, request, print)
      : await restorePoint(catalogue, { point, points }, request, print);
  } catch (error) {
    if (error instanceof WrongKey) throw new ConfigError(error.message);
    if (error instanceof TargetFailed) {
      throw new ConfigError(`The backup cannot be read: ${error.message}`);
    }
    throw error;
  }
}

/** The points of the line that was asked for, or of all lines of the one installation. */
function pointsOf(points: readonly PointName[], line: string | null): readonly PointName[] {
  const installations = new Set(points.map(({ installation }) => installation));
  if (installations.size > 1 && line === null) {
    throw new ConfigError(
      "The source has backups of several installations. Pass one of their lines with --line: " +
        `${[...new Set(points.map((point) => point.line))].join(", ")}.`,
    );
  }
  const found = line === null ? points : points.filter((point) => point.line === line);
  if (found.length > 0) return found;
  throw new ConfigError(
    line === null ? "The source has no backup." : `The source has no line ${line}.`,
  );
}

/** The newest point that is not after a moment. */
function pointAt(points: readonly PointName[], atMs: number | null): PointName {
  const found = points.filter((point) => atMs === null || point.atMs <= atMs).at(-1);
  if (found !== undefined) return found;
  throw new ConfigError(
    `The backup begins later. The earliest moment that it can restore is ${isoOf(points[0].atMs)}.`,
  );
}

function list(points: readonly PointName[], { isJson }: RestoreRequest, print: Print): number {
  const shown = points.map(({ atMs, line, level }) => ({
    at: isoOf(atMs),
    line,
    kind: level === "full" ? "full" : "increment",
  }));
  if (isJson) print(`${JSON.stringify({ points: shown })}\n`);
  else for (const { at, line, kind } of shown) print(`${at}  ${line}  ${kind}\n`);
  return exitCodes.done;
}

async function check(
  catalogue: Catalogue,
  point: PointName,
  { isJson }: RestoreRequest,
  print: Print,
): Promise<number> {
  const at = isoOf(point.atMs);
  try {
    await readBack(catalogue, point.name);
  } catch (error) {
    if (!(error instanceof PointDamaged)) throw error;
    print(isJson ? `${JSON.stringify({ ok: false, at, damaged: error.object })}\n` : "");
    process.stderr.write(`The backup is damaged: ${error.message}.\n`);
    return damagedCode;
  }
  print(isJson ? `${JSON.stringify({ ok: true, at })}\n` : `All objects of ${at} are whole.\n`);
  return exitCodes.done;
}

interface Choice {
  readonly point: PointName;
  /** All that could be chosen. */
  readonly points: readonly PointName[];
}

async function restorePoint(
  catalogue: Catalogue,
  { point, points }: Choice,
  { folder, isJson }: RestoreRequest & { readonly folder: string },
  print: Print,
): Promise<number> {
  try {
    const restored = await restoreTo(folder, catalogue, point, progressTo(), (part, manifest) =>
      noteRestored(join(part, "control.db"), manifest),
    );
    print(outcome(restored, resolve(folder), isJson));
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof PointDamaged)) throw error;
    const before = await lastWhole(catalogue, points, point);
    const at = before === null ? null : isoOf(before.atMs);
    const advice =
      at === null
        ? "No earlier moment can be restored."
        : `The latest moment before it that can be restored is ${at}: pass --at ${at}.`;
    process.stderr.write(`The backup is damaged: ${error.message}. ${advice}\n`);
    return damagedCode;
  }
}

/** The newest point before another one that can be read back. */
async function lastWhole(
  catalogue: Catalogue,
  points: readonly PointName[],
  { atMs }: PointName,
): Promise<PointName | null> {
  for (const point of points.filter((one) => one.atMs < atMs).reverse()) {
    try {
      await readBack(catalogue, point.name);
      return point;
    } catch (error) {
      if (!(error instanceof PointDamaged)) throw error;
    }
  }
  return null;
}

function progressTo() {
  let shownAt = performance.now();
  return ({ objects, ofObjects, bytes }: RestoreProgress) => {
    if (performance.now() - shownAt < progressEveryMs) return;
    shownAt = performance.now();
    const megabytes = Math.round(bytes / 1e6);
    process.stderr.write(`restored ${objects} of ${ofObjects} objects, ${megabytes} MB\n`);
  };
}

function outcome(restored: Restored, folder: string, isJson: boolean): string {
  const { manifest, bytes, objects, seconds, erasures } = restored;
  const { line } = manifest;
  const counted = new Map(manifest.projects.map(({ id, events }) => [id, events]));
  const projects = projectNamesIn(join(folder, "control.db")).map(({ id, name }) => ({
    ...{ id, name, events: counted.get(id) ?? 0 },
  }));
  const at = isoOf(manifest.atMs);
  if (isJson) {
    const report = { at, line, bytes, seconds, objects, erasures, projects };
    return `${JSON.stringify(report)}\n`;
  }
  const events = projects.reduce((sum, one) => sum + one.events, 0);
  return (
    `Restored ${projects.length} projects with ${events} events as of ${at} to ${folder} in ${seconds} s. ` +
    "Start a server with DATA_DIR set to this folder.\n"
  );
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
