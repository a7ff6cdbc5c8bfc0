import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../../lib/assert";
import { log } from "../../lib/log";
import { checkInPieces, type Schema } from "../migrate";
import { folderName } from "../replay-places";
import {
  type DatabaseCopy,
  type Level,
  levels,
  type Manifest,
  nameOfPoint,
  type PageObject,
  type PointName,
  pointNamed,
  type RecordingObject,
  type StoredObject,
  sha256Of,
} from "./manifest";
import { type FileMoment, Followers, type Moment } from "./moments";
import type { ObjectCodec } from "./object-codec";
import { pageObject } from "./page-object";
import { installationOf, lastTicketIn, projectsIn, sealedIn } from "./statements";
import type { Target } from "./target";

/** The bytes of pages in one object, before compression: a few of them are in memory at a time. */
const objectBytesMax = 4 * 1024 * 1024;

export interface LineParts {
  readonly dataDir: string;
  /** In the order in which their locks are taken; the accounts come last. */
  readonly databases: readonly { readonly name: string; readonly schema: Schema }[];
  readonly target: Target;
  readonly codec: ObjectCodec;
  readonly line: string;
  readonly version: string;
  nowMs(): number;
  /** Tells whether the file of a closed recording is what was written. */
  isWholeRecording(recording: { readonly number: number; readonly bytes: number }): boolean;
  /** Called between pieces of work, so that others go first. */
  rest(): Promise<void>;
}

export interface PointMade extends PointName {
  /** The bytes that it added to the target. */
  readonly bytes: number;
}

/** One run of a server's backup: it writes points, each of which adds to one before it. */
export class BackupLine {
  readonly #followers: Followers;
  readonly #installation: string;
  #n = 0;
  /** The newest point of each level, to which finer ones add. */
  readonly #newest = new Map<Level, Based>();
  /** The objects of the last full copy, by what they hold. */
  #stored: ReadonlyMap<string, PageObject> = new Map();
  /** The recordings that the target has, by their numbers. */
  #recordings: Recordings = new Map();

  private constructor(
    private readonly parts: LineParts,
    followers: Followers,
    installation: string,
  ) {
    this.#followers = followers;
    this.#installation = installation;
  }

  /** Begins a line: its first point is a full one. */
  static open(parts: LineParts): BackupLine {
    const paths = parts.databases.map(({ name }) => [name, join(parts.dataDir, name)] as const);
    const installation = installationOf(join(parts.dataDir, "control.db"));
    return new BackupLine(parts, new Followers(new Map(paths)), installation);
  }

  get installation(): string {
    return this.#installation;
  }

  /** Tells that objects in the target are whole: a full copy need not store them again. */
  useAgain(pages: readonly PageObject[], recordings: readonly RecordingObject[]): void {
    this.#stored = new Map(pages.map((one) => [one.content, one]));
    this.#recordings = new Map(recordings.map((one) => [one.number, one]));
  }

  /** Stores a point of this level; a full one when nothing else is certain. Null when nothing has changed. */
  async makePoint(wanted: Level): Promise<PointMade | null> {
    const { moment, level } = this.#followers.moment(wanted, this.parts.nowMs);
    let isStored = false;
    try {
      if (level === "increment" && isUnchanged(moment)) return null;
      if (level === "full") await this.#check(moment);
      const made = await this.#store(moment, level);
      isStored = true;
      return made;
    } finally {
      moment.close();
      if (!isStored) this.#followers.giveBack(moment, level);
    }
  }

  copyLog(file: string): void {
    this.#followers.copyLog(file);
  }
  copyLongLogs(files: readonly string[], bytesMax: number): void {
    this.#followers.copyLongLogs(files, bytesMax);
  }
  close(): void {
    this.#followers.close();
  }

  /** A damaged database is not copied. Throws DamagedBlob. */
  async #check({ databases }: Moment): Promise<void> {
    for (const { file, db } of databases) {
      const known = this.parts.databases.find(({ name }) => name === file);
      if (known === undefined) continue;
      for (const _ of checkInPieces(db, known.schema)) await this.parts.rest();
    }
  }

  async #store(moment: Moment, level: Level): Promise<PointMade> {
    this.#n += 1;
    const { installation, line, version } = { ...this.parts, installation: this.#installation };
    const objects = new ObjectWriter(this.parts, `${installation}/${line}`, this.#n);
    const base = this.#baseOf(level);
    const databases: DatabaseCopy[] = [];
    for (const one of moment.databases) databases.push(await this.#copyOf(one, objects));
    const recordings = await this.#recordingsIn(moment, objects);
    const events = dbOf(moment, "events.db");
    const manifest: Manifest = {
      ...{ format: 1, installation, line, n: this.#n, level, atMs: moment.atMs, version },
      ...{ base: base && { name: base.name, sha256: base.sha256 }, databases },
      recordings: changesBetween(base?.recordings ?? new Map(), recordings),
      ...{ projects: projectsIn(events), lastTicket: lastTicketIn(events) },
    };
    const name = nameOfPoint(manifest);
    const { sha256 } = await objects.put(name, new TextEncoder().encode(JSON.stringify(manifest)));
    if (level === "full") {
      const stored = databases.flatMap((one) => one.objects);
      this.#stored = new Map(stored.map((one) => [one.content, one]));
      this.#newest.clear();
    }
    this.#newest.set(level, { name, sha256, recordings });
    this.#recordings = recordings;
    return { ...(pointNamed(name) as PointName), bytes: objects.bytes };
  }

  /** The newest point that is of this level or a coarser one. */
  #baseOf(level: Level): Based | null {
    if (level === "full") return null;
    const coarse = levels.slice(0, levels.indexOf(level) + 1);
    const bases = coarse.flatMap((one) => this.#newest.get(one) ?? []);
    return bases.sort((left, right) => (left.name < right.name ? -1 : 1)).at(-1) ?? null;
  }

  async #copyOf(one: FileMoment, objects: ObjectWriter): Promise<DatabaseCopy> {
    const { file, pageBytes, pages } = one;
    const stored: PageObject[] = [];
    const perObject = Math.max(1, Math.floor(objectBytesMax / pageBytes));
    for (const numbers of inPieces(numbersOf(one), perObject)) {
      const { bytes, place } = pageObject(numbers, pageBytes);
      for (const [at, page] of numbers.entries()) one.read(page, place(at));
      const content = sha256Of(bytes);
      const known = one.changed === null ? this.#stored.get(content) : undefined;
      stored.push(known ?? { ...(await objects.putNext(bytes)), content });
      await this.parts.rest();
    }
    const known = this.parts.databases.find(({ name }) => name === file);
    const tables = known?.schema.migrations.at(-1)?.tag;
    return { file, tables, pageBytes, pages, objects: stored };
  }

  /** Stores the files of recordings that were closed since: they never change. Returns all that there are. */
  async #recordingsIn(moment: Moment, objects: ObjectWriter): Promise<Recordings> {
    const all = new Map<number, RecordingObject>();
    for (const { number, id, bytes } of sealedIn(dbOf(moment, "replays.db"))) {
      const known = this.#recordings.get(number);
      if (known?.id === id) {
        all.set(number, known);
        continue;
      }
      const file = this.#fileOf(number, bytes);
      if (file !== null && !this.parts.isWholeRecording({ number, bytes })) {
        log("error", "a damaged recording is not backed up", { recording: id });
        continue;
      }
      if (file !== null) all.set(number, { ...(await objects.putNext(file)), id, number });
      await this.parts.rest();
    }
    return all;
  }

  /** One that is gone was deleted meanwhile, which a start on the copy notices. */
  #fileOf(number: number, bytes: number): Uint8Array | null {
    try {
      const file = readFileSync(join(this.parts.dataDir, folderName, String(number)));
      return file.byteLength === bytes ? file : null;
    } catch {
      return null;
    }
  }
}

type Recordings = ReadonlyMap<number, RecordingObject>;

interface Based {
  readonly name: string;
  readonly sha256: string;
  /** Those that the point has. */
  readonly recordings: Recordings;
}

function changesBetween(before: Recordings, after: Recordings): Manifest["recordings"] {
  return {
    added: [...after.values()].filter(({ number, id }) => before.get(number)?.id !== id),
    removed: [...before.keys()].filter((number) => !after.has(number)),
  };
}

/** Stores the objects of one point. */
class ObjectWriter {
  bytes = 0;
  #count = 0;

  constructor(
    private readonly parts: Pick<LineParts, "target" | "codec">,
    private readonly folder: string,
    private readonly n: number,
  ) {}

  putNext(content: Uint8Array): Promise<StoredObject> {
    this.#count += 1;
    return this.put(`${this.folder}/data/${this.n}-${this.#count}`, content);
  }

  async put(name: string, content: Uint8Array): Promise<StoredObject> {
    const object = this.parts.codec.close(content, name);
    await this.parts.target.put(name, object);
    this.bytes += object.byteLength;
    return { name, bytes: object.byteLength, sha256: sha256Of(object) };
  }
}

const isUnchanged = ({ databases }: Moment): boolean =>
  databases.every(({ changed }) => changed?.size === 0);

function dbOf({ databases }: Moment, file: string): FileMoment["db"] {
  const found = databases.find((one) => one.file === file);
  assert(found !== undefined, "every data folder has this database");
  return found.db;
}

/** The pages to copy: those that changed and are still there, or all. */
function* numbersOf({ changed, pages }: FileMoment): Generator<number> {
  if (changed === null) for (let page = 1; page <= pages; page++) yield page;
  else for (const page of changed) if (page <= pages) yield page;
}

function* inPieces(numbers: Iterable<number>, size: number): Generator<number[]> {
  let piece: number[] = [];
  for (const number of numbers) {
    piece.push(number);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
