import type { KnownErasure } from "../../domain/erased-digest";
import { clock, dayMs, secondMs } from "../../lib/clock";
import { log } from "../../lib/log";
import { damageIn, describeDamage } from "../damage";
import type { DatabaseFile } from "../installation";
import { Rests, threadTimeMs } from "../rests";
import { Catalogue, PointDamaged, pagesOf, recordingsOf } from "./catalogue";
import { KnownErasures } from "./known-erasures";
import { BackupLine, type PointMade } from "./line";
import { type Level, lineOf } from "./manifest";
import type { BackupOpening, BackupStatus, StatusPoint } from "./messages";
import { ObjectCodec, WrongKey } from "./object-codec";
import { openTarget } from "./open-target";
import { readBack, removePoints, tooOld } from "./pruning";
import { nextLevel } from "./schedule";
import { type Target, TargetFailed } from "./target";

/** Longer logs of databases whose writers leave them to this thread are copied after each point. */
const logBytesMax = 8 * 1024 * 1024;
const pointsShownMax = 100;
/** Other questions wait for as long as this thread writes a note. */
const noteMsMax = 10_000;

export type IsWholeRecording = (
  dataDir: string,
  recording: { readonly number: number; readonly bytes: number },
) => boolean;

/** Makes points by itself, one after the other, and removes old ones. */
export class BackupWorker {
  readonly #target: Target;
  readonly #codec: ObjectCodec;
  readonly #catalogue: Catalogue;
  readonly #line: BackupLine;
  readonly #erasures: KnownErasures;
  readonly #name: string;
  readonly #rests = new Rests(threadTimeMs);
  readonly #newest = new Map<Level, number>();
  readonly #ended: Promise<void>;
  #points: readonly StatusPoint[] = [];
  #status: Omit<BackupStatus, "points" | "line">;
  #wake: (() => void) | null = null;
  #isPrepared = false;
  #isAsked = false;
  #isClosing = false;
  #prunedDay = 0;

  constructor(
    private readonly opening: BackupOpening,
    private readonly databases: readonly DatabaseFile[],
    isWholeRecording: IsWholeRecording,
  ) {
    const { dataDir, config, version } = opening;
    this.#target = openTarget(config.place);
    this.#codec = new ObjectCodec(config.key);
    this.#catalogue = new Catalogue(this.#target, this.#codec);
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
    this.#name = lineOf(clock.nowMs(), random);
    this.#line = BackupLine.open({
      ...{ dataDir, databases, version, target: this.#target, codec: this.#codec },
      ...{ line: this.#name, nowMs: clock.nowMs, rest: () => this.#rest() },
      isWholeRecording: (recording) => isWholeRecording(dataDir, recording),
    });
    this.#erasures = new KnownErasures(this.#target, this.#codec, this.#line.installation);
    this.#status = { lastOkMs: null, lastError: null, failures: 0, bytes: 0, oldestMs: null };
    this.#ended = this.#run();
  }

  get status(): BackupStatus {
    return { ...this.#status, line: this.#name, points: this.#points };
  }

  /** The next point is made at once. */
  runNow(): void {
    this.#isAsked = true;
    this.#wake?.();
  }
  /** Resolves when the note is in the target. Throws TargetFailed with a sentence. */
  async noteErasure(erasure: KnownErasure): Promise<void> {
    const late = Bun.sleep(noteMsMax).then(() => {
      throw new TargetFailed(`it did not answer within ${noteMsMax / secondMs} seconds`);
    });
    try {
      await Promise.race([this.#erasures.add(erasure), late]);
    } catch (error) {
      throw new TargetFailed(sentenceOf(error));
    }
  }
  copyLog(file: string): void {
    this.#line.copyLog(file);
  }

  /** Resolves when what was stored by now is in the target, or could not be. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake?.();
    await this.#ended;
    this.#line.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      await this.#turn();
      await this.#waitFor(this.opening.config.everyMs);
    }
    await this.#turn();
  }

  async #turn(): Promise<void> {
    this.#isAsked = false;
    try {
      if (!this.#isPrepared) await this.#prepare();
      const nowMs = clock.nowMs();
      const made = await this.#line.makePoint(
        nextLevel(this.#newest, nowMs, this.opening.config.keepMs),
      );
      if (made !== null) this.#note(made);
      this.#status = { ...this.#status, lastOkMs: nowMs, lastError: null };
      this.#line.copyLongLogs(this.#filesToCopy, logBytesMax);
      if (!this.#isClosing) await this.#removeOld(nowMs);
    } catch (error) {
      this.#failed(sentenceOf(error));
    }
  }

  /** The writer of events asks for its own log to be copied, at a moment that suits it. */
  get #filesToCopy(): string[] {
    return this.databases.map(({ name }) => name).filter((name) => name !== "events.db");
  }

  /** Learns what earlier lines have stored. */
  async #prepare(): Promise<void> {
    const points = await this.#catalogue.points(`${this.#line.installation}/`);
    const newest = points.at(-1);
    if (newest !== undefined) await this.#useAgain(newest.name);
    this.#points = points
      .map(({ atMs, level }) => ({ atMs, isFull: level === "full", bytes: null }))
      .reverse()
      .slice(0, pointsShownMax);
    this.#status = { ...this.#status, oldestMs: points[0]?.atMs ?? null };
    this.#isPrepared = true;
  }

  async #useAgain(name: string): Promise<void> {
    try {
      const chain = await this.#catalogue.chain(name);
      this.#line.useAgain(pagesOf(chain), recordingsOf(chain));
    } catch (error) {
      // This line stores everything itself.
      if (!(error instanceof PointDamaged)) throw error;
      log("warn", "the newest point of the backup is damaged", { object: error.object });
    }
  }

  #note({ level, atMs, bytes }: PointMade): void {
    if (level === "full") this.#newest.clear();
    this.#newest.set(level, atMs);
    const shown = { atMs, isFull: level === "full", bytes };
    this.#points = [shown, ...this.#points].slice(0, pointsShownMax);
    const { bytes: before, oldestMs } = this.#status;
    this.#status = { ...this.#status, bytes: before + bytes, oldestMs: oldestMs ?? atMs };
  }

  /** Once a day. Whole copies go only after the newest point was read back. */
  async #removeOld(nowMs: number): Promise<void> {
    const day = Math.floor(nowMs / dayMs);
    if (day === this.#prunedDay) return;
    this.#prunedDay = day;
    const points = await this.#catalogue.points(`${this.#line.installation}/`);
    const { copies, points: fine } = tooOld(points, this.opening.config, nowMs);
    const newest = points.at(-1);
    if (copies.length > 0 && newest !== undefined) await readBack(this.#catalogue, newest.name);
    const removed = [...copies.flat(), ...fine];
    await removePoints(this.#target, this.#catalogue, removed);
    const gone = new Set(removed.map(({ name }) => name));
    const left = points.filter(({ name }) => !gone.has(name));
    const times = new Set(left.map(({ atMs }) => atMs));
    this.#points = this.#points.filter(({ atMs }) => times.has(atMs));
    const [oldest] = left;
    if (oldest !== undefined) await this.#erasures.removeUntil(oldest.atMs);
    this.#status = { ...this.#status, oldestMs: oldest?.atMs ?? null };
  }

  #failed(why: string): void {
    const { lastError, failures } = this.#status;
    if (lastError !== why) log("error", "the backup failed and will be tried again", { why });
    this.#status = { ...this.#status, lastError: why, failures: failures + 1 };
  }

  /** Others go first, but not while the server waits for the end. */
  #rest(): Promise<void> {
    return this.#isClosing ? Promise.resolve() : Bun.sleep(this.#rests.due());
  }

  #waitFor(ms: number): Promise<void> {
    if (this.#isClosing || this.#isAsked) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** One line that says what went wrong. */
function sentenceOf(error: unknown): string {
  if (error instanceof TargetFailed) return `The target failed: ${error.message}`;
  if (error instanceof WrongKey) return error.message;
  if (error instanceof PointDamaged) return `The backup is damaged: ${error.message}.`;
  if (damageIn(error) !== null) {
    return `A database is damaged and is not copied: ${describeDamage(error)}.`;
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
}
