import type { Catalogue } from "./catalogue";
import { type PointName, pointNamed } from "./manifest";
import type { Target } from "./target";

/** How long points stay. */
export interface Keeping {
  /** All points stay for this long, and then one a day … */
  readonly pointsMs: number;
  /** … until this age. */
  readonly keepMs: number;
}

/** A full point and those that add to it, in their order. */
type Copy = readonly PointName[];

/** The points that are too old: whole copies, and finer points for which a later one of the same copy stands. */
export interface TooOld {
  readonly copies: readonly Copy[];
  readonly points: readonly PointName[];
}

/** The newest copy stays, whatever its age. */
export function tooOld(points: readonly PointName[], keeping: Keeping, nowMs: number): TooOld {
  const copies = copiesIn(points);
  const newest = copies.toSorted((left, right) => lastOf(left).atMs - lastOf(right).atMs).at(-1);
  const isTooOld = (copy: Copy): boolean =>
    copy !== newest && nowMs - lastOf(copy).atMs > keeping.keepMs;
  const staying = copies.filter((copy) => !isTooOld(copy));
  return {
    copies: copies.filter(isTooOld),
    points: staying
      .flatMap(fineRuns)
      .filter((run) => nowMs - lastOf(run).atMs > keeping.pointsMs)
      .flat(),
  };
}

const lastOf = (points: readonly PointName[]): PointName => points[points.length - 1];

function copiesIn(points: readonly PointName[]): readonly Copy[] {
  const lines = Map.groupBy(points, ({ installation, line }) => `${installation}/${line}`);
  return [...lines.values()].flatMap((line) => {
    const copies: PointName[][] = [];
    for (const point of line.toSorted((left, right) => left.n - right.n)) {
      if (point.level === "full" || copies.length === 0) copies.push([]);
      copies[copies.length - 1].push(point);
    }
    return copies;
  });
}

/** The runs of hours and increments of a copy that a day follows: no later point adds to one of them. */
function fineRuns(copy: Copy): readonly (readonly PointName[])[] {
  const runs: PointName[][] = [];
  let run: PointName[] = [];
  for (const point of copy) {
    if (point.level === "hour" || point.level === "increment") run.push(point);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  return runs;
}

/** Reads all objects of the newest point back. Throws PointDamaged. */
export async function readBack(catalogue: Catalogue, name: string): Promise<void> {
  for (const manifest of await catalogue.chain(name)) {
    for (const { objects } of manifest.databases) {
      for (const object of objects) await catalogue.object(object);
    }
    for (const object of manifest.recordings.added) await catalogue.object(object);
  }
}

/** Removes points, newest first, so that each that stays has those that it adds to; then their objects. */
export async function removePoints(
  target: Target,
  catalogue: Catalogue,
  removed: readonly PointName[],
): Promise<void> {
  const newestFirst = removed.toSorted((left, right) => right.n - left.n);
  for (const { name } of newestFirst) await target.remove(name);
  for (const installation of new Set(removed.map((point) => point.installation))) {
    await removeUnnamed(target, catalogue, installation);
  }
}

const dataForm = /^([0-9a-f]{32}\/[^/]+)\/data\/(\d+)-\d+$/;

/** Removes objects that no point names, but those of the point that a line is making: its manifest comes last. */
async function removeUnnamed(
  target: Target,
  catalogue: Catalogue,
  installation: string,
): Promise<void> {
  const names = await target.list(`${installation}/`);
  const points = names.flatMap((name) => pointNamed(name) ?? []);
  const named = await namedBy(points, catalogue);
  const ownPoints = new Set(points.map(({ installation: of, line, n }) => `${of}/${line}/${n}`));
  const newest = new Map<string, number>();
  for (const { line, n } of points) {
    const key = `${installation}/${line}`;
    newest.set(key, Math.max(n, newest.get(key) ?? 0));
  }
  for (const name of names) {
    const [, line, n] = dataForm.exec(name) ?? [];
    if (line === undefined || named.has(name) || ownPoints.has(`${line}/${Number(n)}`)) continue;
    if (Number(n) < (newest.get(line) ?? Number.POSITIVE_INFINITY)) await target.remove(name);
  }
}

/** Increments name objects of their own alone. */
async function namedBy(
  points: readonly PointName[],
  catalogue: Catalogue,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const { name, level } of points) {
    if (level === "increment") continue;
    const manifest = await catalogue.manifest(name);
    const objects = manifest.databases.flatMap((one) => one.objects);
    for (const one of [...objects, ...manifest.recordings.added]) named.add(one.name);
  }
  return named;
}
